import { MEMBER_ROLES } from '../../shared/tenant-context.js';

/**
 * Who may do what: the one table of the service (decisions, section 6). A route
 * names one permission; a principal's role holds it or not.
 */
export const ROLES = [...MEMBER_ROLES, 'api_key', 'platform_admin'] as const;
export type Role = (typeof ROLES)[number];

const table = {
  //                   owner  admin  billing accountant viewer api_key platform
  'tenant:read':      [true,  true,  true,   true,      true,  true,   true],
  'documents:read':   [true,  true,  true,   true,      true,  true,   true],
  'documents:issue':  [true,  true,  true,   false,     false, true,   true],
  'documents:operate':[true,  true,  true,   true,      false, true,   true],
  'issuers:read':     [true,  true,  true,   true,      true,  true,   true],
  'issuers:write':    [true,  true,  false,  false,     false, true,   true],
  'buyers:read':      [true,  true,  true,   true,      true,  true,   true],
  'buyers:write':     [true,  true,  true,   true,      false, true,   true],
  'products:read':    [true,  true,  true,   true,      true,  true,   true],
  'products:write':   [true,  true,  true,   true,      false, true,   true],
  'exports:read':     [true,  true,  true,   true,      false, true,   true],
  'events:read':      [true,  true,  true,   true,      true,  true,   true],
  'webhooks:read':    [true,  true,  true,   true,      true,  true,   true],
  'webhooks:write':   [true,  true,  false,  false,     false, true,   true],
  'members:read':     [true,  true,  true,   true,      true,  true,   true],
  'members:write':    [true,  true,  false,  false,     false, true,   true],
  'api_keys:write':   [true,  true,  false,  false,     false, true,   true],
  'audit:read':       [true,  true,  true,   true,      true,  true,   true],
  'tenant:write':     [true,  false, false,  false,     false, false,  true],
  'platform:read':    [false, false, false,  false,     false, false,  true],
  'platform:write':   [false, false, false,  false,     false, false,  true],
} as const satisfies Record<string, readonly [boolean, boolean, boolean, boolean, boolean, boolean, boolean]>;

export type Permission = keyof typeof table;

export const PERMISSIONS = Object.keys(table) as Permission[];

/** Routes of tenants demand a permission; those of people demand none, and those of the platform its own. */
export const isOfTenant = (permission: unknown): boolean => typeof permission === 'string' && !permission.startsWith('platform:');

/** True when the role holds the permission. */
export function isAllowed(role: Role, permission: Permission): boolean {
  return table[permission][ROLES.indexOf(role)] ?? false;
}
