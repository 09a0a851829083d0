import { DomainError } from '../../../shared/domain-error.js';

/** A bound to mails of documents that somebody asks for, and its window in seconds: of one document, and of a tenant to one address that is not the buyer's. */
const WINDOWS = { mail_resends: 3_600, mail_recipient: 86_400 } as const;

/** @param retryAfter seconds until there is room for another */
export const tooManyMails = (limits: keyof typeof WINDOWS, limit: number, retryAfter: number): DomainError =>
  new DomainError('RATE_LIMITED', { limit, limits, window_seconds: WINDOWS[limits], retry_after_seconds: retryAfter });
