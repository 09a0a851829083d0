import { preflight } from '../../preflight.js';
import type { Destination, DocumentContent, DocumentLine, DocumentTax, IssuerSnapshot, Transport } from '../content.js';
import { DELIVERY_GUIDE } from './delivery-guide.js';
import { DELIVERY_GUIDE_EXAMPLES } from './examples.js';

const TODAY = '2026-09-15';
const named = (name: string) => DELIVERY_GUIDE_EXAMPLES.find((example) => example.name === name)!;
const FULL = named('full');
const SEVERAL = named('several-consignees');

/** Findings as `rule pointer`, so that a test says all that came out, not a part of it. */
function rulesOf(content: DocumentContent, issuer: IssuerSnapshot = FULL.issuer): string[] {
  return preflight(content, issuer, { today: TODAY, maxIssueDateAgeDays: 90 }).findings.map(
    ({ severity, rule, pointer }) => `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`,
  );
}

const full = (change: Partial<DocumentContent>): DocumentContent => ({ ...FULL.content, ...change });
const trip = (change: Partial<Transport>): DocumentContent =>
  full({ transport: { ...FULL.content.transport!, ...change } });
const carrier = (idType: string, id: string) => trip({ carrier: { idType, id, name: 'X' } });
const line = (change: Partial<DocumentLine>): DocumentContent =>
  full({ lines: FULL.content.lines.map((entry, at) => (at === 0 ? { ...entry, ...change } : entry)) });
const tax = (change: Partial<DocumentTax>): DocumentContent =>
  full({ taxes: [{ ...FULL.content.taxes[0]!, ...change }] });

function destination(index: number, change: Partial<Destination>): DocumentContent {
  const transport = SEVERAL.content.transport!;
  const destinations = transport.destinations.map((entry, at) => (at === index ? { ...entry, ...change } : entry));
  return { ...SEVERAL.content, transport: { ...transport, destinations } };
}

function withSupport(change: Partial<NonNullable<Destination['supportingDocument']>>): DocumentContent {
  const support = SEVERAL.content.transport!.destinations[0]!.supportingDocument!;
  return destination(0, { supportingDocument: { ...support, ...change } });
}

