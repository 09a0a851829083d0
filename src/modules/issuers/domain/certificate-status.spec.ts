import { certificateStatus } from './certificate-status.js';

const now = new Date('2026-08-25T12:00:00Z');
const inDays = (days: number): Date => new Date(now.getTime() + days * 86_400_000);

describe('certificateStatus', () => {
  it.each([
    [365, null, 'active'],
    [30.01, null, 'active'],
    [30, null, 'expiring'],
    [0.001, null, 'expiring'],
    [0, null, 'expired'],
    [-1, null, 'expired'],
    [365, inDays(-1), 'revoked'],
    [-1, inDays(-2), 'revoked'],
  ] as const)('%p days left, revoked %p: %s', (left, revokedAt, status) => {
    expect(certificateStatus({ validTo: inDays(left), revokedAt }, now)).toBe(status);
  });
});
