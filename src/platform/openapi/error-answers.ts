import { ERROR_CATALOGUE, type ErrorCode, messageOf } from '../../shared/error-catalogue.js';
import type { Answer, Components, Example, Operation, Reference, Schema } from './description.js';
import { schemaReference } from './description.js';
import { REQUEST_ID, sampleId } from './samples.js';

/** Codes of the catalogue that are answers; codes with another status stand on the record of a document. */
const ANSWERED = (Object.entries(ERROR_CATALOGUE) as [ErrorCode, { readonly status: number }][]).filter(([, { status }]) => status >= 400);

const READ_STATUSES = [400, 401, 403, 404, 422, 429, 500, 503];
const WRITE_STATUSES = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503];

/** What the detail of a code looks like, where it says something. */
const DETAILS: Partial<Record<ErrorCode, unknown>> = {
  MALFORMED_REQUEST: { reason: 'invalid_json', line: 12, column: 18 },
  DUPLICATE_IDEMPOTENCY_KEY: { document_id: sampleId('document_id') },
  INVALID_PAYLOAD: [{ loc: ['body', 'lines'], msg: 'Field required', type: 'missing', input: null, ctx: {} }],
  VALIDATION_FAILED: [{ loc: ['body', 'numeric_code'], msg: 'Must match ^[0-9]{8}$', type: 'string_pattern_mismatch', input: '1234', ctx: { pattern: '^[0-9]{8}$' } }],
  FISCAL_RULE_VIOLATED: [
    {
      pointer: '/total', rule: 'totals.total', message: 'The total does not agree with subtotal, discount and taxes', expected: '115.00', actual: '116.00',
      reference: 'Ficha técnica, sección 8', severity: 'error',
    },
  ],
  INVALID_STATE: { status: 'REJECTED', allowed_actions: ['retry', 'reconcile', 'correct', 'abandon'] },
  ALREADY_EXISTS: { field: 'code' },
  CREDIT_EXCEEDS_ORIGINAL: { field: 'total', available: '12.30', held_by: [{ document_id: sampleId('document_id'), number: '001-001-000000007', status: 'REJECTED', total: '102.70' }] },
  FORBIDDEN: { permission: 'documents:issue' },
  INVALID_CERTIFICATE: { reason: 'no_signing_key' },
  RATE_LIMITED: { limit: 60, window_seconds: 60 },
};
const OF_FIELDS: readonly ErrorCode[] = ['INVALID_PAYLOAD', 'VALIDATION_FAILED'];

const SCHEMAS: Readonly<Record<string, Schema>> = {
  ErrorCode: { type: 'string', enum: ANSWERED.map(([code]) => code), description: 'Stable across versions' },
  Error: {
    type: 'object',
    required: ['code', 'message', 'detail', 'request_id'],
    properties: {
      code: schemaReference('ErrorCode'),
      message: { type: 'string', description: 'What happened and what to do next, in Spanish, or English by `Accept-Language`' },
      detail: { description: 'What more there is to say: findings of fields or of fiscal rules, the state of a document, limits, or null' },
      request_id: { type: 'string', description: 'To be quoted to support' },
    },
  },
  FieldFinding: {
    type: 'object',
    required: ['loc', 'msg', 'type', 'input', 'ctx'],
    properties: {
      loc: { type: 'array', items: { type: 'string' }, examples: [['body', 'lines', '0', 'quantity']] },
      msg: { type: 'string' },
      type: { type: 'string', description: 'Stable, e.g. missing, extra_forbidden, string_too_long', examples: ['missing'] },
      input: { description: 'What was sent, cut at 64 characters; null for secrets' },
      ctx: schemaReference('FieldFindingContext'),
    },
  },
  FieldFindingContext: { type: 'object', additionalProperties: true, description: 'Bounds that were broken, by name' },
  FiscalFinding: {
    type: 'object',
    required: ['pointer', 'rule', 'message', 'expected', 'actual', 'reference', 'severity'],
    properties: {
      pointer: { type: 'string', description: 'JSON Pointer into the body', examples: ['/issue_date'] },
      rule: { type: 'string', description: 'Stable; all of them are in docs/rules.md', examples: ['issue_date.not_today'] },
      message: { type: 'string', description: 'Spanish, or English by `Accept-Language`; Spanish in events', examples: ['The issue date is not today'] },
      expected: { type: ['string', 'null'], examples: ['2026-08-26'] },
      actual: { type: ['string', 'null'], examples: ['2026-08-25'] },
      reference: { type: 'string', description: 'Where the SRI says so, named as the source names it: in Spanish', examples: ['Ficha técnica'] },
      severity: { type: 'string', enum: ['error', 'warning'], examples: ['warning'] },
    },
  },
  ErrorResponse: { type: 'object', required: ['error'], properties: { error: schemaReference('Error') } },
  ValidationErrorResponse: {
    type: 'object',
    required: ['error'],
    properties: {
      error: schemaReference('Error'),
      detail: { type: 'array', items: schemaReference('FieldFinding'), description: 'Only when fields failed: the same as `error.detail`' },
    },
  },
};

/** Adds one answer for each status of the catalogue, with an example for each code, and what the answers are made of. */
export function addErrorAnswers(components: Components): void {
  Object.assign(components.schemas, SCHEMAS);
  for (const status of new Set(ANSWERED.map(([, entry]) => entry.status))) components.responses[componentOf(status)] = errorAnswer(status);
}

/** Names the errors that the operation may answer and does not describe itself. */
export function addErrorsTo(operation: Operation, statuses: readonly number[]): void {
  for (const status of statuses) operation.responses[String(status)] ??= errorReference(status);
}

/** Gives the envelope to errors that the operation describes in words of its own. */
export function completeErrorsOf(operation: Operation): void {
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (Number(status) < 400 || '$ref' in answer) continue;
    const { content, headers } = errorAnswer(Number(status));
    operation.responses[status] = { ...answer, headers: { ...headers, ...answer.headers }, content: { ...content, ...answer.content } };
  }
}

/** Statuses that any call of the method may answer. */
export const errorStatusesOf = (method: string): readonly number[] => (method === 'get' ? READ_STATUSES : WRITE_STATUSES);

const componentOf = (status: number): string => `Error${status}`;
const errorReference = (status: number): Reference => ({ $ref: `#/components/responses/${componentOf(status)}` });

function errorAnswer(status: number): Answer {
  const codes = ANSWERED.filter(([, entry]) => entry.status === status);
  return {
    description: codes.map(([code]) => `- \`${code}\`: ${messageOf(code, 'en')}`).join('\n'),
    headers: status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {},
    content: {
      'application/json': {
        schema: schemaReference(status === 422 || status === 400 ? 'ValidationErrorResponse' : 'ErrorResponse'),
        examples: Object.fromEntries(codes.map(([code]) => [code, exampleOf(code)])),
      },
    },
  };
}

function exampleOf(code: ErrorCode): Example {
  const detail = DETAILS[code] ?? null;
  const error = { code, message: messageOf(code, 'en'), detail, request_id: REQUEST_ID };
  return { summary: messageOf(code, 'en'), value: OF_FIELDS.includes(code) ? { error, detail } : { error } };
}
