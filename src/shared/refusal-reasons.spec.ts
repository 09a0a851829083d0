import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from './error-catalogue.js';
import { REFUSAL_REASONS, refusalMessage, refusalStatus } from './refusal-reasons.js';

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.endsWith('refusal-reasons.ts')).map((path) => readFileSync(join('src', path), 'utf8'));

describe('reasons of refusals', () => {
  it('are listed, all that the sources name', () => {
    const named = SOURCES.flatMap((text) => [...text.matchAll(/DomainError\('([A-Z_]+)',[^;]*?\breason: '(\w+)'/g)].map(([, code = '', word = '']) => `${code} ${word}`));
    const listed = new Set(Object.entries(REFUSAL_REASONS).flatMap(([code, reasons]) => Object.keys(reasons).map((word) => `${code} ${word}`)));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((one) => !listed.has(one))).toEqual([]);
  });

  it('are named by the sources, all that are listed', () => {
    const words = Object.values(REFUSAL_REASONS).flatMap((reasons) => Object.keys(reasons));
    expect(words.filter((word) => !SOURCES.some((text) => text.includes(`'${word}'`)))).toEqual([]);
  });

  it('say what happened and what to do next, in both languages', () => {
    for (const [word, { es, en }] of Object.values(REFUSAL_REASONS).flatMap((reasons) => Object.entries(reasons))) {
      for (const text of [es, en]) expect([word, text]).toEqual([word, expect.stringMatching(/^\p{Lu}.+\.$/su)]);
      expect(es).not.toBe(en);
    }
  });

  it('may have a status of their own', () => {
    expect(refusalStatus('MALFORMED_REQUEST', { reason: 'headers_too_large' })).toBe(431);
    for (const detail of [null, { reason: 'invalid_http' }, { reason: 'unheard_of' }]) expect(refusalStatus('MALFORMED_REQUEST', detail)).toBe(400);
  });

  it('take the place of the text of their code, which stands for others', () => {
    expect(refusalMessage('FORBIDDEN', { reason: 'origin' }, 'en')).toBe(REFUSAL_REASONS.FORBIDDEN?.['origin']?.en);
    expect(refusalMessage('INVALID_CERTIFICATE', { reason: 'wrong_password' }, 'en')).toContain('Check it and upload the file again.');
    expect(refusalMessage('INVALID_CERTIFICATE', { reason: 'malformed' }, 'en')).toBe(messageOf('INVALID_CERTIFICATE', 'en'));
    const finding = (rule: string): unknown => [{ pointer: '', rule, message: { es: '', en: '' }, expected: null, actual: null, reference: '', severity: 'error' }];
    expect(refusalMessage('FISCAL_RULE_VIOLATED', finding('cancellation.deadline'), 'en')).toBe('The document cannot be cancelled; detail says why.');
    expect(refusalMessage('FISCAL_RULE_VIOLATED', finding('totals.total'), 'en')).toBe(messageOf('FISCAL_RULE_VIOLATED', 'en'));
    for (const detail of [null, 'origin', { reason: 'unheard_of' }, { reason: 7 }]) expect(refusalMessage('FORBIDDEN', detail, 'es')).toBe(messageOf('FORBIDDEN', 'es'));
  });
});
