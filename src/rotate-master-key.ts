import { readSettings, type Settings } from './config/settings.js';
import { type SealedKey, SealedKeysStore } from './modules/issuers/public.js';
import { CryptoChance } from './platform/adapters/crypto-chance.js';
import { Envelope } from './platform/secrets/envelope.js';
import { EnvelopeError, type KeyWrapper } from './platform/secrets/key-wrapper.js';
import { keyWrapperOf } from './platform/secrets/key-wrapper-of.js';

const BATCH = 200;

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
  const keys = await SealedKeysStore.open(ownerUrl);
  const failed: string[] = [];
  let [rotated, current] = [0, 0];
  let last: SealedKey | null = null;
  try {
    for (;;) {
      const batch: SealedKey[] = await keys.after(last, BATCH);
      for (const key of batch) {
        try {
          const anew = await envelope.rewrap(key.sealed, key);
          if (anew === null) {
            current += 1;
            continue;
          }
          await keys.replace(key, anew);
          rotated += 1;
        } catch (error) {
          if (!(error instanceof EnvelopeError)) throw error;
          failed.push(`${key.tenantId}/${key.certificateId}`);
          report(`certificate ${key.certificateId} of tenant ${key.tenantId}: ${error.message}`);
        }
      }
      last = batch.at(-1) ?? null;
      if (last === null) return { rotated, current, failed };
      report(`${rotated} wrapped anew, ${current} were current, ${failed.length} failed`);
    }
  } finally {
    await keys.close();
  }
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
