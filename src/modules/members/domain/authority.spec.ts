import { DomainError } from '../../../shared/domain-error.js';
import { MEMBER_ROLES } from '../../../shared/tenant-context.js';
import { type Actor, type Member, MEMBER_STATUSES, requireMayGive, requireMayTouch, requireNoOwnReturn, requireNoRise, requireNotOfTheirs, requireNotTheirMaker, requireOwnerLeft, requireStatus } from './authority.js';

const ACTORS = [...MEMBER_ROLES, 'api_key', 'platform_admin'] as const;
const actor = (role: Actor['role'], memberId: string | null = 'me', makersAddress: string | null = null): Actor => ({ role, memberId, makersAddress });
const member = (over: Partial<Member> = {}): Member => ({ id: 'somebody', email: 'somebody@b.ec', role: 'viewer', status: 'active', ...over });

/** Code and reason of the refusal, or null. */
function refusal(act: () => void): unknown {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [error.code, (error.detail as { reason?: string }).reason ?? null];
  }
}

describe('authority over members', () => {
  const pairs = ACTORS.flatMap((role) => MEMBER_ROLES.map((other): [Actor['role'], Member['role']] => [role, other]));

  it.each(pairs)('%s reaches and makes a %s only if it is no owner, or an owner does it', (role, other) => {
    const expected = other !== 'tenant_owner' || role === 'tenant_owner' || role === 'platform_admin' ? null : ['FORBIDDEN', 'owners_only'];
    expect(refusal(() => requireMayTouch(actor(role), member({ role: other })))).toEqual(expected);
    expect(refusal(() => requireMayGive(actor(role), other))).toEqual(expected);
  });

  it('lets nobody raise themselves, anybody step down, and others rise', () => {
    const me = member({ id: 'me', role: 'tenant_admin' });
    expect(refusal(() => requireNoRise(actor('tenant_admin'), me, 'tenant_owner'))).toEqual(['FORBIDDEN', 'own_role']);
    expect(refusal(() => requireNoRise(actor('tenant_admin'), me, 'tenant_admin'))).toBeNull();
    expect(refusal(() => requireNoRise(actor('tenant_admin'), me, 'viewer'))).toBeNull();
    expect(refusal(() => requireNoRise(actor('tenant_admin'), member(), 'tenant_admin'))).toBeNull();
    // Removed and invited anew, whoever made a key has a place that the key does not know for theirs.
    const again = member({ email: 'a@b.ec', role: 'accountant', status: 'invited' });
    expect(refusal(() => requireNoRise(actor('api_key', null, 'a@b.ec'), again, 'tenant_admin'))).toEqual(['FORBIDDEN', 'own_role']);
    expect(refusal(() => requireNoRise(actor('api_key', null, 'a@b.ec'), again, 'viewer'))).toBeNull();
    expect(refusal(() => requireNoRise(actor('api_key', null, 'c@b.ec'), again, 'tenant_admin'))).toBeNull();
  });

  it('lets nobody resume themselves by a key of theirs', () => {
    expect(refusal(() => requireNoOwnReturn(actor('api_key'), member({ id: 'me', status: 'suspended' })))).toEqual(['FORBIDDEN', 'own_role']);
    for (const by of ['other', null]) expect(refusal(() => requireNoOwnReturn(actor('api_key', by), member({ id: 'me', status: 'suspended' })))).toBeNull();
  });

  it('lets no key remove or invite who made it, and anybody leave', () => {
    expect(refusal(() => requireNotOfTheirs(actor('api_key'), member({ id: 'me' })))).toEqual(['FORBIDDEN', 'own_key']);
    for (const [by, whose] of [[actor('api_key', null), 'me'], [actor('api_key'), 'other'], [actor('tenant_admin'), 'me']] as const) expect(refusal(() => requireNotOfTheirs(by, member({ id: whose })))).toBeNull();
    expect(refusal(() => requireNotOfTheirs(actor('api_key', null, 'a@b.ec'), member({ email: 'a@b.ec' })))).toEqual(['FORBIDDEN', 'own_key']);
    expect(refusal(() => requireNotTheirMaker(actor('api_key', null, 'a@b.ec'), 'a@b.ec'))).toEqual(['FORBIDDEN', 'own_key']);
    for (const by of [actor('api_key', null, 'c@b.ec'), actor('tenant_owner')]) expect(refusal(() => requireNotTheirMaker(by, 'a@b.ec'))).toBeNull();
  });

  it('keeps one active owner', () => {
    const owner = member({ role: 'tenant_owner' });
    expect(refusal(() => requireOwnerLeft(owner, 0))).toEqual(['INVALID_STATE', 'last_owner']);
    expect(refusal(() => requireOwnerLeft(owner, 1))).toBeNull();
    expect(refusal(() => requireOwnerLeft(member(), 0))).toBeNull();
    expect(refusal(() => requireOwnerLeft(member({ role: 'tenant_owner', status: 'invited' }), 0))).toBeNull();
  });

  it.each(MEMBER_STATUSES)('knows what a member that is %s allows', (status) => {
    for (const wanted of MEMBER_STATUSES) {
      expect(refusal(() => requireStatus(member({ status }), wanted))).toEqual(wanted === status ? null : ['INVALID_STATE', null]);
    }
  });
});
