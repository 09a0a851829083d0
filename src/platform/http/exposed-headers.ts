/** Headers of answers that pages of other origins may read; all those in the API's description are among them. */
export const EXPOSED_HEADERS: readonly string[] = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'Idempotent-Replayed',
  'Preference-Applied',
  'Content-Disposition',
];
