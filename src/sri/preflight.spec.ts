import fc from 'fast-check';
import type { DocumentContent } from './document-types/content.js';
import { documentType, documentTypes } from './document-types/registry.js';
import { preflight, preview } from './preflight.js';

const errorsOf = (checked: ReturnType<typeof preflight>) =>
  checked.findings.filter(({ severity }) => severity === 'error').map(({ rule, pointer }) => `${rule} ${pointer}`);

it('completes a preview without checking it, and leaves alone what has no shape', () => {
  const { content, issuer } = documentType('01')!.examples.find(({ name }) => name === 'final-consumer')!;
  const context = { today: content.issueDate, maxIssueDateAgeDays: 90 };
  expect(preview(content, issuer)).toEqual({ content: preflight(content, issuer, context).content, tooLarge: null });
  for (const broken of [{ ...content, total: 'x' }, { ...content, documentType: '02' as never }]) expect(preview(broken, issuer).content).toBe(broken);
});

describe.each(documentTypes.map((type) => [type.code, type] as const))('a preview of type %s', (_code, type) => {
  const { content, issuer } = type.examples[0]!;
  const huge = { ...content, additionalInfo: Array.from({ length: 4_000 }, (_, at) => ({ name: `n${at}`, value: 'x'.repeat(100) })) };

  it('that exceeds the SRI’s size has the finding that issuing has', () => {
    const context = { today: content.issueDate, maxIssueDateAgeDays: 90 };
    const ofIssuing = preflight(huge, issuer, context).findings.filter(({ rule }) => rule === 'document.size');
    expect(ofIssuing).toHaveLength(1);
    expect([preview(huge, issuer).tooLarge]).toEqual(ofIssuing);
  });

  it.each(['lines', 'taxes'] as const)('is measured without %s, too', (lacking) => {
    const bare = { ...content, [lacking]: [] };
    expect(preview(bare, issuer)).toEqual({ content: bare, tooLarge: null });
    expect(preview({ ...huge, [lacking]: [] }, issuer).tooLarge).toMatchObject({ rule: 'document.size' });
  });
});

describe.each(documentTypes.map((type) => [type.code, type] as const))('preflight of type %s', (_code, type) => {
  it.each(type.examples.map((example) => [example.name, example] as const))(
    'passes the example %s',
    (_name, example) => {
      const context = { today: example.content.issueDate, maxIssueDateAgeDays: 90 };
      const checked = preflight(example.content, example.issuer, context);
      expect(errorsOf(checked)).toEqual([]);
      const real = type.buildXml(checked.content, example.issuer, example.numbering);
      expect(Buffer.byteLength(real)).toBe(checked.xmlBytes);
      // What was filled in needs no filling in again.
      expect(preflight(checked.content, example.issuer, context)).toEqual({
        ...checked,
        findings: checked.findings.filter(({ rule }) => rule !== 'payments.defaulted'),
      });
    },
  );

  it.each(type.examples.map((example) => [example.name, example] as const))(
    'answers any damage to %s with findings, never with an exception',
    (_name, example) => {
      const context = { today: example.content.issueDate, maxIssueDateAgeDays: 90 };
      const keys = Object.keys(example.content) as (keyof DocumentContent)[];
      const junk = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.constantFrom('', '-1', 'NaN', '1e9', '99999999.999'),
      );
      fc.assert(
        fc.property(fc.constantFrom(...keys), junk, fc.nat(20), (key, value, at) => {
          const damaged = damage(example.content, key, value, at);
          expect(Array.isArray(preflight(damaged, example.issuer, context).findings)).toBe(true);
        }),
        { numRuns: 150 },
      );
    },
  );
});

