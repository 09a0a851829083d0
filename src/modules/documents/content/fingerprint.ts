import { createHash } from 'node:crypto';
import { isObject } from '../../../shared/is-object.js';

/** Grows when the normal form of a request changes, so that old fingerprints are never compared with new ones. */
const FINGERPRINT_VERSION = 'v1';

/**
 * Identifies what a request asks for: equal for `1`, `1.00` and `"1.00"`, for absent, null and an empty list, and for
 * any order of JSON keys; different for anything that would make another document. It covers what the caller said and
 * nothing that the service adds (today, drawn codes, computed totals), so that a repetition is known for ever; and a
 * field that the interface gains later leaves it alone wherever it is not used.
 * @param body a validated body, its values in their normal form
 */
export function fingerprint(body: object): string {
  const { idempotency_key: _key, ...request } = body as Record<string, unknown>;
  return `${FINGERPRINT_VERSION}:${createHash('sha256').update(JSON.stringify(canonical(request))).digest('hex')}`;
}

/** The same value with its keys in one order and without what says nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const told = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined && !(Array.isArray(inner) && inner.length === 0));
  told.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(told.map(([name, inner]) => [name, canonical(inner)]));
}
