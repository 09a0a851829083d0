import { DomainError } from '../../../shared/domain-error.js';
import { MEMBER_ROLES, type MemberRole } from '../../../shared/tenant-context.js';

/**
 * Who may do what to whom among the members of a tenant (decisions, section 6):
 * only owners touch owners, nobody raises or resumes themselves, not by a key of
 * theirs either, and a tenant never loses its last owner. That the caller may touch members at all is the route's
 * permission.
 */
export interface Actor {
  /** The role as the database holds it now, under the lock of the change. */
  readonly role: MemberRole | 'api_key' | 'platform_admin';
  /** The actor's own place in the tenant, that of a key being its maker's; null for the platform, and keys whose maker has none. */
  readonly memberId: string | null;
  /** Of the maker of a key that acts: such a key neither removes, invites nor raises its maker. Null for all others. */
  readonly makersAddress: string | null;
}

export type MemberStatus = 'invited' | 'active' | 'suspended';
export const MEMBER_STATUSES = ['invited', 'active', 'suspended'] as const satisfies readonly MemberStatus[];

export interface Member {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly role: MemberRole;
  readonly status: MemberStatus;
}

/** @throws DomainError FORBIDDEN when the actor may not give the role */
export function requireMayGive(actor: Actor, role: MemberRole): void {
  if (role === 'tenant_owner') requireOwner(actor);
}

/** @throws DomainError FORBIDDEN when the member is out of the actor's reach */
export function requireMayTouch(actor: Actor, member: Member): void {
  if (member.role === 'tenant_owner') requireOwner(actor);
}

/** @throws DomainError FORBIDDEN when somebody would raise themselves */
export function requireNoRise(actor: Actor, member: Member, role: MemberRole): void {
  if (rank(role) >= rank(member.role)) return;
  if (actor.memberId === member.id || actor.makersAddress === member.email) throw new DomainError('FORBIDDEN', { reason: 'own_role' });
}

/**
 * A person who is shut out has no session there, but perhaps a key that they made before.
 * @throws DomainError FORBIDDEN when somebody would let themselves in again
 */
export function requireNoOwnReturn(actor: Actor, member: Member): void {
  if (actor.memberId === member.id) throw new DomainError('FORBIDDEN', { reason: 'own_role' });
}

/**
 * A key that removed its maker would not be known for theirs any more.
 * @throws DomainError FORBIDDEN when a key of the member's acts, or of whoever is invited anew
 */
export function requireNotOfTheirs(actor: Actor, member: Member): void {
  if (actor.role === 'api_key' && actor.memberId === member.id) throw new DomainError('FORBIDDEN', { reason: 'own_key' });
  requireNotTheirMaker(actor, member.email);
}

/**
 * Who was removed has no place there, perhaps an invitation: the key knows its maker by the address.
 * @throws DomainError FORBIDDEN when a key would invite whoever made it
 */
export function requireNotTheirMaker(actor: Actor, address: string): void {
  if (actor.makersAddress === address) throw new DomainError('FORBIDDEN', { reason: 'own_key' });
}

/**
 * @param otherOwners active owners besides the member, whose accounts are open
 * @throws DomainError INVALID_STATE when the tenant would be left without an owner
 */
export function requireOwnerLeft(member: Member, otherOwners: number): void {
  if (member.role === 'tenant_owner' && member.status === 'active' && otherOwners === 0) {
    throw new DomainError('INVALID_STATE', { reason: 'last_owner', status: member.status, allowed_actions: ['make_another_owner'] });
  }
}

/** What may be done with a member by the state it is in. */
const ACTIONS: Readonly<Record<MemberStatus, readonly string[]>> = {
  invited: ['change_role', 'reinvite', 'remove'],
  active: ['change_role', 'suspend', 'remove'],
  suspended: ['change_role', 'resume', 'remove'],
};

/** @throws DomainError INVALID_STATE naming the state and what it allows */
export function requireStatus(member: Member, status: MemberStatus): void {
  if (member.status !== status) throw new DomainError('INVALID_STATE', { status: member.status, allowed_actions: ACTIONS[member.status] });
}

const rank = (role: MemberRole): number => MEMBER_ROLES.indexOf(role);

function requireOwner(actor: Actor): void {
  if (actor.role !== 'tenant_owner' && actor.role !== 'platform_admin') throw new DomainError('FORBIDDEN', { reason: 'owners_only' });
}
