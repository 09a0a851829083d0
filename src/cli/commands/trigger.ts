import 'reflect-metadata';
import { MAGIC_VALUES } from '../../simulator/brain/magic/values.js';
import { readDirectives, UnknownMagicValue } from '../../simulator/brain/magic/directives.js';
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
  const known = Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome as keyof typeof OUTCOMES] : { value: magicValue(outcome) };
  const { numeric_code: _drawn, ...invoice } = exampleInvoice(await oldestPlace(api), guayaquilDay(new SystemClock().now()), '');
  const wish = known.value === null ? {} : { additional_info: [{ name: 'Simulador', value: known.value }] };
  await issueBody(api, output, { ...invoice, ...wish }, options);
}

/** @throws CliFailure usage for what the simulator would refuse: the invoice would have taken a number for nothing */
function magicValue(text: string): string {
  try {
    if (readDirectives(text).length > 0) return text;
  } catch (error) {
    if (!(error instanceof UnknownMagicValue)) throw error;
  }
  throw new CliFailure('usage', `${JSON.stringify(text)} is no outcome. Outcomes: ${Object.keys(OUTCOMES).join(', ')}.\nMagic values (docs/simulator.md): ${MAGIC_VALUES.map(({ name }) => name).join(', ')}.`);
}
