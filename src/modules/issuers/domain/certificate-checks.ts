import { certificateCarriesRuc, type CertificateDescription, keyFlaw } from '../../../sri/signing/certificate.js';
import type { CertificateChain } from '../../../sri/signing/chain.js';
import { issuingBodyOf } from '../../../sri/signing/issuing-bodies.js';
import { certificateStatus } from './certificate-status.js';

export const CHECK_OUTCOMES = ['ok', 'warning', 'failed'] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/** Everything that a certificate is held against, in the order of the report: check, what may come out of it, what that means. */
export const CERTIFICATE_CHECKS = {
  container: {
    opened: 'ok', malformed: 'failed', wrong_password: 'failed', unsupported_algorithm: 'failed', too_many_iterations: 'failed', too_costly: 'failed',
  },
  signing_certificate: {
    only_pair: 'ok', chosen: 'ok', authority_certificate: 'failed', no_private_key: 'failed', no_certificate: 'failed', key_mismatch: 'failed', unsupported_key: 'failed',
  },
  ruc: { carried: 'ok', ruc_mismatch: 'failed' },
  key_usage: { signs: 'ok', no_signing_key: 'failed' },
  validity: { in_force: 'ok', expiring: 'warning', expired: 'failed', not_yet_valid: 'failed' },
  key_size: { strong: 'ok', unsupported_key: 'failed', weak_key: 'failed' },
  chain: { complete: 'ok', incomplete: 'warning', authority_expired: 'warning', chain_broken: 'failed', self_signed: 'failed' },
  issuing_body: { recognized: 'ok', unknown_body: 'warning' },
  test_signature: { verified: 'ok', test_signature_failed: 'failed', signature_too_large: 'failed', not_tried: 'failed' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, CheckOutcome>>>>;

type Checks = typeof CERTIFICATE_CHECKS;
export type CheckName = keyof Checks;
export type CheckReason<Name extends CheckName> = Extract<keyof Checks[Name], string>;
export const CHECK_NAMES = Object.keys(CERTIFICATE_CHECKS) as readonly CheckName[];

/** What one check found, without words: it is stored as it stands and worded in the language of whoever asks. */
export interface CheckFinding {
  readonly check: CheckName;
  readonly outcome: CheckOutcome;
  /** `reason`, stable, and the facts that led to it: no names out of the file, which may hold anything. */
  readonly detail: { readonly reason: string; readonly [fact: string]: unknown };
}

/**
 * Failures for which no upload is refused with `INVALID_CERTIFICATE`: `expired` has a code of its own, the reader says `no_signing_key`
 * of an authority's certificate, and no signature is tried only where an earlier check failed.
 */
const TOLD_OTHERWISE: readonly string[] = ['expired', 'authority_certificate', 'not_tried'];

/** Every `detail.reason` of `INVALID_CERTIFICATE`, and the check that finds it; a reason of two checks stands twice. */
export const INVALID_CERTIFICATE_REASONS: readonly { readonly check: CheckName; readonly reason: string }[] = CHECK_NAMES.flatMap((check) =>
  Object.entries(CERTIFICATE_CHECKS[check])
    .filter(([reason, outcome]) => outcome === 'failed' && !TOLD_OTHERWISE.includes(reason))
    .map(([reason]) => ({ check, reason })),
);

/** What the checks judge: the pair that was chosen out of a container that opens. */
export interface ExaminedCertificate {
  readonly description: CertificateDescription;
  readonly pairs: number;
  readonly chain: CertificateChain;
  /** What came out of signing a sample; `not_tried` when the key is none that signs. */
  readonly testSignature: CheckReason<'test_signature'>;
}

/** The whole report on a certificate for the issuer of this RUC. */
export function certificateFindings(certificate: ExaminedCertificate, ruc: string, now: Date): CheckFinding[] {
  const { description, pairs, chain, testSignature } = certificate;
  return [
    finding('container', 'opened'),
    finding('signing_certificate', description.isCa ? 'authority_certificate' : pairs === 1 ? 'only_pair' : 'chosen', { pairs }),
    rucFinding(description, ruc),
    finding('key_usage', description.keyUsage.includes('digitalSignature') ? 'signs' : 'no_signing_key', { key_usage: description.keyUsage }),
    validityFinding(description, now),
    finding('key_size', keyFlaw(description) ?? 'strong', { type: description.publicKeyType, bits: description.publicKeyBits }),
    chainFinding(chain, now),
    issuingBodyFinding(chain),
    finding('test_signature', testSignature),
  ];
}

/** The report on a file that does not open, or that holds no pair of key and certificate: nothing else can be looked at. */
export function refusedFindings(reason: string): CheckFinding[] {
  if (isReasonOf('signing_certificate', reason)) return [finding('container', 'opened'), finding('signing_certificate', reason)];
  return [finding('container', isReasonOf('container', reason) ? reason : 'malformed')];
}

/** The worst of what was found. */
export function worstOutcome(findings: readonly CheckFinding[]): CheckOutcome {
  return CHECK_OUTCOMES.findLast((outcome) => findings.some((one) => one.outcome === outcome)) ?? 'ok';
}

function rucFinding(description: CertificateDescription, ruc: string): CheckFinding {
  if (certificateCarriesRuc(description, ruc)) return finding('ruc', 'carried', { ruc });
  return finding('ruc', 'ruc_mismatch', { issuer_ruc: ruc, certificate_rucs: description.rucs });
}

const DAY_MS = 24 * 60 * 60 * 1_000;

function validityFinding({ validFrom, validTo }: CertificateDescription, now: Date): CheckFinding {
  const status = certificateStatus({ validTo, revokedAt: null }, now);
  const valid_to = validTo.toISOString();
  if (status === 'expired') return finding('validity', 'expired', { valid_to });
  if (validFrom > now) return finding('validity', 'not_yet_valid', { valid_from: validFrom.toISOString() });
  if (status === 'active') return finding('validity', 'in_force', { valid_to });
  return finding('validity', 'expiring', { valid_to, days_left: Math.ceil((validTo.getTime() - now.getTime()) / DAY_MS) });
}

function chainFinding({ end, authorities, authoritiesValidTo }: CertificateChain, now: Date): CheckFinding {
  if (end === 'self_issued') return finding('chain', 'self_signed');
  if (end === 'broken_signature') return finding('chain', 'chain_broken', { authorities });
  if (authoritiesValidTo !== null && authoritiesValidTo <= now) return finding('chain', 'authority_expired', { valid_to: authoritiesValidTo.toISOString() });
  return finding('chain', end === 'root' ? 'complete' : 'incomplete', { authorities });
}

function issuingBodyFinding({ issuerNames }: CertificateChain): CheckFinding {
  const body = issuerNames.map(issuingBodyOf).find((one) => one !== null);
  return body === undefined ? finding('issuing_body', 'unknown_body') : finding('issuing_body', 'recognized', { body });
}

function finding<Name extends CheckName>(check: Name, reason: CheckReason<Name>, facts: Readonly<Record<string, unknown>> = {}): CheckFinding {
  const outcomes: Readonly<Record<string, CheckOutcome>> = CERTIFICATE_CHECKS[check];
  const outcome = outcomes[reason];
  if (outcome === undefined) throw new Error(`unreachable: ${check} has no ${reason}`);
  return { check, outcome, detail: { reason, ...facts } };
}

const isReasonOf = <Name extends CheckName>(check: Name, reason: string): reason is CheckReason<Name> => Object.hasOwn(CERTIFICATE_CHECKS[check], reason);
