import { BadRequestException, HttpException, NotFoundException, PayloadTooLargeException } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { DomainError } from '../../shared/domain-error.js';
import type { Finding } from '../../shared/finding.js';
import { ERROR_CATALOGUE, type ErrorCode, messageOf } from '../../shared/error-catalogue.js';
import { EnvelopeError, KeeperAwayError, KeyUnavailableError } from '../secrets/key-wrapper.js';
import { answerTo } from './error-answer.js';
import { fieldMessage } from './field-messages.js';
import { ValidationFailure } from './validation-failure.js';

const coded = (code: string): Error => Object.assign(new Error('secret detail of the inside'), { code });
const failedQuery = (code: string): QueryFailedError => new QueryFailedError('select secret', ['secret'], coded(code));

describe('answerTo', () => {
  it.each(Object.keys(ERROR_CATALOGUE) as ErrorCode[])('gives %s its status and message of the catalogue, in both languages', (code) => {
    // The detail of broken rules is their findings.
    const detail = code === 'FISCAL_RULE_VIOLATED' ? [] : { field: 'x' };
    for (const language of ['es', 'en'] as const) {
      const answer = answerTo(new DomainError(code, detail), language, 'r-1');
      expect(answer.status).toBe(ERROR_CATALOGUE[code].status);
      expect(answer.body).toEqual({ error: { code, message: messageOf(code, language), detail, request_id: 'r-1' } });
      expect(answer.headers['Retry-After'] !== undefined).toBe(answer.status === 503);
    }
  });

  it('tells broken rules in the language of the caller, what refuses first', () => {
    const odd: Finding = { pointer: '/payments', rule: 'odd', message: { es: 'raro', en: 'odd' }, expected: null, actual: null, reference: '', severity: 'warning' };
    const wrong: Finding = { ...odd, pointer: '/total', rule: 'wrong', message: { es: 'mal', en: 'wrong' }, severity: 'error' };
    const told = (language: 'es' | 'en'): unknown => answerTo(new DomainError('FISCAL_RULE_VIOLATED', [odd, wrong]), language, 'r-1').body;
    expect(told('es')).toMatchObject({ error: { detail: [{ ...wrong, message: 'mal' }, { ...odd, message: 'raro' }] } });
    expect(told('en')).toMatchObject({ error: { detail: [{ message: 'wrong' }, { message: 'odd' }] } });
  });

  it('gives validation failures both envelopes', () => {
    const finding = { loc: ['body', 'lines', '0', 'quantity'], type: 'greater_than', input: 0, ctx: { gt: 0 } };
    const answer = answerTo(new ValidationFailure([finding]), 'es', 'r-1');
    const wire = [{ ...finding, msg: 'Debe ser mayor que 0' }];
    expect(answer).toMatchObject({ status: 422, body: { detail: wire, error: { code: 'VALIDATION_FAILED', detail: wire, request_id: 'r-1' } } });
    const missing = answerTo(new ValidationFailure([finding, { loc: ['body', 'x'], type: 'missing', input: null, ctx: {} }]), 'en', 'r-1');
    expect(missing).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PAYLOAD' } } });
    expect(missing.body['detail']).toHaveLength(2);
  });

  it.each<[unknown, string]>([
    [new NotFoundException('Cannot GET /secret'), 'NOT_FOUND'],
    [new PayloadTooLargeException('secret'), 'PAYLOAD_TOO_LARGE'],
    [new BadRequestException('Unexpected field - secret'), 'MALFORMED_REQUEST'],
    [new HttpException('secret', 418), 'INTERNAL'],
    [new URIError('secret'), 'NOT_FOUND'],
    [Object.assign(new Error('secret'), { status: 413, expose: true }), 'PAYLOAD_TOO_LARGE'],
    [Object.assign(new Error('secret'), { status: 413 }), 'INTERNAL'],
    [new TypeError('secret is not a function'), 'INTERNAL'],
    ['secret', 'INTERNAL'],
    [undefined, 'INTERNAL'],
    [failedQuery('23505'), 'INTERNAL'],
    [failedQuery('53300'), 'SERVICE_UNAVAILABLE'],
    [failedQuery('57P01'), 'SERVICE_UNAVAILABLE'],
    [failedQuery('25006'), 'SERVICE_UNAVAILABLE'],
    [failedQuery('25P03'), 'SERVICE_UNAVAILABLE'],
    [coded('ECONNREFUSED'), 'SERVICE_UNAVAILABLE'],
    [new KeyUnavailableError('secret'), 'SERVICE_UNAVAILABLE'],
    [new KeeperAwayError('secret'), 'SERVICE_UNAVAILABLE'],
    [new EnvelopeError('secret'), 'INTERNAL'],
    [new Error('timeout exceeded when trying to connect'), 'SERVICE_UNAVAILABLE'],
    [new Error('Connection terminated unexpectedly'), 'SERVICE_UNAVAILABLE'],
  ])('turns %p into %s and says nothing of the inside', (error, code) => {
    const answer = answerTo(error, 'en', 'r-1');
    expect(answer.body).toMatchObject({ error: { code } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(answer.unexpected).toBe(['INTERNAL', 'SERVICE_UNAVAILABLE'].includes(code));
  });

  it('tells a call that there is not from a resource that there is not', () => {
    const told = (error: Error): unknown => answerTo(error, 'en', 'r-1').body['error'];
    expect(told(new NotFoundException('secret'))).toMatchObject({ code: 'NOT_FOUND', message: expect.stringMatching(/^There is no such call\./) as string, detail: { reason: 'unknown_route' } });
    expect(told(new DomainError('NOT_FOUND'))).toMatchObject({ code: 'NOT_FOUND', message: messageOf('NOT_FOUND', 'en'), detail: null });
  });

  it('names a path that cannot be decoded as such, and claims nothing of other requests that cannot be read', () => {
    const failed = (cause: Error): unknown => answerTo(new BadRequestException('secret', { cause }), 'en', 'r-1').body['error'];
    expect(failed(new URIError('secret'))).toMatchObject({ code: 'MALFORMED_REQUEST', message: 'The address cannot be decoded. Encode its parts with %.', detail: { reason: 'path_encoding' } });
    expect(failed(new Error('secret'))).toMatchObject({ code: 'MALFORMED_REQUEST', detail: null });
  });
});

it('reads an unlisted failure type as an invalid value', () => {
  expect(fieldMessage('invented', {}, 'es')).toBe('Valor inválido');
  expect(fieldMessage('toString', {}, 'en')).toBe('Invalid value');
});
