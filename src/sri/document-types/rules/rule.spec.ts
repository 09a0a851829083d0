import '../../preflight.js';
import { defineRules, excerpt, finding, ruleCatalogue } from './rule.js';

describe('the catalogue of rules', () => {
  it('holds every rule of every type, in both languages, with its source', () => {
    const rules = ruleCatalogue();
    expect(rules.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['schema', 'totals.total', 'guide.transport_missing', 'withholding.rate', 'debit_note.quantity', 'foreign_trade.country']),
    );
    for (const { id, es, en, reference, severity } of rules) {
      expect(id).toMatch(/^[a-z_]+(\.[a-z_]+)?$/);
      expect([es, en, reference]).not.toContain('');
      expect(es).not.toBe(en);
      expect(['error', 'warning']).toContain(severity);
    }
    expect(rules.map(({ id }) => id)).toEqual([...new Set(rules.map(({ id }) => id))].sort());
  });

  it('takes a rule once', () => {
    const rule = { es: 'Prueba', en: 'Test', reference: 'Ficha técnica' };
    const rules = defineRules({ 'spec.once': rule });
    expect(finding(rules['spec.once'], '/total')).toMatchObject({ rule: 'spec.once', severity: 'error', pointer: '/total' });
    expect(ruleCatalogue()).toContainEqual({ ...rule, id: 'spec.once', severity: 'error' });
    expect(() => defineRules({ 'spec.once': rule })).toThrow('spec.once is defined twice');
  });
});

describe('the excerpt of a text', () => {
  it.each([
    ['short 😀', 'short 😀'],
    ['x'.repeat(65), 'x'.repeat(64)],
    [`${'x'.repeat(63)}😀y`, `${'x'.repeat(63)}😀`],
    ['😀'.repeat(70), '😀'.repeat(64)],
    [`x${'😀'.repeat(70)}`, `x${'😀'.repeat(63)}`],
  ])('of %j holds whole characters', (text, beginning) => {
    expect(excerpt(text)).toBe(beginning);
  });
});
