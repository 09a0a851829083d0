import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * A login for the service that owns nothing: it may only become `sello_app`,
 * which the migrations created. Gets a new password on every call, so that none
 * has to be stored.
 *
 * @param ownerUrl  the cluster's owner, on the database to use
 * @param login     its name, which nobody else may use
 * @returns the same address with the service's login
 */
export async function createServiceLogin(ownerUrl: string, login = 'sello_service'): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [login]);
    const role = owner.escapeIdentifier(login);
    if (rowCount === 0) await owner.query(`create role ${role} noinherit`);
    await owner.query(`alter role ${role} login password ${owner.escapeLiteral(password)}`);
    await owner.query(`grant sello_app to ${role}`);
  } finally {
    await owner.end();
  }
  const url = new URL(ownerUrl);
  url.username = login;
  url.password = password;
  return url.href;
}
