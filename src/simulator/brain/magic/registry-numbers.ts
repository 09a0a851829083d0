import type { FaultAction } from '../fault-actions.js';
import type { TaxpayerState } from '../taxpayers.js';

/** A RUC about which the registry has something particular to say. */
export interface MagicNumber {
  readonly number: RegExp;
  /** For the documentation: the number, or one of them. */
  readonly shown: string;
  readonly meaning: string;
  readonly state: Partial<TaxpayerState>;
  readonly action: Extract<FaultAction, { readonly kind: 'delay' | 'hang' | 'http' | 'malformed' }> | null;
}

const SLOW_MS = 800;

/** All have the form of a RUC; their last three digits before the establishment speak like a status of HTTP. */
export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  { number: /^30/, shown: '3000000004', meaning: 'cédulas of province 30, the registered abroad: no RUC', state: { exists: false }, action: null },
  { number: /^1799999404001$/, shown: '1799999404001', meaning: 'there is no such taxpayer', state: { exists: false }, action: null },
  { number: /^1799999423001$/, shown: '1799999423001', meaning: 'a company whose RUC is suspended', state: { active: false }, action: null },
  { number: /^1799999408001$/, shown: '1799999408001', meaning: `every answer takes ${SLOW_MS} ms longer`, state: {}, action: { kind: 'delay', ms: SLOW_MS } },
  { number: /^1799999502001$/, shown: '1799999502001', meaning: 'half an answer', state: {}, action: { kind: 'malformed', body: 'truncated', phase: 'after' } },
  {
    number: /^1799999503001$/, shown: '1799999503001', meaning: 'a page of maintenance, with status 503', state: {},
    action: { kind: 'http', status: 503, content_type: 'text/html; charset=utf-8', headers: {}, phase: 'before' },
  },
  { number: /^1799999504001$/, shown: '1799999504001', meaning: 'no answer ever', state: {}, action: { kind: 'hang', phase: 'before' } },
];

/** What is particular about a RUC; null for all others. */
export function magicNumber(ruc: string): MagicNumber | null {
  return MAGIC_NUMBERS.find(({ number }) => number.test(ruc)) ?? null;
}
