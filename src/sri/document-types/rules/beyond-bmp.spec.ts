import { jest } from '@jest/globals';
import { preflight } from '../../preflight.js';
import type { DocumentContent, DocumentTypeCode, IssuerSnapshot } from '../content.js';
import { documentTypes } from '../registry.js';
import { checkBeyondBmp } from './beyond-bmp.js';

const EMOJI = '😀';

interface Change {
  readonly content?: (content: DocumentContent) => object;
  readonly issuer?: Partial<IssuerSnapshot>;
}

/** Where an example, changed, is warned of; what is refused of it. */
function judged(code: DocumentTypeCode, name: string, { content: change = () => ({}), issuer: ofIssuer = {} }: Change) {
  const { content, issuer } = documentTypes.find((type) => type.code === code)!.examples.find((one) => one.name === name)!;
  const { findings } = preflight({ ...content, ...change(content) }, { ...issuer, ...ofIssuer }, { today: content.issueDate, maxIssueDateAgeDays: 90 });
  return {
    errors: findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule),
    warned: findings.filter(({ rule }) => rule === 'text.beyond_bmp').map(({ pointer, actual }) => `${pointer} ${actual}`),
  };
}

it.each([
  ['an emoji', `${'a'.repeat(298)}${EMOJI}`, EMOJI],
  ['an ideograph of extension B', '\u{20000}', '\u{20000}'],
  ['one among characters that XML escapes', `& <a> "${EMOJI}";`, EMOJI],
])('a text with %s is taken with a warning', (_name, buyerName, actual) => {
  expect(judged('01', 'full', { content: () => ({ buyerName }) })).toEqual({ errors: [], warned: [`/buyer_name ${actual}`] });
});

it('a text without any is not warned of', () => {
  expect(judged('01', 'full', { content: () => ({ buyerName: 'Ñandú ☎ € 北京' }) })).toEqual({ errors: [], warned: [] });
});

it.each<[string, DocumentTypeCode, string, Change, string[]]>([
  [
    'lines and additional fields', '01', 'full',
    {
      content: ({ lines: [line, ...others] }) => ({
        lines: [{ ...line, description: EMOJI, mainCode: EMOJI, additionalDetails: [{ name: EMOJI, value: `"${EMOJI}<` }] }, ...others],
        additionalInfo: [{ name: EMOJI, value: EMOJI }],
      }),
    },
    ['/lines/0/description', '/lines/0/main_code', '/lines/0/additional_details/0/name', '/lines/0/additional_details/0/value', '/additional_info/0/name', '/additional_info/0/value'],
  ],
  ['an identification', '01', 'full', { content: () => ({ buyerIdType: '06', buyerId: EMOJI }) }, ['/buyer_id']],
  ['a trip', '06', 'full', { content: ({ transport }) => ({ transport: { ...transport, originAddress: EMOJI } }) }, ['/transport/origin_address']],
  ['a reason that is sent', '04', 'full', { content: () => ({ reason: EMOJI }) }, ['/reason']],
  ['a reason that is not sent', '01', 'full', { content: () => ({ reason: EMOJI }) }, []],
  ['a reason that is not sent and ends as a text that is', '01', 'full', { content: () => ({ buyerName: `a${EMOJI}`, reason: `b${EMOJI}` }) }, ['/buyer_name']],
  ['an address that is not sent', '04', 'full', { content: () => ({ buyerAddress: EMOJI }) }, []],
  ['the issuer', '01', 'full', { issuer: { tradeName: EMOJI, establishmentAddress: EMOJI } }, ['/issuer_id', '/establishment_id']],
])('of what the XML of a document holds: %s', (_name, code, example, change, pointers) => {
  expect(judged(code, example, change)).toEqual({ errors: [], warned: pointers.map((pointer) => `${pointer} ${EMOJI}`) });
});

it('no pointer is put together for a text without any', () => {
  const { content, issuer } = documentTypes.find(({ code }) => code === '01')!.examples[0]!;
  const [line] = content.lines;
  const long = { ...content, buyerName: EMOJI, lines: Array(500).fill(line) as typeof content.lines };
  const replaced = jest.spyOn(String.prototype, 'replace');
  try {
    expect(Array.from(checkBeyondBmp(long, issuer, `<a>${EMOJI}</a>`), ({ pointer }) => pointer)).toEqual(['/buyer_name']);
    expect(replaced).toHaveBeenCalledTimes(1);
  } finally {
    replaced.mockRestore();
  }
});
