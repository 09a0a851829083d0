/**
 * Who may do what: the one table of the service (decisions, section 6). A route
 * names one permission; a principal's role holds it or not. Today every caller is
 * an API key; the other rows apply to members from the day they can sign in.
 */
export const ROLES = ['tenant_owner', 'tenant_admin', 'billing_operator', 'accountant', 'viewer', 'api_key'] as const;
export type Role = (typeof ROLES)[number];

const table = {
  //                   owner  admin  billing accountant viewer api_key
  'tenant:read':      [true,  true,  true,   true,      true,  true],
  'documents:read':   [true,  true,  true,   true,      true,  true],
  'documents:issue':  [true,  true,  true,   false,     false, true],
  'documents:operate':[true,  true,  true,   true,      false, true],
  'issuers:read':     [true,  true,  true,   true,      true,  true],
  'issuers:write':    [true,  true,  false,  false,     false, true],
  'buyers:read':      [true,  true,  true,   true,      true,  true],
  'buyers:write':     [true,  true,  true,   true,      false, true],
  'products:read':    [true,  true,  true,   true,      true,  true],
  'products:write':   [true,  true,  true,   true,      false, true],
  'exports:read':     [true,  true,  true,   true,      false, true],
  'webhooks:read':    [true,  true,  true,   true,      true,  true],
  'webhooks:write':   [true,  true,  false,  false,     false, true],
  'members:read':     [true,  true,  true,   true,      true,  true],
  'members:write':    [true,  true,  false,  false,     false, true],
  'api_keys:write':   [true,  true,  false,  false,     false, true],
  'tenant:write':     [true,  false, false,  false,     false, false],
} as const satisfies Record<string, readonly [boolean, boolean, boolean, boolean, boolean, boolean]>;

export type Permission = keyof typeof table;

export const PERMISSIONS = Object.keys(table) as Permission[];

/** True when the role holds the permission. */
export function isAllowed(role: Role, permission: Permission): boolean {
  return table[permission][ROLES.indexOf(role)] ?? false;
}
