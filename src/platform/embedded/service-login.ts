import { randomBytes } from 'node:crypto';
import pg from 'pg';

const LOGIN = 'sello_service';

/**
 * A login for the service that owns nothing: it may only become `sello_app`,
 * which the migrations created. Gets a new password on every call, so that none
 * has to be stored.
 *
 * @param ownerUrl  the cluster's owner, on the database to use
 * @returns the same address with the service's login
 */
export async function createServiceLogin(ownerUrl: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [LOGIN]);
    if (rowCount === 0) await owner.query(`create role ${LOGIN} noinherit`);
    await owner.query(`alter role ${LOGIN} login password ${owner.escapeLiteral(password)}`);
    await owner.query(`grant sello_app to ${LOGIN}`);
  } finally {
    await owner.end();
  }
  const url = new URL(ownerUrl);
  url.username = LOGIN;
  url.password = password;
  return url.href;
}
