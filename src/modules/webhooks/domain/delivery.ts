/** `pending`: on its way, or waits for its webhook to be switched on; `delivered`: answered with 2xx; `failed`: given up, until somebody sends it again. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What came of an attempt; null while it is under way. */
export const ATTEMPT_OUTCOMES = [
  'delivered', 'refused', 'timeout', 'connection', 'tls', 'unresolved', 'refused_address', 'interrupted', 'secret_unavailable', 'internal',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Attempts that are shown of one delivery; those before stay on record. */
export const MOST_ATTEMPTS = 50;
