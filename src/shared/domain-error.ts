import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.js';

/**
 * A refusal with a code of the error catalogue. Thrown by any layer; the HTTP
 * filter turns it into the envelope with the catalogue's status and message.
 */
export class DomainError extends Error {
  /**
   * @param code   key of the error catalogue
   * @param detail extra information for the caller; never a secret
   */
  constructor(
    readonly code: ErrorCode,
    readonly detail: unknown = null,
  ) {
    super(ERROR_CATALOGUE[code].en);
    this.name = 'DomainError';
  }
}
