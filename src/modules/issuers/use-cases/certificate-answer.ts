import { certificateStatus } from '../domain/certificate-status.js';
import type { CertificateEntry } from '../issuers.responses.js';
import type { CertificateRow } from '../persistence/certificates.repository.js';

/** A certificate as callers see it: metadata and status, never file, key or password. */
export function certificateAnswer({ revoked_at, ...row }: CertificateRow, now: Date): CertificateEntry {
  return { ...row, status: certificateStatus({ validTo: row.valid_to, revokedAt: revoked_at }, now) };
}
