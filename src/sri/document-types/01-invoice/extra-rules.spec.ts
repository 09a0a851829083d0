import { preflight } from '../../preflight.js';
import type { DocumentContent, ForeignTrade, SubstituteGuide } from '../content.js';
import { INVOICE_EXAMPLES } from './examples.js';
import { INVOICE } from './invoice.js';

const CONTEXT = { today: '2026-09-15', maxIssueDateAgeDays: 90 };
const named = (name: string) => INVOICE_EXAMPLES.find((example) => example.name === name)!;
const EXPORT = named('export');
const CHARGES = named('third-party-charges');
const GUIDE = named('substitute-guide');

/** All findings as `severity rule pointer`. */
const rulesOf = (content: DocumentContent): string[] =>
  preflight(content, EXPORT.issuer, CONTEXT).findings.map(
    ({ severity, rule, pointer }) => `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`,
  );

const trade = (change: Partial<ForeignTrade>): DocumentContent => ({
  ...EXPORT.content,
  foreignTrade: { ...EXPORT.content.foreignTrade!, ...change },
});
/** The example's destination holds signs that are warned of. */
const guide = (change: Partial<SubstituteGuide>): DocumentContent => ({
  ...GUIDE.content,
  substituteGuide: { ...GUIDE.content.substituteGuide!, destinationAddress: 'Ambato', ...change },
});
const carrier = GUIDE.content.substituteGuide!.carrier;
const destination = GUIDE.content.substituteGuide!.destinations[0]!;

it.each(INVOICE_EXAMPLES.map((example) => [example.name, example] as const))('%s may be issued', (_, example) => {
  const { findings } = preflight(example.content, example.issuer, CONTEXT);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

it('is version 2.1.0 only where charges of third parties or a replaced guide need it', () => {
  const versions = INVOICE_EXAMPLES.map(({ name, content }) => [name, INVOICE.version(content)]);
  expect(versions.filter(([, version]) => version === '2.1.0').map(([name]) => name)).toEqual([
    'third-party-charges',
    'substitute-guide',
  ]);
});

describe('foreign trade', () => {
  const at = '/foreign_trade';
  it.each([
    [trade({}), []],
    [trade({ incoterm: 'fob' }), [`foreign_trade.incoterm ${at}/incoterm`]],
    [trade({ incotermSubtotal: 'A'.repeat(11) }), [`foreign_trade.incoterm ${at}/incoterm_subtotal`]],
    [trade({ incotermSubtotal: null }), [`warning foreign_trade.incoterm_subtotal_missing ${at}/incoterm_subtotal`]],
    [{ ...trade({}), buyerAddress: null }, ['warning foreign_trade.buyer_address_missing /buyer_address']],
    [
      { ...trade({}), buyerIdType: '07', buyerId: null, buyerName: null },
      ['invoice.final_consumer_limit /total', 'warning foreign_trade.final_consumer /buyer_id_type'],
    ],
    [trade({ originCountry: 'EC' }), [`foreign_trade.country ${at}/origin_country`]],
    [trade({ destinationCountry: '1' }), [`foreign_trade.country ${at}/destination_country`]],
    [trade({ destinationCountry: null, acquisitionCountry: null }), []],
    [trade({ loadingPort: '' }), [`text.empty ${at}/loading_port`]],
    [trade({ destinationPort: 'x'.repeat(301) }), [`text.length ${at}/destination_port`]],
    [trade({ freight: '120.01' }), ['totals.total /total']],
    [trade({ otherCharges: '0.01' }), ['totals.total /total']],
    [trade({ insurance: 'x' }), [`shape.structure ${at}/insurance`]],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });
});

it('shows by examples what a country is, not by a value that nobody may send', () => {
  const [found] = preflight(trade({ originCountry: 'EC' }), EXPORT.issuer, CONTEXT).findings;
  expect(found).toMatchObject({ rule: 'foreign_trade.country', expected: '593, 110…', actual: 'EC' });
});

describe('charges of third parties', () => {
  const charges = (total: string, concept = 'Bomberos'): DocumentContent => ({
    ...CHARGES.content,
    thirdPartyCharges: [{ concept, total }],
  });
  it.each([
    [charges('7.55'), []],
    [charges('7.56'), ['totals.total /total']],
    [charges('7.55', ''), ['text.empty /third_party_charges/0/concept']],
    [charges('-7.55'), ['shape.structure /third_party_charges/0/total']],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });
});

describe('a guide that the invoice replaces', () => {
  const at = '/substitute_guide';
  it.each([
    [guide({}), []],
    [guide({ startDate: '2026-09-14' }), [`substitute_guide.start_date ${at}/start_date`]],
    [guide({ endDate: '2026-09-14' }), [`substitute_guide.end_date ${at}/end_date`]],
    [guide({ endDate: '2026-09-31' }), [`shape.structure ${at}/end_date`]],
    [guide({ carrier: { ...carrier, idType: '07' } }), [`substitute_guide.carrier ${at}/carrier/id_type`]],
    [guide({ carrier: { ...carrier, idType: '06', id: 'ab 12.3/4' } }), []],
    [guide({ carrier: { ...carrier, idType: '06', id: '护照123' } }), [`warning text.not_printed ${at}/carrier/id`]],
    [guide({ carrier: { ...carrier, id: 'x' } }), [`substitute_guide.carrier ${at}/carrier/id`]],
    [
      guide({ carrier: { ...carrier, id: '1710034066' } }),
      [`warning substitute_guide.carrier_check_digit ${at}/carrier/id`],
    ],
    [guide({ plate: 'x'.repeat(21) }), [`warning invoice.plate_unusual ${at}/plate`, `text.length ${at}/plate`]],
    [guide({ plate: '' }), [`text.empty ${at}/plate`]],
    [guide({ originAddress: '' }), [`text.empty ${at}/origin_address`]],
    [guide({ destinations: [] }), [`substitute_guide.destinations ${at}/destinations`]],
    [
      guide({ destinations: [{ ...destination, establishment: '1', customsDocument: 'x'.repeat(65) }] }),
      [
        `text.length ${at}/destinations/0/customs_document`,
        `substitute_guide.establishment ${at}/destinations/0/establishment`,
      ],
    ],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });
});

it('takes no field of another type', () => {
  const content = {
    ...guide({}),
    withholding: { fiscalPeriod: '09/2026', relatedParty: false, subjectType: null, supportingDocuments: [] },
  };
  expect(rulesOf(content)).toEqual(['document.field_of_other_type /withholding']);
});
