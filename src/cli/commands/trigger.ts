import { exampleInvoice } from '../../modules/documents/public.js';
import { SystemClock } from '../../platform/adapters/system-clock.js';
import { guayaquilDay } from '../../shared/guayaquil.js';
import type { Api } from '../api.js';
import { CliFailure } from '../failure.js';
import type { Output } from '../output.js';
import { firstPlace } from '../place.js';
import { issueBody } from './issue.js';

/** Outcomes by name: the magic value that brings each about, and what is seen. All values: docs/simulator.md. */
export const OUTCOMES = {
  authorized: { value: null, meaning: 'authorized at once' },
  rejected: { value: '52', meaning: 'refused for its content' },
  'bad-signature': { value: '39', meaning: 'refused for its signature; `retry` signs anew' },
  'blocked-taxpayer': { value: '37', meaning: 'refused, and the issuer waits until it is resumed' },
  busy: { value: '50x2', meaning: 'the SRI is busy twice, then authorizes' },
  'lost-answer': { value: 'timeout-after', meaning: 'the answer is lost; sent only once all the same' },
  'slow-decision': { value: 'in-process:10', meaning: 'in process for ten seconds' },
  'tampered-answer': { value: 'tampered', meaning: 'the SRI returns another document; a person must look' },
} as const;

/** `sello trigger OUTCOME`: issues an invoice that the simulator treats so. */
export async function trigger(api: Api, output: Output, outcome: string, options: { readonly wait: number }): Promise<void> {
  if (api.connection.apiKey?.startsWith('svc_live_') === true) throw new CliFailure('usage', 'outcomes are triggered at the simulator only, never with a live key');
  const known = Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome as keyof typeof OUTCOMES] : { value: outcome };
  const { numeric_code: _drawn, ...invoice } = exampleInvoice(await firstPlace(api), guayaquilDay(new SystemClock().now()), '');
  const wish = known.value === null ? {} : { additional_info: [{ name: 'Simulador', value: known.value }] };
  await issueBody(api, output, { ...invoice, ...wish }, options);
}
