import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditEntry, AuditTrail } from '../../../platform/audit/audit-trail.js';
import { lockTenant } from '../../../platform/database/lock-tenant.js';
import { requireCredential } from '../../../platform/database/standing-credential.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { refuseDuplicates } from '../../../platform/database/unique-violation.js';
import { isAllowed, type Permission } from '../../../platform/security/permissions.js';
import { DomainError } from '../../../shared/domain-error.js';
import { found } from '../../../shared/found.js';
import type { MemberRole, TenantContext } from '../../../shared/tenant-context.js';
import type { Actor, Member } from '../domain/authority.js';
import type { MemberRecord } from '../members.responses.js';

export interface Invitation {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

export interface NewMember extends Invitation {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly role: MemberRole;
}

/** What is to become of a member, and the line of the audit log for it. */
export interface MemberChange {
  readonly set: { readonly role?: MemberRole; readonly status?: 'active' | 'suspended'; readonly invitation?: Invitation } | 'remove' | 'remove_with_keys' | 'remove_and_close';
  readonly entry: Pick<AuditEntry, 'action' | 'detail'>;
}

/** A member, who acts on it, how many active owners the tenant has besides whose accounts are open, and whether it has anything: all under the tenant's lock. */
export interface Standing {
  readonly actor: Actor;
  readonly member: Member;
  readonly otherOwners: number;
  /** The tenant has no other member, not even an invited one, and no issuer, so that it never issued anything. */
  readonly isAlone: boolean;
}

/** Members of a tenant. Changes of one tenant happen one after the other, so that what is judged is what is changed. */
@Injectable()
export class MembersRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Adds a member who is invited.
   * @param judge throws when the actor may not
   * @throws DomainError ALREADY_EXISTS when the tenant has a member of this address
   */
  async invite(tenant: TenantContext, invited: NewMember, judge: (actor: Actor) => void, now: Date): Promise<MemberRecord> {
    return refuseDuplicates('email', () =>
      this.database.run(tenant.tenantId, async (manager) => {
        if (!(await lockTenant(manager, tenant.tenantId))) throw new DomainError('NOT_FOUND');
        judge(await actorOf(manager, tenant));
        await requireCredential(manager, tenant, now);
        await refuseFlood(manager, tenant, invited.email, now);
        await manager.query(
          `insert into members (tenant_id, id, email, role, status, invited_at, invited_by, invitation_hash, invitation_expires_at, created_at, updated_at)
           values ($1, $2, $3, $4, 'invited', $5, $6, $7, $8, $5, $5)`,
          [tenant.tenantId, invited.id, invited.email, invited.role, now, tenant.principal.id, invited.hash, invited.expiresAt],
        );
        await this.audit.record(
          manager, tenant, { action: 'member.invited', target: { kind: 'member', id: invited.id }, detail: { email: invited.email, role: invited.role } }, now,
        );
        return found(await card(manager, tenant.tenantId, invited.id));
      }),
    );
  }

  /**
   * Changes or removes a member as `decide` says; a decision of null leaves everything as it is.
   * @param demands what the actor's role must allow; null where people give up their own place, for which no right is needed
   * @returns the member afterwards; null when it was removed
   * @throws DomainError NOT_FOUND, and what `decide` throws
   */
  async change(
    tenant: TenantContext, memberId: string, decide: (standing: Standing) => MemberChange | null, now: Date, demands: Permission | null = 'members:write',
  ): Promise<MemberRecord | null> {
    return this.database.run(tenant.tenantId, async (manager) => {
      if (!(await lockTenant(manager, tenant.tenantId))) throw new DomainError('NOT_FOUND');
      const standing = await standingOf(manager, tenant, memberId, demands);
      await requireCredential(manager, tenant, now);
      const decision = decide(standing);
      if (decision !== null) {
        if (typeof decision.set === 'object' && decision.set.invitation !== undefined) await refuseFlood(manager, tenant, standing.member.email, now);
        // The line first: who leaves acts no longer afterwards.
        await this.audit.record(manager, tenant, { ...decision.entry, target: { kind: 'member', id: memberId } }, now);
        if (decision.set === 'remove_with_keys') await this.revokeKeysOf(manager, tenant, memberId, now);
        if (decision.set === 'remove_and_close') await this.audit.record(manager, tenant, { action: 'tenant.deactivated', target: { kind: 'tenant', id: tenant.tenantId } }, now);
        await apply(manager, tenant, memberId, decision.set, now);
      }
      return card(manager, tenant.tenantId, memberId);
    });
  }

  /** Whether the person is suspended in a tenant that is open: no stranger there, and shut out all the same. */
  async isSuspended(userId: string, tenantId: string): Promise<boolean> {
    const [place] = await this.database.withoutTenant<{ status: string }>('select status from describe_person($1) where tenant_id = $2', [userId, tenantId]);
    return place?.status === 'suspended';
  }

