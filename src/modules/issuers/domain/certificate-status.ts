export const CERTIFICATE_STATUSES = ['active', 'expiring', 'expired', 'revoked'] as const;
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];

/** A certificate with no more than this left is reported as expiring. */
const EXPIRING_MS = 30 * 24 * 60 * 60 * 1_000;

/** What a certificate listing reports (specification 2.6; decisions, section 5). */
export function certificateStatus(certificate: { readonly validTo: Date; readonly revokedAt: Date | null }, now: Date): CertificateStatus {
  if (certificate.revokedAt !== null) return 'revoked';
  const left = certificate.validTo.getTime() - now.getTime();
  if (left <= 0) return 'expired';
  return left <= EXPIRING_MS ? 'expiring' : 'active';
}