it('names the final consumer as the SRI does, whatever its letters', () => {
  const told = full({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'Consumidor Final' });
  const { content, findings } = preflight(told, FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
  expect([content.buyerName, findings]).toEqual(['CONSUMIDOR FINAL', []]);
});

it('has nothing to report on its examples', () => {
  // One has signs in it that the printed document has none of, and one that the SRI may count as two.
  const told = ['warning text.not_printed /transport/origin_address', 'warning text.beyond_bmp /buyer_name'];
  for (const { content, issuer } of DELIVERY_GUIDE_EXAMPLES) expect(rulesOf(content, issuer)).toEqual(content.transport?.originAddress.includes('日本語') === true ? told : []);
});

it.each<[string, DocumentContent, string[]]>([
  ['no transport', full({ transport: null }), ['guide.transport_missing /transport']],
  ['no address', full({ buyerAddress: null }), ['guide.address_missing /buyer_address']],
  ['no reason', full({ reason: '' }), ['guide.reason_missing /reason']],
  ['no buyer', full({ buyerName: null }), ['buyer.incomplete /buyer_name']],
  ['a long reason', full({ reason: 'x'.repeat(301) }), ['text.length /reason']],
])('needs a trip and a consignee: %s', (_name, content, expected) => {
  expect(rulesOf(content)).toEqual(expected);
});

it.each<[string, DocumentContent, string[]]>([
  ['starts on another day', trip({ startDate: '2026-09-16' }), ['transport.start_date /transport/start_date']],
  ['ends before it starts', trip({ endDate: '2026-09-14' }), ['transport.end_date /transport/end_date']],
  ['one-day trip', trip({ endDate: '2026-09-15' }), []],
  ['no such day', trip({ endDate: '2026-02-30' }), ['shape.structure /transport/end_date']],
  ['no plate', trip({ plate: '' }), ['text.empty /transport/plate']],
  [
    'a long plate',
    trip({ plate: 'X'.repeat(21) }),
    ['warning transport.plate_unusual /transport/plate', 'text.length /transport/plate'],
  ],
  ['a motorcycle', trip({ plate: 'IA123B' }), []],
  ['a foreign plate', trip({ plate: 'XYZ 99' }), ['warning transport.plate_unusual /transport/plate']],
  ['no origin', trip({ originAddress: '' }), ['text.empty /transport/origin_address']],
  ['a line break', trip({ route: 'Quito\nAmbato' }), ['text.characters /transport/route']],
  ['a long declaration', trip({ customsDocument: 'x'.repeat(21) }), ['text.length /transport/customs_document']],
  [
    'establishment',
    trip({ destinationEstablishment: '1' }),
    ['transport.establishment /transport/destination_establishment'],
  ],
])('checks the trip: %s', (_name, content, expected) => {
  expect(rulesOf(content)).toEqual(expected);
});

it.each([
  ['04', '1710034065001', []],
  ['RUC', '1790012344002', []],
  ['04', '1710034065', ['carrier.id /transport/carrier/id']],
  ['05', '1710034065', []],
  ['05', '1710034066', ['warning carrier.check_digit /transport/carrier/id']],
  ['05', '171003406', ['carrier.id /transport/carrier/id']],
  ['06', 'AB-12', []],
  ['06', 'ab 12', []],
  ['06', '护照123', ['warning text.not_printed /transport/carrier/id']],
  ['06', ' 12', ['carrier.id /transport/carrier/id']],
  ['08', 'Ñ_12/3', []],
  ['08', ' X', ['carrier.id /transport/carrier/id']],
  ['08', '9999999999999', ['carrier.id /transport/carrier/id']],
  ['07', '9999999999999', ['carrier.id_type /transport/carrier/id_type']],
  ['99', '1', ['carrier.id_type /transport/carrier/id_type']],
])('identifies the carrier: %s %s', (idType, id, expected) => {
  expect(rulesOf(carrier(idType, id))).toEqual(expected);
});

it.each<[string, DocumentContent, string[]]>([
  ['subtotal', full({ subtotal: '1.00' }), ['guide.money /subtotal']],
  ['discount', full({ totalDiscount: '0.01' }), ['guide.money /total_discount']],
  ['tax', full({ totalTax: '1.00' }), ['guide.money /total_tax']],
  ['total', full({ total: '1.00' }), ['guide.money /total']],
  ['price', line({ unitPrice: '1.000000' }), ['guide.money /lines/0/unit_price']],
  ['line subtotal', line({ subtotal: '1.00' }), ['guide.money /lines/0/subtotal']],
  ['line discount', line({ discount: '1.00' }), ['guide.money /lines/0/discount']],
  ['base', tax({ taxableBase: '1.00' }), ['guide.taxes /taxes/0/taxable_base']],
  ['rate', tax({ rate: '0.1500' }), ['guide.taxes /taxes/0/rate']],
  ['amount', tax({ taxAmount: '1.00' }), ['guide.taxes /taxes/0/tax_amount']],
  ['code', tax({ taxRateCode: '99' }), ['guide.taxes /taxes/0']],
  ['two', full({ taxes: [FULL.content.taxes[0]!, FULL.content.taxes[0]!] }), ['guide.taxes /taxes']],
  ['quantity', line({ quantity: '0.000000' }), ['line.quantity /lines/0/quantity']],
  ['number', line({ lineNumber: 2 }), ['line.number_repeated /lines/1/line_number']],
  ['tip', full({ tip: '1.00' }), ['guide.money /tip']],
  ['a tip of nothing', full({ tip: '0.00' }), []],
])('carries no money: %s', (_name, content, expected) => {
  expect(rulesOf(content)).toEqual(expected);
});

it.each<[string, DocumentContent, string[]]>([
  ['without number', full({ modifiedDocumentNumber: null }), ['guide.support_incomplete /modified_document_number']],
  ['bare number', full({ modifiedDocumentNumber: '001002000000101' }), ['support.number /modified_document_number']],
  ['unknown type', full({ modifiedDocumentType: '99' }), ['support.document_type /modified_document_type']],
  ['later', full({ modifiedDocumentIssueDate: '2026-09-16' }), ['support.date /modified_document_issue_date']],
  ['three digits', full({ modifiedDocumentType: '294' }), ['schema /modified_document_type']],
])("checks the buyer's supporting document: %s", (_name, content, expected) => {
  expect(rulesOf(content)).toEqual(expected);
});

it.each([
  ['carrier.id_type', carrier('99', '1'), /^04, 05, 06, 08$/],
  ['support.document_type', full({ modifiedDocumentType: '99' }), /^01, 02, 03, 04, 05, .*41, .*375$/],
])('tells the codes where one is unknown: %s', (rule, content, codes) => {
  const { findings } = preflight(content, FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
  expect(findings).toEqual([expect.objectContaining({ rule, expected: expect.stringMatching(codes) as unknown })]);
});

const AT = '/transport/destinations';

it.each<[string, DocumentContent, string[]]>([
  ['twice in one', destination(0, { lineNumbers: [1, 3, 1] }), [`destination.line_repeated ${AT}/0/line_numbers/2`]],
  ['at two', destination(1, { lineNumbers: [2, 3] }), [`destination.line_repeated ${AT}/1/line_numbers/1`]],
  ['nowhere', destination(0, { lineNumbers: [1] }), ['destination.line_unassigned /lines/2/line_number']],
  ['unknown', destination(0, { lineNumbers: [1, 3, 9] }), [`destination.line_unknown ${AT}/0/line_numbers/2`]],
  [
    'none',
    destination(1, { lineNumbers: [] }),
    [`destination.lines_missing ${AT}/1/line_numbers`, 'destination.line_unassigned /lines/1/line_number'],
  ],
  ['no name', destination(1, { name: '' }), [`text.empty ${AT}/1/name`]],
  ['no address', destination(0, { address: '' }), [`text.empty ${AT}/0/address`]],
  ['long id', destination(0, { id: '1'.repeat(21) }), [`text.length ${AT}/0/id`]],
  ['establishment', destination(1, { establishment: 'A' }), [`transport.establishment ${AT}/1/establishment`]],
  ['bare number', withSupport({ number: '001002000000102' }), [`support.number ${AT}/0/supporting_document/number`]],
  [
    'odd length',
    withSupport({ authorizationNumber: '1'.repeat(11) }),
    [`support.authorization_number ${AT}/0/supporting_document/authorization_number`],
  ],
  [
    'a wrong key',
    withSupport({ authorizationNumber: '1'.repeat(49) }),
    [`warning support.access_key ${AT}/0/supporting_document/authorization_number`],
  ],
  ['a paper one', withSupport({ authorizationNumber: '1'.repeat(10) }), []],
  [
    'a key of another',
    withSupport({ number: '001-002-000000103' }),
    [`warning support.access_key_of_other ${AT}/0/supporting_document/authorization_number`],
  ],
  ['later', withSupport({ authorizationNumber: null, issueDate: '2026-09-16' }), [`support.date ${AT}/0/supporting_document/issue_date`]],
])('gives every line to exactly one complete consignee: %s', (_name, content, expected) => {
  expect(rulesOf(content, SEVERAL.issuer)).toEqual(expected);
});

it('writes each line once, however many consignees name it', () => {
  const lines = Array.from({ length: 190 }, (_, index) => ({ ...SEVERAL.content.lines[0]!, lineNumber: index + 1, description: '&'.repeat(300) }));
  const [first] = SEVERAL.content.transport!.destinations;
  const all = lines.map(({ lineNumber }) => lineNumber);
  const destinations = Array.from({ length: 500 }, () => ({ ...first!, lineNumbers: all }));
  const found = preflight({ ...SEVERAL.content, lines, transport: { ...SEVERAL.content.transport!, destinations } }, SEVERAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
  expect(found.findings.map(({ rule }) => rule)).toContain('destination.line_repeated');
  expect(found.xmlBytes).toBeLessThan(1_000_000);
});

it('warns of what a guide has no place for', () => {
  const [first] = FULL.content.taxes;
  expect(rulesOf(line({ unitOfMeasure: 'kg', taxes: [first!] }))).toEqual([
    'warning document.unused_field /lines/0/unit_of_measure',
    'warning document.unused_field /lines/0/taxes',
  ]);
});

it.each<[string, DocumentContent, string[]]>([
  ['a withholding', full({ withholding: {} as never }), ['document.field_of_other_type /withholding']],
  ['a number of another guide', full({ deliveryGuideNumber: '001-002-000000003' }), ['document.field_of_other_type /delivery_guide_number']],
  ['the plate of a sold vehicle', full({ vehiclePlate: 'PBA1234' }), ['document.field_of_other_type /vehicle_plate']],
  ['charges of third parties', full({ thirdPartyCharges: [{ concept: 'Flete', total: '1.00' }] }), ['document.field_of_other_type /third_party_charges']],
  ['payments', full({ payments: [{ lineNumber: 1, paymentMethodCode: '20', total: '1.00', term: null, timeUnit: null }] }), ['warning document.unused_field /payments']],
  ['a document that only its id names', full({ modifiedDocumentId: 'x', modifiedDocumentType: null, modifiedDocumentNumber: null, modifiedDocumentIssueDate: null }), ['warning guide.unused_field /modified_document_id']],
  ["the buyer's supporting document beside consignees", { ...SEVERAL.content, modifiedDocumentType: '01', modifiedDocumentNumber: '001-002-000000101', modifiedDocumentIssueDate: '2026-09-15' }, ['warning guide.unused_field /modified_document_number']],
])('carries nothing of other types: %s', (_name, content, expected) => {
  expect(rulesOf(content, content.transport === FULL.content.transport ? FULL.issuer : SEVERAL.issuer)).toEqual(expected);
});

it('warns of a buyer who receives nothing', () => {
  const elsewhere = { buyerIdType: '04', buyerId: '1790012344001' };
  expect(rulesOf({ ...SEVERAL.content, ...elsewhere }, SEVERAL.issuer)).toEqual(['warning guide.buyer_not_consignee /buyer_id']);
  expect(rulesOf(full(elsewhere))).toEqual([]);
});

it('names the trip in what only the schema refuses', () => {
  const lines = FULL.content.lines.map((entry) => ({ ...entry, quantity: '9999999999999.999999' }));
  expect(rulesOf(full({ lines }))).toEqual(['schema /lines/0/quantity', 'schema /lines/1/quantity']);
  const several = SEVERAL.content.lines.map((entry) => ({ ...entry, quantity: '9999999999999.999999' }));
  expect(rulesOf({ ...SEVERAL.content, lines: several }, SEVERAL.issuer)).toEqual([
    `schema ${AT}/0/line_numbers/0`,
    `schema ${AT}/0/line_numbers/1`,
    `schema ${AT}/1/line_numbers/0`,
  ]);
});

it.each<[string, unknown, string]>([
  ['text', 'junk', '/transport'],
  ['list', [], '/transport'],
  ['no carrier', { ...FULL.content.transport, carrier: null }, '/transport/carrier'],
  ['number as text', { ...FULL.content.transport, destinations: [{ lineNumbers: ['1'] }] }, `${AT}/0/line_numbers/0`],
])('answers a malformed trip with findings: %s', (_name, transport, pointer) => {
  const found = rulesOf(full({ transport: transport as Transport }));
  expect(found).toContain(`shape.structure ${pointer}`);
  expect(found.every((entry) => entry.startsWith('shape.'))).toBe(true);
});

it('writes the authorization of a supporting document that the service knows', () => {
  const key = SEVERAL.content.transport!.destinations[0]!.supportingDocument!.authorizationNumber!;
  const known = full({ modifiedDocumentAuthorization: key });
  expect(rulesOf(known)).toEqual([]);
  // Its key may be of the day before a correction.
  expect(rulesOf({ ...known, modifiedDocumentIssueDate: '2026-09-13' })).toEqual([]);
  expect(DELIVERY_GUIDE.buildXml(known, FULL.issuer, FULL.numbering)).toContain(`<numAutDocSustento>${key}</numAutDocSustento>`);
  expect(DELIVERY_GUIDE.buildXml(FULL.content, FULL.issuer, FULL.numbering)).not.toContain('numAutDocSustento');
});

it('lets a destination fall back on the route of the trip', () => {
  const xml = DELIVERY_GUIDE.buildXml(SEVERAL.content, SEVERAL.issuer, SEVERAL.numbering);
  expect(xml.match(/<ruta>[^<]*/g)).toEqual(['<ruta>Quito, Ambato, Riobamba', '<ruta>Quito, Riobamba']);
  expect(xml.match(/<codDocSustento>/g)).toHaveLength(1);
});
