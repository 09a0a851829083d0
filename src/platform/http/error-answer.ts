import { HttpException, NotFoundException } from '@nestjs/common';
import { DomainError } from '../../shared/domain-error.js';
import { ERROR_CATALOGUE, type ErrorCode } from '../../shared/error-catalogue.js';
import { refusalMessage, refusalStatus } from '../../shared/refusal-reasons.js';
import { isStoreOutage } from '../database/store-outage.js';
import { KeyUnavailableError } from '../secrets/key-wrapper.js';
import type { Finding } from '../../shared/finding.js';
import { fieldMessage } from './field-messages.js';
import type { Language } from '../../shared/language.js';
import { localizedFinding } from './localized-finding.js';
import { type FieldFinding, ValidationFailure } from './validation-failure.js';

/** What the caller gets for an error, before it is written out. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Our own fault: to be logged with its cause. */
  readonly unexpected: boolean;
}

/** Seconds after which a caller may try again when the service cannot reach its stores or the SRI. */
const RETRY_AFTER_SECONDS = '5';

/** The catalogue's answer to any error, in the caller's language; nothing of the inside leaves. */
export function answerTo(error: unknown, language: Language, requestId: string): ErrorAnswer {
  if (error instanceof ValidationFailure) return validationAnswer(error, language, requestId);
  const { code, detail } = identify(error);
  const status = refusalStatus(code, detail);
  return {
    status,
    body: { error: envelope(code, code === 'FISCAL_RULE_VIOLATED' ? toldRefusal(detail as readonly Finding[], language) : detail, language, requestId) },
    headers: { ...retryAfter(status, detail), ...(code === 'RATE_LIMITED' && limitHeaders(detail)) },
    unexpected: code === 'INTERNAL' || (code === 'SERVICE_UNAVAILABLE' && !isBoundMet(detail)),
  };
}

/** A refusal with a reason (too many bodies, uploads or prints at once): a limit was reached, which is no fault. */
const isBoundMet = (detail: unknown): boolean => typeof detail === 'object' && detail !== null && 'reason' in detail;

/** The limit that was reached, by the names of the specification (section 8); it may be another than that of calls in a minute. */
function limitHeaders(detail: unknown): Readonly<Record<string, string>> {
  const limit = typeof detail === 'object' && detail !== null && 'limit' in detail ? detail.limit : null;
  return typeof limit === 'number' ? { 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Remaining': '0' } : {};
}

/** What refuses comes before what is only odd. */
function toldRefusal(findings: readonly Finding[], language: Language): unknown {
  const of = (severity: Finding['severity']): readonly Finding[] => findings.filter((finding) => finding.severity === severity);
  return [...of('error'), ...of('warning')].map((finding) => localizedFinding(finding, language));
}

/** When to try again: as the refusal says, else by the status. */
function retryAfter(status: number, detail: unknown): Readonly<Record<string, string>> {
  const seconds = typeof detail === 'object' && detail !== null && 'retry_after_seconds' in detail ? detail.retry_after_seconds : null;
  if (typeof seconds === 'number') return { 'Retry-After': String(seconds) };
  return status === 503 ? { 'Retry-After': RETRY_AFTER_SECONDS } : {};
}

function validationAnswer(failure: ValidationFailure, language: Language, requestId: string): ErrorAnswer {
  const detail = failure.findings.map((finding) => wireFinding(finding, language));
  return {
    status: ERROR_CATALOGUE[failure.code].status,
    body: { error: envelope(failure.code, detail, language, requestId), detail },
    headers: {},
    unexpected: false,
  };
}

function wireFinding({ loc, type, input, ctx }: FieldFinding, language: Language): Record<string, unknown> {
  return { loc, msg: fieldMessage(type, ctx, language), type, input, ctx };
}

function envelope(code: ErrorCode, detail: unknown, language: Language, requestId: string): Record<string, unknown> {
  return { code, message: refusalMessage(code, detail, language), detail, request_id: requestId };
}

function identify(error: unknown): { code: ErrorCode; detail: unknown } {
  if (error instanceof DomainError) return { code: error.code, detail: error.detail };
  if (isStoreOutage(error) || error instanceof KeyUnavailableError) return { code: 'SERVICE_UNAVAILABLE', detail: null };
  if (error instanceof URIError) return { code: 'NOT_FOUND', detail: null };
  if (error instanceof HttpException) return { code: codeOfStatus(error.getStatus()), detail: detailOf(error) };
  return { code: codeOfStatus(statusOfExpressError(error)), detail: null };
}

/**
 * A parameter of the path that cannot be decoded comes from Express by way of Nest, and a call of no route from Nest itself: what a
 * route does not find is a DomainError. Other errors get no detail.
 */
function detailOf(error: HttpException): unknown {
  if (error.cause instanceof URIError) return { reason: 'path_encoding' };
  return error instanceof NotFoundException ? { reason: 'unknown_route' } : null;
}

/** Errors of Express and its body readers carry a status of their own. */
function statusOfExpressError(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('expose' in error) || !('status' in error)) return 500;
  return typeof error.status === 'number' ? error.status : 500;
}

function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 400:
      return 'MALFORMED_REQUEST';
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'FORBIDDEN';
    case 404:
    case 405:
      return 'NOT_FOUND';
    case 413:
      return 'PAYLOAD_TOO_LARGE';
    case 415:
      return 'UNSUPPORTED_MEDIA_TYPE';
    case 422:
      return 'VALIDATION_FAILED';
    case 429:
      return 'RATE_LIMITED';
    case 503:
      return 'SERVICE_UNAVAILABLE';
    default:
      return 'INTERNAL';
  }
}
