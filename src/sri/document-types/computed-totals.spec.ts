import { preflight } from '../preflight.js';
import { hasComputableTotals, withComputedTotals } from './computed-totals.js';
import type { DocumentContent } from './content.js';
import { documentTypes } from './registry.js';

/** Seven lines of 0.10 at 15 %: 0.02 each when rounded one by one (0.14), 0.11 as one base. */
function sevenSmallLines(code: string): DocumentContent {
  const example = documentTypes.find((type) => type.code === code)!.examples[0]!;
  const line = {
    ...example.content.lines[0]!,
    quantity: '1.000000',
    unitPrice: '0.100000',
    discount: '0.00',
    subtotal: '0.10',
    taxCode: '2',
    taxRateCode: '4',
    taxes: null,
  };
  const lines = Array.from({ length: 7 }, (_, index) => ({ ...line, lineNumber: index + 1 }));
  const content = { ...example.content, issueDate: '2026-09-15', lines, payments: [], taxes: [], reimbursements: [] };
  return withComputedTotals(content, example.issuer);
}

it.each([
  ['01', '0.14'],
  ['03', '0.14'],
  ['04', '0.14'],
  ['05', '0.11'],
])('computes the tax of %s as its XML shows it', (code, tax) => {
  const content = sevenSmallLines(code);
  expect(content.taxes.map(({ taxAmount }) => taxAmount)).toEqual([tax]);
  const { issuer } = documentTypes.find((type) => type.code === code)!.examples[0]!;
  const { findings } = preflight(content, issuer, { today: content.issueDate, maxIssueDateAgeDays: 90 });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

const EXAMPLES = documentTypes.flatMap((type) => type.examples.map((example) => [type.code, example.name, example] as const));
const isShortWithholding = ({ documentType, withholding }: DocumentContent): boolean => documentType === '07' && withholding === null;

it.each(EXAMPLES.filter(([, , { content }]) => !isShortWithholding(content)))(
  'computes totals of %s %s that every rule accepts',
  (_code, _name, { content, issuer }) => {
    const blank = { subtotal: '0.00', totalDiscount: '0.00', totalTax: '0.00', total: '0.00', taxes: [], payments: [] };
    const computed = withComputedTotals({ ...content, ...blank }, issuer);
    const { findings } = preflight(computed, issuer, { today: content.issueDate, maxIssueDateAgeDays: 90 });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(computed.subtotal).toBe(content.subtotal);
    expect(computed.totalDiscount).toBe(content.totalDiscount);
    expect(computed.taxes.length).toBe(content.taxes.length);
  },
);

it('computes nothing for a short withholding: what is withheld is in no other field', () => {
  const short = EXAMPLES.map(([, , { content }]) => content).filter(isShortWithholding);
  expect(short.map(hasComputableTotals)).toEqual([false]);
  expect(EXAMPLES.filter(([, , { content }]) => hasComputableTotals(content))).toHaveLength(EXAMPLES.length - 1);
});
