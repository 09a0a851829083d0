import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { IDS, type Ids } from '../../../shared/ports.js';
import type { Language } from '../domain/document-words.js';
import { isNotice, type News, type NoticeType, QUIET_MS } from '../domain/notice-letter.js';
import type { ClaimedWork } from './mail-work.js';

/** A mail to an admin with what it tells. */
export interface NoticeMail {
  readonly recipient: string;
  readonly language: Language;
  readonly attempts: number;
  readonly tenantName: string;
  readonly news: News;
}

const MOST_ITEMS = 50;

/** News for a tenant's owners and admins. */
@Injectable()
export class NoticesRepository {
  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * Queues one mail to every active owner and admin about an event; other events of the kind that wait are told by the same
   * mail. Soon after such a mail the event waits.
   */
  async addressAdmins({ tenantId, id: eventId }: ClaimedWork, token: string, now: Date): Promise<void> {
    await this.transaction.run(tenantId, async (manager) => {
      // Two events of a kind wait for each other here, so that they are told once.
      const [tenant] = await manager.query<{ is_active: boolean }[]>('select is_active from tenants where id = $1 for no key update', [tenantId]);
      const [, held] = await manager.query<[unknown[], number]>('delete from mail_outbox where tenant_id = $1 and id = $2 and lease_token = $3', [tenantId, eventId, token]);
      const [event] = await manager.query<{ type: string; last_mail: Date | null }[]>(
        `select e.type, (select max(m.created_at) from mails m where m.tenant_id = e.tenant_id and m.notice = e.type) as last_mail
         from events e where e.tenant_id = $1 and e.id = $2`,
        [tenantId, eventId],
      );
      if (held === 0 || tenant?.is_active !== true || event === undefined || !isNotice(event.type)) return;
      const quietUntil = event.last_mail === null ? now : new Date(event.last_mail.getTime() + QUIET_MS[event.type]);
      if (quietUntil > now) {
        await manager.query(`insert into mail_outbox (tenant_id, id, kind, due_at) values ($1, $2, 'notice', $3)`, [tenantId, eventId, quietUntil]);
        return;
      }
      await manager.query(`delete from mail_outbox o using events e where o.tenant_id = $1 and o.kind = 'notice' and e.tenant_id = $1 and e.id = o.id and e.type = $2`, [tenantId, event.type]);
      await this.queueMails(manager, tenantId, eventId, event.type, now);
    });
  }

  private async queueMails(manager: EntityManager, tenantId: string, eventId: string, type: NoticeType, now: Date): Promise<void> {
    const admins = await manager.query<{ email: string }[]>(
      `select email from members where tenant_id = $1 and status = 'active' and role in ('tenant_owner', 'tenant_admin') order by email`,
      [tenantId],
    );
    for (const { email } of admins) {
      const id = this.ids.uuid();
      await manager.query(
        `insert into mails (tenant_id, id, cause, event_id, notice, recipient, language, created_at, updated_at)
         values ($1, $2, 'notice', $3, $4, $5, coalesce((select s.language from mail_settings s where s.tenant_id = $1), 'es'), $6, $6)`,
        [tenantId, id, eventId, type, email, now],
      );
      await manager.query(`insert into mail_outbox (tenant_id, id, kind, due_at) values ($1, $2, 'mail', $3)`, [tenantId, id, now]);
    }
  }

  /** A queued mail to an admin, its news as they are now; null when there is none of that id. */
  async find(tenantId: string, mailId: string, now: Date): Promise<NoticeMail | null> {
    return this.transaction.run(tenantId, async (manager) => {
      const [row] = await manager.query<{ recipient: string; language: Language; attempts: number; notice: string; since: Date | null; tenant_name: string }[]>(
        `select m.recipient, m.language, m.attempts, m.notice, t.name as tenant_name,
           (select max(p.created_at) from mails p where p.tenant_id = m.tenant_id and p.notice = m.notice and p.created_at < m.created_at) as since
         from mails m join tenants t on t.id = m.tenant_id
         where m.tenant_id = $1 and m.id = $2 and m.notice is not null`,
        [tenantId, mailId],
      );
      if (row === undefined || !isNotice(row.notice)) return null;
      const { recipient, language, attempts, tenant_name: tenantName, notice, since } = row;
      return { recipient, language, attempts, tenantName, news: await this.news(manager, tenantId, notice, since, now) };
    });
  }

  /** @param since when the mail before told of such news; null: never */
  private async news(manager: EntityManager, tenantId: string, type: NoticeType, since: Date | null, now: Date): Promise<News> {
    const read = <Item>(sql: string, ...parameters: unknown[]): Promise<Item[]> => manager.query<Item[]>(`${sql} limit ${MOST_ITEMS}`, [tenantId, ...parameters]);
    switch (type) {
      case 'certificate.expiring':
      case 'certificate.expired':
        return {
          type,
          items: await read(
            `select i.razon_social as issuer, c.valid_to as "validTo" from certificates c join issuers i on i.tenant_id = c.tenant_id and i.id = c.issuer_id
             where c.tenant_id = $1 and c.is_active and i.is_active and c.valid_to < $2::timestamptz + interval '31 days' order by c.valid_to`,
            now,
          ),
        };
      case 'sequence.low':
        return {
          type,
          items: await read(
            `select distinct on (i.razon_social, b.code, p.code, s.told ->> 'document_type') i.razon_social as issuer, b.code || '-' || p.code as point,
               s.told ->> 'document_type' as "documentType", (s.told ->> 'remaining')::integer as remaining
             from events e cross join lateral (select to_jsonb(e) -> 'data' -> 'sequence' as told) s
             join emission_points p on p.tenant_id = e.tenant_id and p.id = (s.told ->> 'emission_point_id')::uuid
             join establishments b on b.tenant_id = p.tenant_id and b.id = p.establishment_id
             join issuers i on i.tenant_id = b.tenant_id and i.id = b.issuer_id
             where e.tenant_id = $1 and e.type = 'sequence.low' and ($2::timestamptz is null or e.created_at > $2)
             order by i.razon_social, b.code, p.code, s.told ->> 'document_type', e.created_at desc`,
            since,
          ),
        };
      case 'issuer.paused':
        return {
          type,
          items: await read(
            `select i.razon_social as issuer, b.code || coalesce('-' || p.code, '') as place, x.document_type as "documentType", x.code as "sriCode", x.created_at as since
             from issuing_pauses x join issuers i on i.tenant_id = x.tenant_id and i.id = x.issuer_id
             left join establishments b on b.tenant_id = x.tenant_id and b.id = x.establishment_id
             left join emission_points p on p.tenant_id = x.tenant_id and p.id = x.emission_point_id
             where x.tenant_id = $1 and x.resumed_at is null order by x.created_at`,
          ),
        };
      case 'webhook.disabled':
        return {
          type,
          items: await read(
            `select distinct to_jsonb(e) -> 'data' -> 'webhook' ->> 'url' as url from events e
             where e.tenant_id = $1 and e.type = 'webhook.disabled' and ($2::timestamptz is null or e.created_at > $2) and to_jsonb(e) -> 'data' -> 'webhook' ->> 'url' is not null`,
            since,
          ),
        };
      case 'document.manual_review_required':
        return {
          type,
          items: await read(
            `select i.razon_social as issuer, count(*)::integer as documents from documents d join issuers i on i.tenant_id = d.tenant_id and i.id = d.issuer_id
             where d.tenant_id = $1 and d.status = 'MANUAL_REVIEW_REQUIRED' group by i.razon_social order by 2 desc`,
          ),
        };
    }
  }
}
