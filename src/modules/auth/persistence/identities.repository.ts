import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { NewPerson, OwnSession } from './people.repository.js';

export interface KnownIdentity {
  readonly user_id: string;
  readonly token_version: number;
  /** False: the account has the address, but was never linked. */
  readonly is_linked: boolean;
}

/** What must be remembered while a browser is at the provider. */
export interface PendingSignIn {
  readonly verifier: string;
  readonly nonce: string;
  readonly return_to: string | null;
  /** SHA-256 of the browser's cookie, base64url. */
  readonly browser: string;
}

/** Accounts at identity providers, and sign-ins under way. */
@Injectable()
export class IdentitiesRepository {
  constructor(private readonly database: TenantTransaction) {}

  async keepSignIn(stateHash: Buffer, pending: object, expires: Date, now: Date): Promise<void> {
    await this.database.withoutTenant(`select keep_one_time_token($1, 'sign_in_at_provider', null, $2, $3, $4)`, [stateHash, JSON.stringify(pending), expires, now]);
  }

  async takeSignIn(stateHash: Buffer, now: Date): Promise<PendingSignIn | null> {
    const [row] = await this.database.withoutTenant<{ detail: PendingSignIn }>(`select detail from take_one_time_token($1, 'sign_in_at_provider', $2)`, [stateHash, now]);
    return row?.detail ?? null;
  }

  async find(issuer: string, subject: string, email: string): Promise<KnownIdentity | null> {
    const [row] = await this.database.withoutTenant<KnownIdentity>('select * from find_identity($1, $2, $3)', [issuer, subject, email]);
    return row ?? null;
  }

  /** False when address or identity are taken. */
  async signUp({ userId, email, name, tenantId, tenantName, memberId }: NewPerson, issuer: string, subject: string, now: Date, origin: RequestOrigin): Promise<boolean> {
    const [row] = await this.database.withoutTenant<{ done: boolean }>('select sign_up_with_identity($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as done', [
      userId, email, name, issuer, subject, tenantId, tenantName, memberId, now, origin.requestId, origin.address,
    ]);
    return row?.done === true;
  }

  /** Links the identity that a token offers to this person; false when the token offers them none, null when the session has ended meanwhile. */
  async link(tokenHash: Buffer, { userId, sessionId }: OwnSession, now: Date, origin: RequestOrigin): Promise<boolean | null> {
    const [row] = await this.database.withoutTenant<{ done: boolean | null }>('select case when hold_session($2, $6, $3) then link_identity($1, $2, $3, $4, $5) end as done', [
      tokenHash, userId, now, origin.requestId, origin.address, sessionId,
    ]);
    return row?.done ?? null;
  }
}
