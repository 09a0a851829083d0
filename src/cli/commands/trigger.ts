import { exampleInvoice } from '../../modules/documents/public.js';
import { SystemClock } from '../../platform/adapters/system-clock.js';
import { guayaquilDay } from '../../shared/guayaquil.js';
import type { Api } from '../api.js';
import { CliFailure } from '../failure.js';
import { OUTCOMES } from '../outcomes.js';
import type { Output } from '../output.js';
import { oldestPlace } from '../place.js';
import { issueBody } from './issue.js';

/** `sello trigger OUTCOME`: issues an invoice that the simulator treats so. */
export async function trigger(api: Api, output: Output, outcome: string, options: { readonly wait: number }): Promise<void> {
  if (api.connection.apiKey?.startsWith('svc_live_') === true) throw new CliFailure('usage', 'outcomes are triggered at the simulator only, never with a live key');
  const known = Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome as keyof typeof OUTCOMES] : { value: outcome };
  const { numeric_code: _drawn, ...invoice } = exampleInvoice(await oldestPlace(api), guayaquilDay(new SystemClock().now()), '');
  const wish = known.value === null ? {} : { additional_info: [{ name: 'Simulador', value: known.value }] };
  await issueBody(api, output, { ...invoice, ...wish }, options);
}
