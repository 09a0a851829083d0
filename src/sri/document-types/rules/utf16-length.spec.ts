import { preflight } from '../../preflight.js';
import { validateAgainstSchema } from '../../xml/schema.js';
import type { DocumentContent, DocumentTypeCode, IssuerSnapshot } from '../content.js';
import { documentTypes } from '../registry.js';

const EMOJI = '😀';
const RULE = 'text.length_in_code_units';

/** Lengths on both sides of half of the bounds that texts have: 20, 25, 300. */
const LENGTHS = [10, 11, 13, 150, 151];

type Changed = readonly [place: string, part: unknown];

/** Every copy of a part of the content in which one text is another. */
function* withText(part: unknown, text: string, place = ''): Generator<Changed> {
  if (typeof part === 'string') yield [place, text];
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    for (const [at, changed] of withText(value, text, `${place}/${name}`)) {
      yield [at, Array.isArray(part) ? part.with(Number(name), changed) : { ...part, [name]: changed }];
    }
  }
}

const examples = documentTypes.flatMap((type) => type.examples.map((example) => [type.code, example.name, type, example] as const));

/** Whether Java, for which a character beyond U+FFFF is two, would find a text too long. */
function isRefusedByJava(type: (typeof documentTypes)[number], content: DocumentContent, issuer: IssuerSnapshot): boolean {
  const xml = type.buildXml(content, issuer, { sequential: 1, accessKey: '0'.repeat(49) });
  return validateAgainstSchema(xml.replace(/[\u{10000}-\u{10ffff}]/gu, 'xx'), type.schemaFile(content)).length > 0;
}

const judged = (content: DocumentContent, issuer: IssuerSnapshot) => {
  const { content: whole, findings } = preflight(content, issuer, { today: content.issueDate, maxIssueDateAgeDays: 90 });
  return { whole, errors: findings.filter(({ severity }) => severity === 'error') };
};

it.each(examples)('each text of %s %s that is sent is refused where Java would count more than its bound, and only there', (_code, _name, type, { content, issuer }) => {
  for (const length of LENGTHS) {
    for (const [place, changed] of withText(content, EMOJI.repeat(length))) {
      const { whole, errors } = judged(changed as DocumentContent, issuer);
      const others = errors.filter(({ rule }) => rule !== RULE);
      if (others.length > 0) continue;
      expect([place, length, errors.length > 0]).toEqual([place, length, isRefusedByJava(type, whole, issuer)]);
    }
  }
});

it.each(examples)('so is each text of the issuer of %s %s', (_code, _name, type, { content, issuer }) => {
  for (const name of ['legalName', 'tradeName', 'headOfficeAddress', 'establishmentAddress', 'largeTaxpayer'] as const) {
    for (const length of [150, 151, 300]) {
      const changed = { ...issuer, [name]: EMOJI.repeat(length) };
      const { whole, errors } = judged(content, changed);
      expect([name, length, errors.length > 0]).toEqual([name, length, isRefusedByJava(type, whole, changed)]);
      expect(errors.every(({ rule }) => rule === RULE)).toBe(true);
    }
  }
});

it.each<[DocumentTypeCode, string, (content: DocumentContent) => object, object]>([
  ['01', 'full', () => ({ buyerName: `${'a'.repeat(298)}${EMOJI}${EMOJI}` }), { pointer: '/buyer_name', expected: '≤ 300', actual: '300 (UTF-16: 302)' }],
  ['01', 'full', ({ lines: [line, ...others] }) => ({ lines: [{ ...line, description: EMOJI.repeat(151) }, ...others] }), { pointer: '/lines/0/description', expected: 'SRI ≤ 300, API ≤ 1000', actual: '151 (UTF-16: 302)' }],
  ['01', 'full', () => ({ buyerIdType: '06', buyerId: EMOJI.repeat(11) }), { pointer: '/buyer_id', expected: '≤ 20', actual: '11 (UTF-16: 22)' }],
  ['01', 'full', () => ({ buyerIdType: '08', buyerId: EMOJI.repeat(20) }), { pointer: '/buyer_id', expected: '≤ 20', actual: '20 (UTF-16: 40)' }],
  ['06', 'full', ({ transport }) => ({ transport: { ...transport, carrier: { idType: '06', id: EMOJI.repeat(11), name: 'X' } } }), { pointer: '/transport/carrier/id', expected: '≤ 20', actual: '11 (UTF-16: 22)' }],
  ['01', 'reimbursement', ({ reimbursements }) => ({ reimbursements: reimbursements.map((entry) => ({ ...entry, supplierIdType: '06', supplierId: EMOJI.repeat(11) })) }), { pointer: '/reimbursements/0/supplier_id', expected: '≤ 20', actual: '11 (UTF-16: 22)' }],
])('both counts and the bound are named: %s %s, case %#', (code, name, change, expected) => {
  const { content, issuer } = documentTypes.find((type) => type.code === code)!.examples.find((one) => one.name === name)!;
  expect(judged({ ...content, ...change(content) }, issuer).errors).toContainEqual(expect.objectContaining({ ...expected, rule: RULE, severity: 'error' }));
});
