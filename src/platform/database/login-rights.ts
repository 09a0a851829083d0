/** What the login of the service may beyond acting as `sello_app`, whichever role a session has taken. */
export interface LoginRights {
  readonly is_superuser: boolean;
  readonly bypasses_row_security: boolean;
  readonly owns_schema: boolean;
}

/** Columns of a select: asked beside something else, they cost no round trip. */
export const LOGIN_RIGHTS = `
  rolsuper as is_superuser, rolbypassrls as bypasses_row_security,
  (select pg_has_role(rolname, nspowner, 'member') from pg_namespace where nspname = 'sello') as owns_schema`;

/** The warning for an operator whose service has a login that could undo its bounds; null where it is as it should be. */
export function loginProblem(rights: LoginRights): string | null {
  const is = rights.is_superuser ? 'is a superuser' : rights.bypasses_row_security ? 'has BYPASSRLS' : rights.owns_schema ? 'owns the schema' : null;
  if (is === null) return null;
  return `DATABASE_URL: its login ${is}, so that only the role it takes keeps tenants apart; give the service a login that is only a member of sello_app (docs/production.md)`;
}
