import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { GuardedPost } from '../../platform/egress/guarded-post.js';
import { targetProblem } from '../../platform/egress/target-rules.js';
import { echo, ValidationFailure } from '../../platform/http/validation-failure.js';

const MAX_LENGTH = 2_048;
const LOOK_UP_MS = 2_000;

/** Judges the addresses that tenants name, before they are kept; they are judged again at every delivery. */
@Injectable()
export class WebhookAddresses {
  constructor(
    private readonly http: GuardedPost,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * The address in its normal form.
   * @throws ValidationFailure when nothing may be sent there
   */
  async accepted(address: string): Promise<string> {
    const problem = targetProblem(address, this.settings);
    if (problem !== null) throw refused(address, problem.type, problem.ctx);
    const { href } = new URL(address);
    if (href.length > MAX_LENGTH) throw refused(address, 'string_too_long', { max_length: MAX_LENGTH });
    if (await this.http.leadsAstray(href, LOOK_UP_MS)) throw refused(address, 'url_address', {});
    return href;
  }
}

const refused = (address: string, type: string, ctx: Readonly<Record<string, unknown>>): ValidationFailure => new ValidationFailure([{ loc: ['body', 'url'], type, input: echo(address), ctx }]);
