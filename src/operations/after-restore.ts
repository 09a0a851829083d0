import { CryptoChance } from '../platform/adapters/crypto-chance.js';
import { SystemClock } from '../platform/adapters/system-clock.js';
import { beginNewLife } from '../platform/database/backup/new-life.js';
import { DOCUMENT_TYPE_CODES } from '../sri/document-types/registry.js';

/** More than anybody loses unnoticed, and nothing beside 999,999,999. */
export const USUAL_SKIP = 1_000;
const LINEAGE_BYTES = 4;
const DIGITS = /^\d{1,8}$/;

/** The number after `--skip`. @throws Error when it is none */
export function skipOf(text: string | undefined): number {
  if (text !== undefined && !DIGITS.test(text)) throw new Error('--skip: how many numbers every counter is to leave out, e.g. 1000; 0 when nothing was issued after the restored point');
  return text === undefined ? USUAL_SKIP : Number(text);
}

export interface Restored {
  /** Numbers that each counter leaves out at least. */
  readonly skip: number;
  /** In words: what it was restored from. */
  readonly point: string;
  /** Whether to go on although the service is connected. */
  readonly whileServed: boolean;
  /** Whether rows are known to have come. */
  readonly isFilled: boolean;
  /** Whether every webhook is switched off. */
  readonly holdsWebhooks: boolean;
}

/** Makes a database that went on from an earlier point fit to be served, before any process is started on it. */
export async function afterRestore(ownerUrl: string, { skip, point, whileServed, isFilled, holdsWebhooks }: Restored, report: (line: string) => void): Promise<void> {
  const { raised, held } = await beginNewLife(ownerUrl, {
    lineage: Buffer.from(new CryptoChance().bytes(LINEAGE_BYTES)).toString('hex'),
    documentTypes: DOCUMENT_TYPE_CODES,
    skip,
    reason: `The database was restored from ${point}: these numbers may have been issued after it`,
    now: new SystemClock().now(),
    whileServed,
    isFilled,
    webhooksHeld: holdsWebhooks ? `The database was restored from ${point}: switch it on if it still stands` : null,
  });
  for (const { emission_point_id: place, document_type: type, from_number: from, to_number: to } of raised) report(`emission point ${place}, type ${type}: ${from} to ${to} are left out`);
  if (holdsWebhooks) report(`${held} webhooks were switched off: each sends again once it is switched on (PATCH /webhooks/{id})`);
  report(`${raised.length} counters were raised; readers of events start anew. docs/operating.md says what to look at before the service is started.`);
}
