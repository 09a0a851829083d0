import { Client } from 'pg';
import { readSettings, type Settings } from './config/settings.js';
import { CryptoChance } from './platform/adapters/crypto-chance.js';
import { Envelope } from './platform/secrets/envelope.js';
import { EnvelopeError, type KeyWrapper } from './platform/secrets/key-wrapper.js';
import { keyWrapperOf } from './platform/secrets/key-wrapper-of.js';

const BATCH = 200;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface SealedKeyRow {
  readonly tenant_id: string;
  readonly id: string;
  readonly issuer_id: string;
  readonly sealed_key: Buffer;
}

export interface Rotation {
  /** Wrapped anew. */
  readonly rotated: number;
  /** Under the current master key already. */
  readonly current: number;
  /** Certificates whose key did not open, as tenant/certificate. */
  readonly failed: readonly string[];
}

/**
 * Wraps the data key of every stored private key under the current master key, while the service runs; the private keys
 * themselves are not decrypted. Safe to stop and to run again. Older master keys may go once nothing failed and no
 * process that still writes under them is left.
 */
export async function rotateMasterKey(ownerUrl: string, keeper: KeyWrapper, report: (line: string) => void): Promise<Rotation> {
  const envelope = new Envelope(keeper, new CryptoChance());
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  const failed: string[] = [];
  let [rotated, current] = [0, 0];
  let last = { tenant_id: BEFORE_ALL, id: BEFORE_ALL };
  try {
    for (;;) {
      const { rows } = await client.query<SealedKeyRow>('select * from sello.sealed_keys_after($1, $2, $3)', [last.tenant_id, last.id, BATCH]);
      for (const row of rows) {
        try {
          if (await rotateOne(client, envelope, row)) rotated += 1;
          else current += 1;
        } catch (error) {
          if (!(error instanceof EnvelopeError)) throw error;
          failed.push(`${row.tenant_id}/${row.id}`);
          report(`certificate ${row.id} of tenant ${row.tenant_id}: ${error.message}`);
        }
      }
      const end = rows.at(-1);
      if (end === undefined) return { rotated, current, failed };
      last = end;
      report(`${rotated} wrapped anew, ${current} were current, ${failed.length} failed`);
    }
  } finally {
    await client.end();
  }
}

async function rotateOne(client: Client, envelope: Envelope, row: SealedKeyRow): Promise<boolean> {
  const anew = await envelope.rewrap(row.sealed_key, { tenantId: row.tenant_id, issuerId: row.issuer_id, certificateId: row.id });
  if (anew === null) return false;
  // Revoked or rotated by somebody else meanwhile: nothing is left to do.
  await client.query('select sello.replace_sealed_key($1, $2, $3, $4)', [row.tenant_id, row.id, row.sealed_key, anew]);
  return true;
}

/** `npm run rotate-master-key`: exit code 1 when a key did not open. */
async function run(settings: Settings): Promise<void> {
  const { rotated, current, failed } = await rotateMasterKey(settings.DATABASE_OWNER_URL, keyWrapperOf(settings, new CryptoChance()), (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`done: ${rotated} wrapped anew, ${current} were current, ${failed.length} failed\n`);
  if (failed.length === 0) return;
  process.stdout.write('keep the older master keys: without them these certificates must be uploaded again\n');
  process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) {
  await run(readSettings()).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : 'the rotation failed'}\n`);
    process.exitCode = 1;
  });
}
