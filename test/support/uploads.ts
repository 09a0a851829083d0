import type { Business } from './business.js';
import type { Answer } from './http.js';
import { certificate, type KeyPair, pkcs12, type Pkcs12Options, rsaPair } from './pki.js';

const DAY_MS = 86_400_000;
/** Fixed for the run, so that the same certificate made twice is the same certificate. */
const NOW = Date.now();

export const PASSWORD = 'canary-password-4711';
export const inDays = (days: number): Date => new Date(NOW + days * DAY_MS);

export interface Made {
  readonly key?: KeyPair;
  readonly der?: Parameters<typeof certificate>[0];
  readonly container?: Partial<Pkcs12Options>;
}

/** A .p12 file of a taxpayer that serves, or differs as told. */
export function container(ruc: string, made: Made = {}): Buffer {
  const key = made.key ?? rsaPair();
  return pkcs12({
    password: PASSWORD,
    keys: [{ key }],
    certificates: [{ der: certificate({ key, ruc, validFrom: inDays(-10), validTo: inDays(300), ...made.der }) }],
    ...made.container,
  });
}

export const upload = (business: Business, file: Buffer, password: unknown = PASSWORD): Promise<Answer> =>
  business.call('POST', `/issuers/${business.issuerId}/certificates`, { file_base64: file.toString('base64'), password });

/** The same file, looked at and not kept. */
export const check = (business: Business, file: Buffer, password: unknown = PASSWORD, headers: Record<string, string> = {}): Promise<Answer<Report>> =>
  business.call<Report>('POST', `/issuers/${business.issuerId}/certificates/check`, { file_base64: file.toString('base64'), password }, headers);

export interface Report extends Record<string, unknown> {
  readonly outcome: string;
  readonly checks: readonly { readonly check: string; readonly outcome: string; readonly message: string; readonly detail: { readonly reason: string } }[];
}

/** Status, code and, where there is one, the reason of a refusal. */
export const verdict = ({ status, body }: Answer): unknown[] => {
  const { code, detail } = (body as unknown as { error: { code: string; detail: unknown } }).error;
  const reason: unknown = typeof detail === 'object' && detail !== null ? Reflect.get(detail, 'reason') : undefined;
  return reason === undefined ? [status, code] : [status, code, reason];
};
