import { final, findingsOf, FULL, full, fullLine, fullTax, rulesOf, TODAY } from '../../../../test/support/documents/invoices.js';
import { preflight } from '../../preflight.js';
import type { DocumentContent, DocumentLine } from '../content.js';
import { INVOICE } from './invoice.js';

describe('a good invoice', () => {
  it('has nothing to report', () => {
    expect(rulesOf(FULL.content)).toEqual([]);
    expect(rulesOf(final({}))).toEqual([]);
  });

  it('has complete findings when it is not good', () => {
    const [found] = findingsOf(full({ total: '30.01' }));
    expect(found).toEqual({
      pointer: '/total',
      rule: 'totals.total',
      message: {
        es: 'El total no es subtotal − descuento + impuestos + propina y demás cargos',
        en: 'The total is not subtotal − discount + tax + tip and other charges',
      },
      expected: '30.00',
      actual: '30.01',
      reference: 'Ficha técnica 2.32, anexo 3 y mensaje 52',
      severity: 'error',
    });
  });

  it('reports everything in one pass', () => {
    const found = rulesOf(
      full({ issueDate: '2026-09-16', total: '1.00', buyerId: 'x', taxes: [], deliveryGuideNumber: '1', payments: [] }),
    );
    expect(found).toEqual(['shape.empty /taxes']);
    expect(
      rulesOf({
        ...fullTax(0, { taxRateCode: '99' }),
        issueDate: '2026-09-16',
        total: '1.00',
        buyerId: 'x',
        deliveryGuideNumber: '1',
      }),
    ).toEqual([
      'issue_date.future /issue_date',
      'buyer.cedula /buyer_id',
      'tax.rate_code /taxes/0/tax_rate_code',
      'taxes.missing /taxes',
      'totals.total /total',
      'payments.sum /payments',
      'invoice.delivery_guide_number /delivery_guide_number',
    ]);
  });
});

describe('issue date', () => {
  it.each([
    ['2026-09-16', ['issue_date.future /issue_date']],
    ['2026-09-14', ['warning issue_date.not_today /issue_date']],
    ['2026-06-17', ['warning issue_date.not_today /issue_date']],
    ['2026-06-16', ['issue_date.too_old /issue_date']],
  ])('%s gives %p', (issueDate, expected) => {
    expect(rulesOf(full({ issueDate }))).toEqual(expected);
  });

  it('may be any past day within the configured age', () => {
    expect(rulesOf(full({ issueDate: '2026-09-10' }), FULL.issuer, 4)).toEqual(['issue_date.too_old /issue_date']);
    expect(rulesOf(full({ issueDate: '2026-09-14' }), FULL.issuer, 0)).toEqual(['issue_date.too_old /issue_date']);
  });
});

describe('plates', () => {
  const missing = ['warning invoice.plate_missing /vehicle_plate'];
  const without = (change: Partial<DocumentLine>, issueDate = TODAY): DocumentContent => ({ ...fullLine(0, change), vehiclePlate: null, issueDate });

  it.each<[string, DocumentContent, string[]]>([
    ['transport to a client', without({ auxCode: 'H492001' }), missing],
    ['transport to the operator', without({ auxCode: 'H492002' }), missing],
    ['transport the first day', without({ auxCode: 'H492001' }, '2026-07-01'), missing],
    ['transport before that', without({ auxCode: 'H492001' }, '2026-06-30'), []],
    ['fuel', without({ mainCode: '0101' }), missing],
    ['fuel before that', without({ mainCode: '0101' }, '2026-06-30'), missing],
    ['an empty plate', { ...without({ mainCode: '0101' }), vehiclePlate: '' }, missing],
    ['something else', without({ mainCode: '101', auxCode: '0101' }), []],
    ['fuel and a plate', fullLine(0, { mainCode: '0101' }), []],
    ['a motorcycle', full({ vehiclePlate: 'AB123C' }), []],
    ['a foreign plate', full({ vehiclePlate: '6T-1234' }), ['warning invoice.plate_unusual /vehicle_plate']],
    ['small letters', full({ vehiclePlate: 'pba1234' }), ['warning invoice.plate_unusual /vehicle_plate']],
  ])('are asked for and looked at: %s', (_what, content, expected) => {
    expect(rulesOf(content).filter((rule) => !rule.includes('issue_date.'))).toEqual(expected);
  });
});

