import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { MemberRole } from '../../../shared/tenant-context.js';
import type { InvitationRecord, OwnInvitationRecord } from '../auth.responses.js';
import { FAILURES_BEFORE_LOCK, LOCK_MS } from '../domain/lock-out.js';

export interface Account {
  readonly user_id: string;
  readonly password_hash: string | null;
  readonly token_version: number;
  readonly locked_until: Date | null;
  readonly disabled_at: Date | null;
}

export interface PersonRow {
  readonly email: string;
  readonly name: string;
  readonly email_verified: boolean;
  readonly is_platform_admin: boolean;
  readonly has_password: boolean;
  readonly providers: readonly string[];
  readonly last_login_at: Date | null;
  readonly tenant_id: string | null;
  readonly tenant_name: string | null;
  readonly member_id: string | null;
  readonly role: MemberRole | null;
  readonly status: string | null;
}

/** The session in which somebody acts in their own name. */
export interface OwnSession {
  readonly userId: string;
  readonly sessionId: string;
}

export interface NewPerson {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly memberId: string;
}

export interface AcceptedInvitation {
  readonly outcome: 'accepted' | 'unknown' | 'other_person' | 'sign_in_required';
  readonly tenant_id: string | null;
  readonly member_id: string | null;
}

/** People and their passwords, through the functions that may reach them. */
@Injectable()
export class PeopleRepository {
  constructor(private readonly database: TenantTransaction) {}

  async find(email: string): Promise<Account | null> {
    const [account] = await this.database.withoutTenant<Account>('select * from find_account($1)', [email]);
    return account ?? null;
  }

  /** One row per tenant, or one without a tenant. */
  describe(userId: string): Promise<PersonRow[]> {
    return this.database.withoutTenant<PersonRow>('select * from describe_person($1)', [userId]);
  }

  /** That wait for the person's confirmed address; none while it is not confirmed. */
  invitationsOf(userId: string, now: Date): Promise<OwnInvitationRecord[]> {
    return this.database.withoutTenant<OwnInvitationRecord>('select * from invitations_of_person($1, $2)', [userId, now]);
  }

