import { withComputedTotals } from '../computed-totals.js';
import type { DocumentContent } from '../content.js';
import { preflight } from '../../preflight.js';
import { documentTypes } from '../registry.js';

const ADDRESS = '/buyer_address';
const REASON = '/reason';
const DESCRIPTION = '/lines/0/description';
const TIME_UNIT = '/payments/0/time_unit';

/** The places of texts that are too long for the SRI in a document that is longer everywhere than the SRI takes, and no longer than the API. */
function tooLong(code: string): string[] {
  const { examples } = documentTypes.find((type) => type.code === code)!;
  const { content, issuer } = examples.find(({ name }) => name === 'full')!;
  const long: DocumentContent = {
    ...content,
    buyerAddress: 'x'.repeat(500),
    reason: 'x'.repeat(500),
    lines: content.lines.map((line, index) => (index === 0 ? { ...line, description: 'x'.repeat(1000) } : line)),
    payments: [{ lineNumber: 1, paymentMethodCode: '20', total: content.total, term: 1, timeUnit: 'x'.repeat(20) }],
  };
  const errors = preflight(withComputedTotals(long, issuer), issuer, { today: content.issueDate, maxIssueDateAgeDays: 90 }).findings.filter(({ severity }) => severity === 'error');
  expect(new Set(errors.map(({ rule }) => rule))).toEqual(new Set(errors.length > 0 ? ['text.length'] : []));
  return errors.map(({ pointer }) => pointer);
}

it.each([
  ['01', [ADDRESS, DESCRIPTION, TIME_UNIT]],
  ['03', [ADDRESS, DESCRIPTION, TIME_UNIT]],
  ['04', [REASON, DESCRIPTION]],
  ['05', [DESCRIPTION, TIME_UNIT]],
  ['06', [ADDRESS, REASON, DESCRIPTION]],
  ['07', []],
])('only texts that are sent are held against the bounds of the SRI: type %s', (code, expected) => {
  expect(tooLong(code)).toEqual(expected);
});

it('a guide that lists destinations sends neither address nor reason of the buyer', () => {
  const { content, issuer } = documentTypes.find(({ code }) => code === '06')!.examples.find(({ name }) => name === 'several-consignees')!;
  const long = { ...content, buyerAddress: 'x'.repeat(500), reason: 'x'.repeat(500) };
  expect(preflight(long, issuer, { today: content.issueDate, maxIssueDateAgeDays: 90 }).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});