  /**
   * Each with its line in the audit log, all lines first: a key may be the one that acts. Who is invited is known by the address
   * alone, and may have made keys in a place they had before.
   */
  private async revokeKeysOf(manager: EntityManager, tenant: TenantContext, memberId: string, now: Date): Promise<void> {
    const keys = await manager.query<{ id: string; name: string; prefix: string }[]>(
      `select k.id, k.name, k.prefix from api_keys k join members m on m.tenant_id = k.tenant_id
       where k.tenant_id = $1 and m.id = $2 and k.revoked_at is null
         and (k.created_by = m.user_id or m.user_id is null and m.email = any (select p.email from describe_person(k.created_by) p))
       order by k.id for no key update of k`,
      [tenant.tenantId, memberId],
    );
    for (const { id, ...detail } of keys) await this.audit.record(manager, tenant, { action: 'api_key.revoked', target: { kind: 'api_key', id }, detail }, now);
    await manager.query('update api_keys set revoked_at = $3 where tenant_id = $1 and id = any ($2)', [tenant.tenantId, keys.map(({ id }) => id), now]);
  }

  /** A page, newest first. */
  async list(tenantId: string, limit: number, offset: number): Promise<{ rows: MemberRecord[]; total: number }> {
    return this.database.run(tenantId, async (manager) => {
      const rows = await manager.query<MemberRecord[]>(
        `${CARDS} order by c.invited_at desc, c.member_id desc limit $2 offset $3`,
        [tenantId, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>('select count(*)::int as total from members where tenant_id = $1', [tenantId]);
      return { rows, total: counted?.total ?? 0 };
    });
  }
}

/** Members as they are answered. */
const CARDS =
  'select m.tenant_id, c.*, m.invitation_expires_at from member_cards($1) c join members m on m.tenant_id = $1 and m.id = c.member_id';

/** Mails that a tenant may have sent to strangers in a day: in all, in all while whoever invites has not confirmed an address, and to one address. */
const INVITATIONS_PER_DAY = { tenant: 200, unconfirmed: 5, member: 5 } as const;
/** Mails that all tenants may together have sent to one address in a day: in all, and where those who invite have not confirmed an address. */
const TO_ONE_ADDRESS_PER_DAY = { all: 20, unconfirmed: 2 } as const;
const DAY_MS = 86_400_000;

/** What the refusal says besides to who has not confirmed an address. */
const CONFIRM_FIRST = { reason: 'email_unconfirmed', lifted_by: 'POST /auth/email/verify' } as const;

/** A bound to invitations that a mail would exceed. */
interface ExceededBound {
  /** Whose mails it counts: the tenant's, the tenant's to one member, or those of all tenants to one address. */
  readonly of: 'tenant' | 'member' | 'address';
  readonly limit: number;
  readonly hints: Readonly<Record<string, string>>;
  /** When there is room for another. */
  readonly roomAt: Date;
}

/**
 * An invitation is a mail to somebody who did not ask for it, so there are bounds to them: of the tenant, and of all tenants
 * together, for whoever signs up again and again has many. The refusal does not tell who else invited.
 * @throws DomainError RATE_LIMITED
 */
async function refuseFlood(manager: EntityManager, tenant: TenantContext, email: string, now: Date): Promise<void> {
  const confirmed = await isConfirmed(manager, tenant);
  const exceeded = (await exceededByTenant(manager, tenant, email, confirmed, now)) ?? (await exceededByAll(manager, email, confirmed, now));
  if (exceeded === null) return;
  const { of, limit, hints, roomAt } = exceeded;
  const retryAfter = Math.ceil((roomAt.getTime() - now.getTime()) / 1_000);
  throw new DomainError('RATE_LIMITED', { limit, limits: 'invitations', window_seconds: DAY_MS / 1_000, invitations_of: of, ...hints, retry_after_seconds: Math.max(1, retryAfter) });
}

/** The log counts also those that were taken back since: an address is the same one however often it is removed and invited. */
async function exceededByTenant(manager: EntityManager, { tenantId }: TenantContext, email: string, confirmed: boolean, now: Date): Promise<ExceededBound | null> {
  const ofAll = confirmed ? { limit: INVITATIONS_PER_DAY.tenant, hints: {} } : { limit: INVITATIONS_PER_DAY.unconfirmed, hints: CONFIRM_FIRST };
  const bounds = [{ of: 'tenant', to: null, ...ofAll }, { of: 'member', to: email, limit: INVITATIONS_PER_DAY.member, hints: {} }] as const;
  for (const { of, to, limit, hints } of bounds) {
    // The mail that must be a day old before there is room for another.
    const [oldest] = await manager.query<{ at: Date }[]>(
      `select at from audit_log where tenant_id = $1 and action in ('member.invited', 'member.reinvited') and at > $2 and ($3::text is null or detail ->> 'email' = $3)
       order by at desc offset $4 limit 1`,
      [tenantId, new Date(now.getTime() - DAY_MS), to, limit - 1],
    );
    if (oldest !== undefined) return { of, limit, hints, roomAt: new Date(oldest.at.getTime() + DAY_MS) };
  }
  return null;
}

/** Counts the mail as well, unless it is one too many. */
async function exceededByAll(manager: EntityManager, email: string, confirmed: boolean, now: Date): Promise<ExceededBound | null> {
  const { all, unconfirmed } = TO_ONE_ADDRESS_PER_DAY;
  const [bound] = await manager.query<{ exceeded: number; room_at: Date }[]>('select * from note_invitation($1, $2, $3, $4, $5)', [email, confirmed, all, unconfirmed, now]);
  if (bound === undefined) return null;
  return { of: 'address', limit: bound.exceeded, hints: bound.exceeded === unconfirmed ? CONFIRM_FIRST : {}, roomAt: bound.room_at };
}

/** Whether the actor has proved an address. A key has none: an owner has to, unless the tenant's owners have no account yet, so that an operator made the key. */
async function isConfirmed(manager: EntityManager, { tenantId, principal }: TenantContext): Promise<boolean> {
  const [actor] =
    principal.kind === 'user'
      ? await manager.query<{ confirmed: boolean }[]>('select bool_or(email_verified) as confirmed from describe_person($1)', [principal.id])
      : await manager.query<{ confirmed: boolean }[]>(
          `select coalesce(bool_or(p.email_verified), true) as confirmed from members m cross join lateral describe_person(m.user_id) p
           where m.tenant_id = $1 and m.role = 'tenant_owner' and m.status = 'active'`,
          [tenantId],
        );
  return actor?.confirmed === true;
}

/** The actor as the database knows it now: a change that was waited for may have taken its rights away. */
async function actorOf(manager: EntityManager, { tenantId, principal }: TenantContext, demands: Permission | null = 'members:write'): Promise<Actor> {
  if (principal.kind === 'api_key') {
    const [key] = await manager.query<{ revoked: boolean; maker: string | null; address: string | null }[]>(
      `select k.revoked_at is not null as revoked, m.id as maker, (select p.email from describe_person(k.created_by) p limit 1) as address
       from api_keys k left join members m on m.tenant_id = k.tenant_id and m.user_id = k.created_by
       where k.tenant_id = $1 and k.id = $2`,
      [tenantId, principal.id],
    );
    if (key?.revoked !== false) throw new DomainError('UNAUTHENTICATED');
    return { role: 'api_key', memberId: key.maker, makersAddress: key.address };
  }
  if (principal.memberId === null) return { role: principal.role, memberId: null, makersAddress: null };
  const [own] = await manager.query<{ role: MemberRole }[]>(
    `select role from members where tenant_id = $1 and id = $2 and user_id = $3 and status = 'active'`, [tenantId, principal.memberId, principal.id],
  );
  // A place of one's own that ended meanwhile is no longer there to be given up.
  if (demands === null) return { role: found(own).role, memberId: principal.memberId, makersAddress: null };
  if (own === undefined || !isAllowed(own.role, demands)) throw new DomainError('FORBIDDEN', { permission: demands });
  return { role: own.role, memberId: principal.memberId, makersAddress: null };
}

/** Who accepts an invitation holds the member and not the tenant: it is waited for, and the member read as it is then. */
async function standingOf(manager: EntityManager, tenant: TenantContext, memberId: string, demands: Permission | null): Promise<Standing> {
  const [member] = await manager.query<Member[]>('select id, email, role, status from members where tenant_id = $1 and id = $2 for update', [tenant.tenantId, memberId]);
  const actor = await actorOf(manager, tenant, demands);
  const [left] = await manager.query<{ owners: number; alone: boolean }[]>(
    `select count(*) filter (where role = 'tenant_owner' and status = 'active' and has_open_account(user_id))::int as owners,
       count(*) = 0 and not exists (select from issuers i where i.tenant_id = $1) as alone
     from members where tenant_id = $1 and id <> $2`,
    [tenant.tenantId, memberId],
  );
  return { actor, member: found(member), otherOwners: left?.owners ?? 0, isAlone: left?.alone === true };
}

async function apply(manager: EntityManager, { tenantId }: TenantContext, memberId: string, set: MemberChange['set'], now: Date): Promise<void> {
  if (typeof set === 'string') {
    await manager.query('delete from members where tenant_id = $1 and id = $2', [tenantId, memberId]);
    if (set === 'remove_and_close') await manager.query('select close_deserted_tenant($1)', [tenantId]);
    return;
  }
  const { role = null, status = null, invitation } = set;
  await manager.query(
    `update members set role = coalesce($3, role), status = coalesce($4, status), invitation_hash = coalesce($5, invitation_hash),
       invitation_expires_at = coalesce($6, invitation_expires_at), updated_at = $7
     where tenant_id = $1 and id = $2`,
    [tenantId, memberId, role, status, invitation?.hash ?? null, invitation?.expiresAt ?? null, now],
  );
}

async function card(manager: EntityManager, tenantId: string, memberId: string): Promise<MemberRecord | null> {
  const [row] = await manager.query<MemberRecord[]>(`${CARDS} where c.member_id = $2`, [tenantId, memberId]);
  return row ?? null;
}
