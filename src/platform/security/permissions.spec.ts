import { isAllowed, type Permission, PERMISSIONS, type Role, ROLES } from './permissions.js';

/** The table of the decisions, section 6, by hand: who holds what. */
const HOLDERS: Record<string, { permissions: Permission[]; roles: Role[] }> = {
  'read everything': {
    permissions: ['tenant:read', 'documents:read', 'issuers:read', 'buyers:read', 'products:read', 'events:read', 'webhooks:read', 'members:read', 'audit:read'],
    roles: ['tenant_owner', 'tenant_admin', 'billing_operator', 'accountant', 'viewer', 'api_key'],
  },
  issue: { permissions: ['documents:issue'], roles: ['tenant_owner', 'tenant_admin', 'billing_operator', 'api_key'] },
  'mend, write buyers and products, export': {
    permissions: ['documents:operate', 'buyers:write', 'products:write', 'exports:read'],
    roles: ['tenant_owner', 'tenant_admin', 'billing_operator', 'accountant', 'api_key'],
  },
  'set up': { permissions: ['issuers:write', 'webhooks:write', 'members:write', 'api_keys:write'], roles: ['tenant_owner', 'tenant_admin', 'api_key'] },
  own: { permissions: ['tenant:write'], roles: ['tenant_owner'] },
  'run the platform': { permissions: ['platform:read', 'platform:write'], roles: [] },
};

describe('the permission table', () => {
  const cells = Object.values(HOLDERS).flatMap(({ permissions, roles }) =>
    permissions.flatMap((permission) => ROLES.map((role): [Role, Permission, boolean] => [role, permission, role === 'platform_admin' || roles.includes(role)])),
  );

  it.each(cells)('%s, %s: %p', (role, permission, allowed) => {
    expect(isAllowed(role, permission)).toBe(allowed);
  });

  it('is covered whole by this specification', () => {
    expect(new Set(cells.map(([, permission]) => permission))).toEqual(new Set(PERMISSIONS));
  });
});
