import { METHODS } from '../platform/openapi/description.js';
import { type Permission, PERMISSIONS, isAllowed, type Role, ROLES } from '../platform/security/permissions.js';
import { generatedFrom, table } from './markdown.js';

/** The parts of the API's description that this page reads. */
export interface DescribedApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const TITLE: Readonly<Record<Role, string>> = {
  tenant_owner: 'owner',
  tenant_admin: 'admin',
  billing_operator: 'billing',
  accountant: 'accountant',
  viewer: 'viewer',
  api_key: 'API key',
  platform_admin: 'platform',
};

/** `docs/access.md`: who may do what, and which permission every route demands. */
export function accessPage(api: DescribedApi): string {
  const routes = routesOf(api);
  const of = (demand: string): string => routes.filter((route) => route.demand === demand).map(({ name }) => `\`${name}\``).join('<br>');
  const holders = (permission: Permission): string[] => ROLES.map((role) => (isAllowed(role, permission) ? 'yes' : ''));
  return [
    generatedFrom('Access', '`src/platform/security/permissions.ts` and the routes'),
    'Every route demands one permission; a role holds it or not. Members of a tenant have one role; an API key has that of',
    'its kind. `platform_admin` acts in a tenant only where the call names it in `X-Tenant-Id`, and the audit log of the',
    'tenant shows it. Beyond the table: only owners touch owners, nobody raises or resumes themselves, not even by a key that',
    'they made, no key removes or invites whoever made it (`own_key`), who is active may leave, and a tenant keeps one owner whose account is open,',
    'unless that owner leaves it with no other member and no issuer in it, which closes it.',
    '',
    table(['permission', ...ROLES.map((role) => TITLE[role])], PERMISSIONS.map((permission) => [`\`${permission}\``, ...holders(permission)])),
    '',
    '## Routes',
    '',
    table(['permission', 'routes'], [
      ...PERMISSIONS.filter((permission) => of(permission) !== '').map((permission) => [`\`${permission}\``, of(permission)]),
      ['any signed-in person', of('signed_in')],
      ['none', of('public')],
    ]),
    '',
  ].join('\n');
}

function routesOf(api: DescribedApi): readonly { name: string; demand: string }[] {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({ name: `${method.toUpperCase()} ${path}`, demand: demandOf(item[method]) })),
  );
}

function demandOf(operation: unknown): string {
  if (typeof operation !== 'object' || operation === null) return 'public';
  const permission: unknown = Reflect.get(operation, 'x-permission');
  if (typeof permission === 'string') return permission;
  return Reflect.get(operation, 'x-signed-in') === true ? 'signed_in' : 'public';
}