  /** False when the address is taken. */
  signUp({ userId, email, name, tenantId, tenantName, memberId }: NewPerson, passwordHash: string, now: Date, origin: RequestOrigin): Promise<boolean> {
    return this.asks('sign_up($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
      userId, email, name, passwordHash, tenantId, tenantName, memberId, now, origin.requestId, origin.address,
    ]);
  }

  /** Counts a wrong password; too many in a row lock the account for a while. */
  async recordFailure(userId: string, now: Date, origin: RequestOrigin): Promise<void> {
    await this.database.withoutTenant('select record_login_failure($1, $2, $3, $4, $5, $6)', [
      userId, FAILURES_BEFORE_LOCK, new Date(now.getTime() + LOCK_MS), now, origin.requestId, origin.address,
    ]);
  }

  async keepLink(hash: Buffer, userId: string, detail: object, expires: Date, now: Date): Promise<void> {
    await this.database.withoutTenant(`select keep_one_time_token($1, 'link_identity', $2, $3, $4, $5)`, [hash, userId, JSON.stringify(detail), expires, now]);
  }

  /** Whom to write to, or null when the address is confirmed, or five mails were sent in a day. */
  async beginVerification(userId: string, hash: Buffer, expires: Date, now: Date): Promise<{ email: string; name: string } | null> {
    const [person] = await this.database.withoutTenant<{ email: string; name: string }>('select * from begin_email_verification($1, $2, $3, $4)', [userId, hash, expires, now]);
    return person ?? null;
  }

  /** Where the token of a mail was sent; null when it is worth nothing. */
  async addressOfToken(hash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.database.withoutTenant<{ email: string | null }>('select address_of_token($1, $2) as email', [hash, now]);
    return row?.email ?? null;
  }

  /** Null when the session has ended meanwhile. */
  async foundTenant(
    { userId, sessionId }: OwnSession, { tenantId, name, memberId }: { tenantId: string; name: string; memberId: string }, limit: number, now: Date, origin: RequestOrigin,
  ): Promise<'founded' | 'unconfirmed' | 'too_many' | null> {
    const [row] = await this.database.withoutTenant<{ outcome: 'founded' | 'unconfirmed' | 'too_many' | null }>(
      'select case when hold_session($1, $9, $6) then found_own_tenant($1, $2, $3, $4, $5, $6, $7, $8) end as outcome',
      [userId, tenantId, name, memberId, limit, now, origin.requestId, origin.address, sessionId],
    );
    return row?.outcome ?? null;
  }

  verifyEmail(hash: Buffer, now: Date, origin: RequestOrigin): Promise<boolean> {
    return this.asks('verify_email($1, $2, $3, $4)', [hash, now, origin.requestId, origin.address]);
  }

  /** The person to write to, or null when nobody has the address, or five mails were sent in a day and the link of one is good still. */
  async beginReset(email: string, hash: Buffer, expires: Date, now: Date): Promise<{ email: string; name: string } | null> {
    const [person] = await this.database.withoutTenant<{ email: string; name: string }>('select * from begin_password_reset($1, $2, $3, $4)', [email, hash, expires, now]);
    return person ?? null;
  }

  resetPassword(hash: Buffer, passwordHash: string, now: Date, origin: RequestOrigin): Promise<boolean> {
    return this.asks('reset_password($1, $2, $3, $4, $5)', [hash, passwordHash, now, origin.requestId, origin.address]);
  }

  /** False when the session has ended meanwhile. */
  async rename({ userId, sessionId }: OwnSession, name: string, now: Date, origin: RequestOrigin): Promise<boolean> {
    const [row] = await this.database.withoutTenant<{ done: string | null }>('select case when hold_session($1, $6, $3) then rename_person($1, $2, $3, $4, $5)::text end as done', [
      userId, name, now, origin.requestId, origin.address, sessionId,
    ]);
    return (row?.done ?? null) !== null;
  }

  /** Ends every session but this one; false when it has ended itself, or the account was changed meanwhile. */
  changePassword(
    { userId, sessionId, tokenVersion }: { readonly userId: string; readonly sessionId: string; readonly tokenVersion: number }, passwordHash: string, now: Date, origin: RequestOrigin,
  ): Promise<boolean> {
    return this.asks('change_password($1, $2, $3, $4, $5, $6, $7)', [userId, sessionId, tokenVersion, passwordHash, now, origin.requestId, origin.address]);
  }

  /** Null when the token is worth nothing. */
  async lookAtInvitation(hash: Buffer, now: Date): Promise<InvitationRecord | null> {
    const [invitation] = await this.database.withoutTenant<InvitationRecord>('select * from look_at_invitation($1, $2)', [hash, now]);
    return invitation ?? null;
  }

  /** Makes the signed-in person a member; null when the session has ended meanwhile. */
  async acceptInvitation(hash: Buffer, { userId, sessionId }: OwnSession, now: Date, origin: RequestOrigin): Promise<AcceptedInvitation | null> {
    // Without a hash there is no invitation: what the session may not do any more is not done.
    const [answer] = await this.database.withoutTenant<AcceptedInvitation & { held: boolean }>(
      `select h.held, a.* from (select hold_session($2, $6, $3)) as h (held), accept_invitation(case when h.held then $1::bytea end, $2, null, null, $3, $4, $5) as a`,
      [hash, userId, now, origin.requestId, origin.address, sessionId],
    );
    return answer?.held === true ? answer : null;
  }

  /** Makes a person of whoever was invited and has no account yet, and a member. */
  async acceptAsNewcomer(hash: Buffer, { userId, name, passwordHash }: { userId: string; name: string; passwordHash: string }, now: Date, origin: RequestOrigin): Promise<AcceptedInvitation> {
    const [answer] = await this.database.withoutTenant<AcceptedInvitation>('select * from accept_invitation($1, $2, $3, $4, $5, $6, $7)', [
      hash, userId, name, passwordHash, now, origin.requestId, origin.address,
    ]);
    return answer ?? { outcome: 'unknown', tenant_id: null, member_id: null };
  }

  private async asks(call: string, parameters: readonly unknown[]): Promise<boolean> {
    const [row] = await this.database.withoutTenant<{ done: boolean }>(`select ${call} as done`, parameters);
    return row?.done === true;
  }
}
