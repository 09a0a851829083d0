import type { Client } from 'pg';
import { isClosed, OPEN } from '../closed-schema.js';
import { applicationName } from '../connection.js';
import { connectAsOwner } from '../owner-client.js';
import { holdWebhooks } from './hold-webhooks.js';

export interface NewLife {
  /** Names the new life: 8 hexadecimal digits that no earlier one had. */
  readonly lineage: string;
  readonly documentTypes: readonly string[];
  /** Numbers that every counter leaves out at least; 0: none, for nothing was lost. */
  readonly skip: number;
  readonly reason: string;
  readonly now: Date;
  /** Whether it begins although the service is connected: with a pooler, sessions outlive their processes. */
  readonly whileServed: boolean;
  /** Whether rows are known to have come; else a database that a restore closed before they did is refused. */
  readonly isFilled: boolean;
  /** Why every webhook is switched off; null: none is. */
  readonly webhooksHeld: string | null;
}

/** What was done to a database whose new life has begun. */
export interface Begun {
  readonly raised: readonly RaisedCounter[];
  /** How many webhooks were switched off. */
  readonly held: number;
}

/** Somebody serves this database, whose counters would jump under him. */
class ServedError extends Error {}

export interface RaisedCounter {
  readonly emission_point_id: string;
  readonly document_type: string;
  readonly from_number: number;
  readonly to_number: number;
}

/**
 * Prepares a database that goes on from an earlier point before it is served: numbers that may have been given out after that
 * point are left out, with the reason, and places in the order of events begin anew. A database that a restore closed is opened.
 *
 * @param url owner of the schema
 * @throws ServedError
 * @throws Error when a restore was broken off before its rows came
 * @throws Error when webhooks are to be held and row security hides some
 */
export async function beginNewLife(url: string, life: NewLife): Promise<Begun> {
  const client = await connectAsOwner(url, 'after-restore', '-c search_path=sello -c statement_timeout=0');
  try {
    if (!life.whileServed) await refuseServed(client);
    if (!life.isFilled) await refuseUnfilled(client);
    await client.query('begin');
    const { rows: raised } = await client.query<RaisedCounter>('select * from begin_new_life($1, $2, $3, $4, $5)', [life.lineage, life.documentTypes, life.skip, life.reason, life.now]);
    await client.query('select settle_restored_events()');
    const held = life.webhooksHeld === null ? 0 : await holdWebhooks(client, life.webhooksHeld, life.now);
    await client.query(OPEN);
    await client.query('commit');
    return { raised, held };
  } finally {
    await client.end();
  }
}

interface ServingSessions {
  readonly sessions: number;
  readonly login: string;
  readonly program: string;
  /** Null where this login may not see it, or there is none. */
  readonly address: string | null;
}

/**
 * Superusers are members of every role, and whoever made `sello_app` of that one: their sessions serve nobody unless they say
 * that they do.
 */
const SERVING = `
  select count(*)::int as sessions, usename as login, application_name as program, host(client_addr) as address
  from pg_stat_activity join pg_roles on pg_roles.oid = usesysid
  where datname = current_database() and pid <> pg_backend_pid()
    and (application_name = any($1) or (not rolsuper and usename <> session_user and pg_has_role(usesysid, to_regrole('sello_app'), 'member')))
  group by login, program, address order by login, program, address`;

async function refuseServed(client: Client): Promise<void> {
  const { rows } = await client.query<ServingSessions>(SERVING, [[applicationName('api'), applicationName('worker')]]);
  if (rows.length === 0) return;
  const told = rows.map(({ sessions, login, program, address }) => `${sessions} of ${login}${program === '' ? '' : ` (${program})`}${address === null ? '' : ` from ${address}`}`);
  throw new ServedError(`the database is being served, by sessions: ${told.join(', ')}; stop every process of the service, or go on with --force`);
}

/** Whatever has served was bound to an environment, and its backup holds that, if no tenant. */
async function refuseUnfilled(client: Client): Promise<void> {
  if (!(await isClosed(client)) || (await client.query('select from deployment union all select from tenants limit 1')).rows.length > 0) return;
  throw new Error('the restore into this database was broken off before its rows came: drop the schema sello, and restore again');
}
