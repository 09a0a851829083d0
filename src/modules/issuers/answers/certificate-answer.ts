import type { Language } from '../../../shared/language.js';
import { checkMessage } from '../certificate-check-messages.js';
import type { CheckFinding } from '../domain/certificate-checks.js';
import { certificateStatus } from '../domain/certificate-status.js';
import type { CertificateCheck, CertificateEntry } from '../issuers.responses.js';
import type { CertificateRow } from '../persistence/certificates.repository.js';

/** A certificate as callers see it: metadata and status, never file, key or password. */
export function certificateAnswer({ revoked_at, checks, ...row }: CertificateRow, now: Date, language: Language): CertificateEntry {
  return { ...row, status: certificateStatus({ validTo: row.valid_to, revokedAt: revoked_at }, now), checks: checksAnswer(checks, language) };
}

/** What was found, with words in the caller's language. */
export const checksAnswer = (findings: readonly CheckFinding[], language: Language): CertificateCheck[] =>
  findings.map((finding) => ({ check: finding.check, outcome: finding.outcome, message: checkMessage(finding, language), detail: finding.detail }));