describe('payments', () => {
  const [first, second] = FULL.content.payments;
  it.each([
    [full({ payments: [first!] }), ['payments.sum /payments']],
    [full({ payments: [first!, { ...second!, lineNumber: 1 }] }), ['payments.number_repeated /payments/1/line_number']],
    [
      full({ payments: [first!, { ...second!, paymentMethodCode: '02' }] }),
      ['payments.method /payments/1/payment_method_code'],
    ],
    [
      full({ payments: [first!, { ...second!, paymentMethodCode: '99' }] }),
      ['payments.method /payments/1/payment_method_code'],
    ],
    [
      full({ payments: [first!, { ...second!, term: 2, timeUnit: 'quincenas' }] }),
      ['warning payments.time_unit /payments/1/time_unit'],
    ],
    [full({ payments: [first!, { ...second!, term: 2, timeUnit: null }] }), ['warning payments.time_unit_missing /payments/1/time_unit']],
    [full({ payments: [first!, { ...second!, term: 0, timeUnit: null }] }), []],
    [full({ payments: [first!, { ...second!, term: null, timeUnit: 'meses' }] }), ['warning payments.time_unit_alone /payments/1/time_unit']],
    [
      full({ payments: [first!, { ...second!, term: 2, timeUnit: 'quincenales' }] }),
      ['warning payments.time_unit /payments/1/time_unit', 'text.length /payments/1/time_unit'],
    ],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it('of an unknown code are told the codes', () => {
    const told = findingsOf(full({ payments: [{ ...first!, paymentMethodCode: '99' }, { ...second!, term: 2, timeUnit: 'quincenas' }] }));
    expect(told.map(({ rule, expected }) => [rule, expected])).toEqual([
      ['payments.method', '01, 15, 16, 17, 18, 19, 20, 21'], ['payments.time_unit', 'dias, meses, anios, ninguno'],
    ]);
  });

  it('never send a unit of time without its term', () => {
    const sent = INVOICE.buildXml(preflight(full({ payments: [{ ...first!, term: null, timeUnit: 'meses' }, second!] }), FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 }).content, FULL.issuer, FULL.numbering);
    expect(sent).not.toContain('<unidadTiempo>meses');
    expect(sent.match(/<unidadTiempo>/g)?.length ?? 0).toBe(sent.match(/<plazo>/g)?.length ?? 0);
  });

  it('default to the method of the issuer, with a warning', () => {
    const { content, findings } = preflight(
      full({ payments: [] }),
      { ...FULL.issuer, defaultPaymentMethod: '20' },
      { today: TODAY, maxIssueDateAgeDays: 90 },
    );
    expect(content.payments).toEqual([
      { lineNumber: 1, paymentMethodCode: '20', total: '30.00', term: null, timeUnit: null },
    ]);
    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([['payments.defaulted', 'warning']]);
  });

  it('counts the cash of several payments together', () => {
    const cash = (...totals: string[]) =>
      rulesOf(full({ payments: totals.map((total, at) => ({ lineNumber: at + 1, paymentMethodCode: '01', total, term: null, timeUnit: null })) })).filter((rule) => rule.includes('cash'));
    expect(cash('250.00', '250.00')).toEqual([]);
    expect(cash('250.00', '250.01')).toEqual(['warning payments.cash /payments']);
    expect(cash('250.00', '500.01')).toEqual(['warning payments.cash /payments/1/total']);
  });
});

describe('text and fields', () => {
  const at = (text: string) => fullLine(0, { description: text });

  it.each([
    ['/lines/0/description', at('x'.repeat(301)), 'SRI ≤ 300, API ≤ 1000', '301'],
    ['/buyer_address', full({ buyerAddress: 'x'.repeat(302) }), 'SRI ≤ 300, API ≤ 500', '302'],
    ['/vehicle_plate', full({ vehiclePlate: 'x'.repeat(21) }), '≤ 20', '21'],
  ])('tells the bounds of %s that it exceeds', (pointer, content, expected, actual) => {
    expect(findingsOf(content)).toContainEqual(
      expect.objectContaining({ rule: 'text.length', pointer, expected, actual }),
    );
  });

  it.each([
    [at('x'.repeat(300)), []],
    [at('x'.repeat(301)), ['text.length /lines/0/description']],
    [at('😀'.repeat(150)), ['warning text.beyond_bmp /lines/0/description']],
    [at('😀'.repeat(151)), ['text.length_in_code_units /lines/0/description', 'warning text.beyond_bmp /lines/0/description']],
    [at('😀'.repeat(300)), ['text.length_in_code_units /lines/0/description', 'warning text.beyond_bmp /lines/0/description']],
    [at('😀'.repeat(301)), ['text.length /lines/0/description', 'warning text.beyond_bmp /lines/0/description']],
    [at(''), ['text.empty /lines/0/description']],
    [full({ buyerAddress: 'x'.repeat(301) }), ['text.length /buyer_address']],
    [full({ reason: 'x'.repeat(500) }), ['warning document.unused_field /reason']],
    [full({ vehiclePlate: 'x'.repeat(21) }), ['text.length /vehicle_plate', 'warning invoice.plate_unusual /vehicle_plate']],
    [full({ deliveryGuideNumber: '001-001-1' }), ['invoice.delivery_guide_number /delivery_guide_number']],
    [
      full({ modifiedDocumentNumber: '001-001-000000001' }),
      ['warning document.unused_field /modified_document_number'],
    ],
    [
      fullLine(0, { additionalDetails: Array(4).fill({ name: 'a', value: 'b' }) }),
      ['line.details /lines/0/additional_details'],
    ],
    [
      full({ additionalInfo: [{ name: 'ruc proveedor', value: '1' }] }),
      ['additional_info.reserved /additional_info/0/name'],
    ],
    [
      full({ additionalInfo: [{ name: '', value: '' }] }),
      ['text.empty /additional_info/0/name', 'text.empty /additional_info/0/value'],
    ],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it('leave room for the fields of the service', () => {
    const fields = (count: number) =>
      full({ additionalInfo: Array.from({ length: count }, (_, n) => ({ name: `n${n}`, value: 'v' })) });
    expect(rulesOf(fields(13))).toEqual([]);
    expect(rulesOf(fields(14))).toEqual(['additional_info.count /additional_info']);
    const plain = { ...FULL.issuer, largeTaxpayer: null, providerRuc: null };
    expect(rulesOf(fields(15), plain)).toEqual([]);
    expect(rulesOf(fields(16), plain)).toEqual(['additional_info.count /additional_info']);
  });

  it('name a platform themselves where the service names none, and never a large taxpayer', () => {
    const plain = { ...FULL.issuer, largeTaxpayer: null, providerRuc: null };
    const named = (...names: string[]) => rulesOf(full({ additionalInfo: names.map((name) => ({ name, value: '0990012348001' })) }), plain);
    expect([named('RUC Proveedor'), named('gran contribuyente')]).toEqual([[], ['additional_info.reserved /additional_info/0/name']]);
    expect([named('ruc proveedor'), named('RUC Proveedor', 'RUC Proveedor')]).toEqual([['additional_info.provider /additional_info/0'], ['additional_info.provider /additional_info/1']]);
    expect(rulesOf(full({ additionalInfo: [{ name: 'RUC Proveedor', value: 'x' }] }), plain)).toEqual(['additional_info.provider /additional_info/0']);
  });
});
