import { FINAL, final, FULL, full, PAID, rulesOf, TODAY } from '../../../../test/support/documents/invoices.js';
import { preflight } from '../../preflight.js';

describe('buyer', () => {
  it.each(['北京进出口有限公司', 'ＩＭＰＯＲＴＡＤＯＲＡ ＷＡＮＧ １２３'])('whose name the printed document has no letters for is told so: %s', (buyerName) => {
    expect(rulesOf(full({ buyerIdType: '08', buyerId: 'X1234567', buyerName }))).toContain('warning text.not_printed /buyer_name');
  });

  const buyer = (buyerIdType: string | null, buyerId: string | null, buyerName: string | null = 'CLIENTE') =>
    rulesOf(full({ buyerIdType, buyerId, buyerName }));

  it.each([
    ['04', '1790012344001', []],
    ['RUC', '1790012344001', []],
    ['04', '1790012344002', []],
    ['04', '1793213150001', ['warning buyer.check_digit /buyer_id']],
    ['04', '1710034066001', ['warning buyer.check_digit /buyer_id']],
    ['04', '1770000006001', []],
    ['04', '1780000005001', ['warning buyer.check_digit /buyer_id']],
    ['04', '179001234400', ['buyer.ruc /buyer_id']],
    ['04', '1790012344000', ['buyer.ruc /buyer_id']],
    ['04', '9990012344001', ['buyer.ruc /buyer_id']],
    ['04', '1790012344-01', ['buyer.ruc /buyer_id']],
    ['05', '1710034065', []],
    ['05', '1770000006', []],
    ['05', '1710034066', ['warning buyer.check_digit /buyer_id']],
    ['05', '9910034065', ['buyer.cedula /buyer_id']],
    ['05', '171003406', ['buyer.cedula /buyer_id']],
    ['05', '171003406a', ['buyer.cedula /buyer_id']],
    ['06', 'AB-123', []],
    ['06', 'ab 12.3/4', []],
    ['06', 'Ñ*123', []],
    ['06', '护照123', ['warning text.not_printed /buyer_id']],
    ['08', 'אב-123', ['warning text.not_printed /buyer_id']],
    ['06', ' AB123', ['buyer.passport /buyer_id']],
    ['06', 'A'.repeat(21), ['buyer.passport /buyer_id']],
    ['08', 'B-123/4.5 x', []],
    ['08', 'Ñ_#1', []],
    ['08', 'B 1 ', ['buyer.foreign_id /buyer_id']],
    ['09', '123', ['buyer.id_type /buyer_id_type']],
    ['ruc', '1790012344001', ['buyer.id_type /buyer_id_type']],
    ['06', '9999999999999', ['buyer.final_consumer_id /buyer_id_type']],
    ['04', '9999999999999', ['buyer.final_consumer_id /buyer_id_type']],
  ])('of type %s with %s gives %p', (type, id, expected) => {
    expect(buyer(type, id)).toEqual(expected);
  });

  it('is complete or absent', () => {
    expect(buyer(null, '1710034065')).toEqual(['buyer.incomplete /buyer_id_type']);
    expect(buyer('05', null)).toEqual(['buyer.incomplete /buyer_id']);
    expect(buyer('05', '1710034065', null)).toEqual(['buyer.incomplete /buyer_name']);
    expect(buyer(null, null, 'CLIENTE')).toEqual(['buyer.incomplete /buyer_id_type', 'buyer.incomplete /buyer_id']);
  });

  it('absent is the final consumer', () => {
    const { content } = preflight(final({}), FINAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect([content.buyerIdType, content.buyerId, content.buyerName]).toEqual([
      '07',
      '9999999999999',
      'CONSUMIDOR FINAL',
    ]);
  });

  it('as final consumer has the prescribed id and name', () => {
    expect(buyer('07', '9999999999999', 'CONSUMIDOR FINAL')).toEqual([]);
    expect(buyer('07', '1710034065', 'CONSUMIDOR FINAL')).toEqual(['buyer.final_consumer_id /buyer_id']);
    expect(buyer('07', '9999999999999', 'JUAN')).toEqual(['buyer.final_consumer_name /buyer_name']);
    expect(buyer('07', '9999999999999', 'CONSUMIDOR  FINAL')).toEqual(['buyer.final_consumer_name /buyer_name']);
  });

  it('as final consumer is not named for a test where the document is real', () => {
    const content = full({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'PRUEBAS SERVICIO DE RENTAS INTERNAS' });
    expect(rulesOf(content, { ...FULL.issuer, environment: '1' })).toEqual([]);
    expect(rulesOf(content, { ...FULL.issuer, environment: '2' })).toEqual(['buyer.final_consumer_name /buyer_name']);
  });

  it.each([
    ['07', '9999999999999', 'Consumidor Final'],
    ['CONSUMIDOR_FINAL', '9999999999999', ' consumidor final '],
    ['07', null, null],
    ['CONSUMIDOR_FINAL', null, null],
    ['07', null, 'Consumidor final'],
    ['07', '9999999999999', null],
  ])('as final consumer need not be told in full: %s, %s, %s', (buyerIdType, buyerId, buyerName) => {
    const told = full({ buyerIdType, buyerId, buyerName });
    const { content, findings } = preflight(told, FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect(findings).toEqual([]);
    expect(content).toMatchObject({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'CONSUMIDOR FINAL' });
  });

  it('as final consumer is judged by what is told of it', () => {
    expect(buyer('07', null, 'JUAN')).toEqual(['buyer.final_consumer_name /buyer_name']);
    expect(buyer('07', '1710034065', null)).toEqual(['buyer.final_consumer_id /buyer_id']);
  });

  it.each([
    ['50.00', []],
    ['50.01', ['invoice.final_consumer_limit /total']],
  ])('as final consumer may owe %s: %p', (amount, expected) => {
    const base = FINAL.content.lines[0]!;
    const content = final({
      subtotal: amount,
      totalTax: '0.00',
      total: amount,
      lines: [{ ...base, unitPrice: `${amount}0000`, subtotal: amount, taxRateCode: '0' }],
      taxes: [{ ...FINAL.content.taxes[0]!, taxRateCode: '0', rate: '0.0000', taxableBase: amount, taxAmount: '0.00' }],
      payments: [{ ...PAID[0]!, total: amount }],
    });
    expect(rulesOf(content)).toEqual(expected);
  });

  it.each([
    ['06', 'CONSUMIDOR FINAL', ['warning buyer.final_consumer_unusual /buyer_name']],
    ['08', 'Consumidor final', ['warning buyer.final_consumer_unusual /buyer_name']],
    ['06', 'CONSUMIDOR FINALES S.A.', []],
  ])('a buyer of type %s may be named %s: %p', (buyerIdType, buyerName, expected) => {
    expect(rulesOf(full({ buyerIdType, buyerId: 'AB123', buyerName }))).toEqual(expected);
  });
});
