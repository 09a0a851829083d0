import { Redis } from 'ioredis';
import { type Settings, SettingsError } from '../../config/settings.js';

/** A Redis that does not answer by then is away, which keeps no process from starting. */
const ANSWER_MS = 2_000;

/** What it says of the number, or of the command. A Redis that is busy or full, or asks for a password first, refuses all commands alike. */
const REFUSED = /^(?:ERR .*\b(?:DB|SELECT)\b|NOPERM)/i;

/**
 * Looks whether Redis has the database that REDIS_URL names by its number. The client would go on in database 0, among the jobs of
 * whoever is there. Nothing is asked where that one is named, and a Redis that is away is looked at when it is back
 * (`hasNoSuchDatabase`).
 *
 * @throws SettingsError when Redis refuses the number
 */
export async function refuseUnknownDatabase({ REDIS_URL: address, REDIS_CLUSTER: isCluster }: Pick<Settings, 'REDIS_URL' | 'REDIS_CLUSTER'>): Promise<void> {
  if (isCluster) return;
  const client = new Redis(address, { lazyConnect: true, connectTimeout: ANSWER_MS, commandTimeout: ANSWER_MS, retryStrategy: null, enableReadyCheck: false, disableClientInfo: true, maxRetriesPerRequest: 0 });
  const { db = 0 } = client.options;
  // Told by what is asked of it.
  client.on('error', () => undefined);
  try {
    if (db === 0) return;
    await client.connect();
    await client.select(db);
  } catch (error) {
    if (isRefusal(error)) throw new SettingsError(`REDIS_URL: database ${db}: ${error.message}`, { cause: error });
  } finally {
    client.disconnect();
  }
}

/** Whether a client that came back to Redis was refused the database that its address names: it goes on in database 0. */
export const hasNoSuchDatabase = (error: Error & { readonly command?: { readonly name: string } }): boolean => error.command?.name === 'select' && isRefusal(error);

const isRefusal = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError' && REFUSED.test(error.message);
