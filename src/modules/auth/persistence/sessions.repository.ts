import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { RequestOrigin } from '../../../platform/http/service-request.js';

export interface RotatedToken {
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly token_version: number | null;
  /** When the session ends unless it is renewed again. */
  readonly expires_at: Date | null;
}

export type SignInMethod = 'password' | 'google' | 'sign_up' | 'invitation';

/** Sessions: families of refresh tokens. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** False when the account was disabled, locked or given another password meanwhile. */
  async open(
    person: { readonly userId: string; readonly tokenVersion: number },
    session: { readonly id: string; readonly refreshHash: Buffer; readonly expires: Date },
    method: SignInMethod,
    now: Date,
    origin: RequestOrigin,
  ): Promise<boolean> {
    const [row] = await this.database.withoutTenant<{ opened: boolean }>('select open_session($1, $2, $3, $4, $5, $6, $7, $8, $9) as opened', [
      person.userId, person.tokenVersion, session.id, session.refreshHash, method, session.expires, now, origin.requestId, origin.address,
    ]);
    return row?.opened === true;
  }

  async rotate(hash: Buffer, newHash: Buffer, expires: Date, longestDays: number, now: Date, origin: RequestOrigin): Promise<RotatedToken> {
    const [row] = await this.database.withoutTenant<RotatedToken>('select * from renew_session($1, $2, $3, make_interval(days => $4), $5, $6, $7)', [
      hash, newHash, expires, longestDays, now, origin.requestId, origin.address,
    ]);
    return row ?? { user_id: null, session_id: null, token_version: null, expires_at: null };
  }

  /** Whether a session goes on. @param tokenVersion the account's, as it was read last */
  async isOpen(userId: string, sessionId: string, tokenVersion: number, now: Date): Promise<boolean> {
    return (await this.database.withoutTenant('select from authenticate_session($1, $2, $3, null, $4) limit 1', [userId, sessionId, tokenVersion, now])).length > 0;
  }

  /** Ends the session that a refresh token belongs to, if there is one. */
  async endOf(hash: Buffer, now: Date, origin: RequestOrigin): Promise<void> {
    await this.database.withoutTenant('select end_session_of_token($1, $2, $3, $4)', [hash, now, origin.requestId, origin.address]);
  }

  async end(userId: string, sessionId: string, now: Date, origin: RequestOrigin): Promise<void> {
    await this.database.withoutTenant('select end_session($1, $2, $3, $4, $5)', [userId, sessionId, now, origin.requestId, origin.address]);
  }

  /** Ends every session of a person; false when the one that asks for it has ended meanwhile. */
  async endAll(userId: string, sessionId: string, now: Date, origin: RequestOrigin): Promise<boolean> {
    const [row] = await this.database.withoutTenant<{ done: boolean }>('select end_every_session($1, $2, $3, $4, $5) as done', [userId, sessionId, now, origin.requestId, origin.address]);
    return row?.done === true;
  }
}
