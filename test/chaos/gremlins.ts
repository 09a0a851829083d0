import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.js';
import type { ServiceRig } from '../support/service-rig.js';

const MALFORMED = ['empty', 'truncated', 'not_xml', 'wrong_namespace', 'soap_fault', 'byte_order_mark', 'unknown_root'] as const;

/** What the SRI does to about one request in a hundred. None of it is a verdict about a document. */
const MISCHIEF: readonly ((random: SeededRandom) => unknown)[] = [
  () => ({ kind: 'http', status: 500 }),
  () => ({ kind: 'http', status: 502, phase: 'after' }),
  () => ({ kind: 'http', status: 503 }),
  () => ({ kind: 'hang', phase: 'before' }),
  () => ({ kind: 'hang', phase: 'after' }),
  () => ({ kind: 'reset', phase: 'before' }),
  () => ({ kind: 'reset', phase: 'after' }),
  (random) => ({ kind: 'malformed', body: random.pick(MALFORMED) }),
  (random) => ({ kind: 'delay', ms: Math.floor(random.between(500, 3_000)) }),
  () => ({ kind: 'refuse', code: '50', at: 'reception' }),
  () => ({ kind: 'refuse', code: '43', at: 'reception', stored: true }),
  () => ({ kind: 'refuse', code: '70', at: 'reception', stored: true }),
  () => ({ kind: 'in_process' }),
  () => ({ kind: 'empty' }),
  () => ({ kind: 'state', estado: 'EN ESPERA' }),
];

/** Documents of these taxpayers are refused: one at reception, one at authorization. */
export async function refuseAlways(rig: ServiceRig, rucs: readonly [string, string]): Promise<void> {
  const [atReception, atAuthorization] = rucs;
  await rig.control('POST', 'faults', {
    rules: [
      { match: { ruc: atReception }, times: null, action: { kind: 'refuse', code: '35', at: 'reception' } },
      { match: { ruc: atAuthorization }, times: null, action: { kind: 'refuse', code: '52', at: 'authorization' } },
    ],
  });
}

/** Plays a trick on one request every so many seconds until the signal. @returns how many tricks were set up */
export async function mischief(rig: ServiceRig, random: SeededRandom, every: readonly [number, number], signal: AbortSignal): Promise<number> {
  let tricks = 0;
  const waited = (): Promise<boolean> => sleep(random.between(...every) * 1_000, true, { signal }).catch(() => false);
  while (await waited()) {
    await rig.control('POST', 'faults', { times: 1, action: random.pick(MISCHIEF)(random) });
    tricks += 1;
  }
  return tricks;
}