describe('preflight', () => {
  const example = documentType('01')!.examples.find(({ name }) => name === 'full')!;
  const { content, issuer } = example;
  const context = { today: content.issueDate, maxIssueDateAgeDays: 90 };

  it('refuses a document type that is not registered', () => {
    const checked = preflight({ ...content, documentType: '02' as typeof content.documentType }, issuer, context);
    expect(errorsOf(checked)).toEqual(['document.type /document_type']);
    expect(checked.xmlBytes).toBe(0);
  });

  it('refuses broken shapes with the field named', () => {
    const broken = { ...content, issueDate: '2026-02-30', numericCode: '1', total: '1,00', lines: [], taxes: [] };
    expect(errorsOf(preflight(broken, issuer, context))).toEqual([
      'shape.date /issue_date',
      'shape.numeric_code /numeric_code',
      'shape.empty /lines',
      'shape.empty /taxes',
      'shape.decimal /total',
    ]);
  });

  it('says what is wrong with the lines of which no tax group could be made', () => {
    const [line] = content.lines;
    const untaxed = (taxRateCode: string): DocumentContent => ({ ...content, lines: [{ ...line!, taxRateCode, taxes: null }], taxes: [] });
    expect(errorsOf(preflight(untaxed('2'), issuer, context))).toEqual(['tax.rate_code_not_in_force /lines/0/tax_rate_code']);
    expect(errorsOf(preflight(untaxed('4'), issuer, context))).toEqual(['shape.empty /taxes']);
    expect(errorsOf(preflight({ ...untaxed('2'), total: '1,00' }, issuer, context))).toEqual(['shape.empty /taxes', 'shape.decimal /total']);
  });

  it('names every amount that is none, where the request has it', () => {
    const none = '1e3';
    const [line] = content.lines;
    const taxes = content.taxes.slice(0, 1).map((tax) => ({ ...tax, taxableBase: none, rate: none, taxAmount: none, tariff: none }));
    const lines = [line!, { ...line!, quantity: none, unitPrice: none, discount: none, subtotal: none, taxes }];
    const amounts = { subtotal: none, totalDiscount: none, totalTax: none, total: none, tip: none };
    const payments = [{ ...content.payments[0]!, total: none }];
    const ofTax = ['taxable_base', 'rate', 'tax_amount', 'tariff'];
    expect(errorsOf(preflight({ ...content, ...amounts, lines, taxes, payments }, issuer, context))).toEqual([
      ...['subtotal', 'total_discount', 'total_tax', 'total', 'tip'].map((name) => `shape.decimal /${name}`),
      ...['quantity', 'unit_price', 'discount', 'subtotal'].map((name) => `shape.decimal /lines/1/${name}`),
      ...ofTax.map((name) => `shape.decimal /lines/1/taxes/0/${name}`),
      ...ofTax.map((name) => `shape.decimal /taxes/0/${name}`),
      'shape.decimal /payments/0/total',
    ]);
  });

  it.each([
    [{ ruc: '1790012344002' }, '/issuer_id'],
    [{ specialTaxpayer: '12' }, '/issuer_id'],
    [{ withholdingAgent: '123456789' }, '/issuer_id'],
    [{ legalName: '' }, '/issuer_id'],
    [{ establishmentCode: '1' }, '/establishment_id'],
    [{ establishmentAddress: 'x'.repeat(301) }, '/establishment_id'],
    [{ emissionPointCode: 'A' }, '/emission_point_id'],
    [{ providerRuc: 'x'.repeat(301) }, '/additional_info/2'],
  ])('finds what is wrong with the issuer: %p', (change, pointer) => {
    expect(errorsOf(preflight(content, { ...issuer, ...change }, context))).toEqual([`schema ${pointer}`]);
  });

  it('names the line whose value only the schema refuses, beside what the rules find', () => {
    const lines = content.lines.map((line) => ({ ...line, quantity: '9999999999999.999999' }));
    const rules = errorsOf(preflight({ ...content, lines }, issuer, context));
    expect(rules).toContain('line.subtotal /lines/1/subtotal');
    expect(rules).toContain('schema /lines/1/quantity');
  });

  it('holds the size limit of the SRI with the signature counted in', () => {
    const line = { ...content.lines[1]!, description: 'x'.repeat(300) };
    const invoiceOf = (count: number) =>
      preflight(
        { ...content, lines: Array.from({ length: count }, (_, at) => ({ ...line, lineNumber: at + 1 })) },
        issuer,
        context,
      );
    const oversized = (count: number) => errorsOf(invoiceOf(count)).includes('document.size ');
    let fitting = 1;
    for (let step = 1024; step >= 1; step /= 2) if (!oversized(fitting + step)) fitting += step;
    expect(oversized(fitting)).toBe(false);
    expect(oversized(fitting + 1)).toBe(true);
    expect(invoiceOf(fitting).xmlBytes + 10 * 1024).toBeLessThanOrEqual(320 * 1024);
    expect(invoiceOf(fitting + 1).xmlBytes + 10 * 1024).toBeGreaterThan(320 * 1024);
  });
});

/** The content with one text of it, on top or in a list, replaced. */
function damage(content: DocumentContent, key: keyof DocumentContent, value: string, at: number): DocumentContent {
  const current: unknown = content[key];
  if (!Array.isArray(current)) return { ...content, [key]: value };
  const entry: unknown = current[at % Math.max(1, current.length)];
  if (typeof entry !== 'object' || entry === null) return { ...content, [key]: [] };
  const fields = Object.entries(entry)
    .filter(([name, held]) => typeof held === 'string' || (held === null && name !== 'taxes' && name !== 'term'))
    .map(([name]) => name);
  const field = fields[at % fields.length] ?? '';
  return { ...content, [key]: current.map((held: object) => (held === entry ? { ...held, [field]: value } : held)) };
}
