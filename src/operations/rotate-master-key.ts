import { SealedKeysStore } from '../modules/issuers/public.js';
import { SealedWebhookSecretsStore } from '../modules/webhooks/public.js';
import { CryptoChance } from '../platform/adapters/crypto-chance.js';
import { Envelope, type SecretOwner } from '../platform/secrets/envelope.js';
import { EnvelopeError, KeeperAwayError, type KeyWrapper } from '../platform/secrets/key-wrapper.js';

const BATCH = 200;

export interface Rotation {
  /** Wrapped anew. */
  readonly rotated: number;
  /** Under the current master key already. */
  readonly current: number;
  /** Records whose secret did not open: tenant/certificate, tenant/webhook/secret. */
  readonly failed: readonly string[];
  /** How many keys of inactive certificates did not open: they matter only if these are activated. */
  readonly inactive: number;
}

/** Sealed secrets of one kind, over all tenants, in order. */
interface SealedStore<Row> {
  after(last: Row | null, limit: number): Promise<Row[]>;
  replace(row: Row, anew: Buffer): Promise<void>;
  close(): Promise<void>;
}

/**
 * Wraps the data key of every stored secret under the current master key, while the service runs; the secrets
 * themselves are not decrypted. Those of inactive certificates need not open. Safe to stop and to run again. Older
 * master keys may go once nothing failed and no process that still writes under them is left.
 *
 * @throws Error when the keeper of the master key is away
 */
export async function rotateMasterKey(ownerUrl: string, keeper: KeyWrapper, report: (line: string) => void): Promise<Rotation> {
  const envelope = new Envelope(keeper, new CryptoChance());
  const keys = await rotateAll(await SealedKeysStore.open(ownerUrl), envelope, (row) => `certificate ${row.tenantId}/${row.certificateId}`, report);
  const secrets = await rotateAll(await SealedWebhookSecretsStore.open(ownerUrl), envelope, (row) => `webhook ${row.tenantId}/${row.webhookId}/${row.secretId}`, report);
  return { rotated: keys.rotated + secrets.rotated, current: keys.current + secrets.current, failed: [...keys.failed, ...secrets.failed], inactive: keys.inactive + secrets.inactive };
}

async function rotateAll<Row extends SecretOwner & { readonly sealed: Buffer; readonly isActive?: boolean }>(
  store: SealedStore<Row>, envelope: Envelope, nameOf: (row: Row) => string, report: (line: string) => void,
): Promise<Rotation> {
  const failed: string[] = [];
  let [rotated, current, inactive] = [0, 0, 0];
  let last: Row | null = null;
  try {
    for (;;) {
      const batch: Row[] = await store.after(last, BATCH);
      for (const row of batch) {
        try {
          const anew = await envelope.rewrap(row.sealed, row);
          if (anew === null) {
            current += 1;
            continue;
          }
          await store.replace(row, anew);
          rotated += 1;
        } catch (error) {
          // No secret can be judged by a keeper that is away.
          if (error instanceof KeeperAwayError) throw new Error(`the master key is not reachable now (${error.message}): run this again when it is; what was wrapped anew stays so`, { cause: error });
          if (!(error instanceof EnvelopeError)) throw error;
          const [, record = ''] = nameOf(row).split(' ');
          if (row.isActive === false) inactive += 1;
          else failed.push(record);
          report(`${row.isActive === false ? 'inactive ' : ''}${nameOf(row)}: ${error.message}`);
        }
      }
      last = batch.at(-1) ?? null;
      if (last === null) return { rotated, current, failed, inactive };
      report(`${rotated} wrapped anew, ${current} were current, ${failed.length} failed`);
    }
  } finally {
    await store.close();
  }
}
