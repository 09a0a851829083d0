import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { noticeLetter, SETTLED_UNTOLD } from '../domain/notice-letter.js';
import { NoticesRepository } from '../persistence/notices.repository.js';
import type { Written } from './written.js';

/** Writes the mail that brings news to an admin of a tenant. */
@Injectable()
export class NoticeMailWriter {
  constructor(
    private readonly notices: NoticesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Null when there is no such mail to an admin. */
  async write(tenantId: string, mailId: string): Promise<Written | null> {
    const now = this.clock.now();
    const found = await this.notices.find(tenantId, mailId, now);
    if (found === null) return null;
    const { recipient, language, attempts, tenantName, news } = found;
    if (news === null) return { attempts, documentId: null, outcome: { outcome: 'refused', reason: 'the recipient is no owner or admin with a confirmed address' } };
    if (news.items.length === 0) return { attempts, documentId: null, outcome: { outcome: 'refused', reason: SETTLED_UNTOLD } };
    return { attempts, documentId: null, mail: { id: mailId, to: { name: '', address: recipient }, senderName: null, replyTo: null, letter: noticeLetter(news, tenantName, language, now) } };
  }
}
