import { Client } from 'pg';
import { ownerSetting, SettingsError } from '../../config/settings.js';
import { reasonOf } from '../reason.js';
import { applicationName, KEPT_ALIVE, type Program, SESSION } from './connection.js';

/** A server that is there answers in milliseconds; an operator gets an error rather than a long wait. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A connection of the schema's owner, for operator's commands; whoever opens it ends it.
 *
 * @param program what the session is shown to be of
 * @param options of the session, as PostgreSQL's command line takes them
 * @throws SettingsError naming the setting, when the database is away or refuses the login
 */
export async function connectAsOwner(url: string, program: Program, options = ''): Promise<Client> {
  const client = new Client({ ...KEPT_ALIVE, connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, application_name: applicationName(program), options: `${SESSION} ${options}` });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new SettingsError(`${ownerSetting()}: ${reasonOf(error) || 'no connection'}`, { cause: error });
  }
}

/** Whether row security, which is forced on owners too, hides nothing from the login of a session. */
export async function seesEveryRow(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ sees_all: boolean }>('select rolsuper or rolbypassrls as sees_all from pg_roles where rolname = current_user');
  return rows[0]?.sees_all === true;
}
