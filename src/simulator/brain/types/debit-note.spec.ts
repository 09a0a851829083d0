import { readElement, withDocument } from '../xml/parse.js';
import { debitNote } from './debit-note.js';

const tax = (code: string, rateCode: string, tariff: string, base: string, amount: string): string =>
  `<impuesto><codigo>${code}</codigo><codigoPorcentaje>${rateCode}</codigoPorcentaje><tarifa>${tariff}</tarifa>` +
  `<baseImponible>${base}</baseImponible><valor>${amount}</valor></impuesto>`;

const GOOD = {
  day: '14/09/2026',
  net: '15.00',
  taxes: tax('2', '4', '15.00', '10.00', '1.50') + tax('2', '0', '0.00', '5.00', '0.00'),
  total: '16.50',
  payment: '16.50',
  reasons: ['10.00', '5.00'],
};

function judge(changes: Partial<typeof GOOD>): string {
  const { day, net, taxes, total, payment, reasons } = { ...GOOD, ...changes };
  const xml =
    `<notaDebito><infoNotaDebito><fechaEmisionDocSustento>${day}</fechaEmisionDocSustento>` +
    `<totalSinImpuestos>${net}</totalSinImpuestos><impuestos>${taxes}</impuestos><valorTotal>${total}</valorTotal>` +
    `<pagos><pago><total>${payment}</total></pago></pagos></infoNotaDebito>` +
    `<motivos>${reasons.map((value) => `<motivo><valor>${value}</valor></motivo>`).join('')}</motivos></notaDebito>`;
  const root = withDocument(Buffer.from(xml), (document) => readElement(document.root));
  return debitNote.differences(root).join('; ');
}

it('takes a note that foots, also with ICE in the base of its IVA', () => {
  expect(judge({})).toBe('');
  const taxes = tax('3', '3101', '10.00', '15.00', '1.50') + tax('2', '4', '15.00', '16.50', '2.48');
  expect(judge({ taxes, total: '18.98', payment: '18.98' })).toBe('');
});

it.each<[string, Partial<typeof GOOD>, string]>([
  ['reasons that do not add up', { reasons: ['10.00', '4.98'] }, 'El total sin impuestos'],
  ['another total', { total: '16.52', payment: '16.52' }, 'El valor total'],
  ['another payment', { payment: '16.48' }, 'La suma de los pagos'],
  ['a rate of another day', { day: '01/03/2024' }, 'no corresponde a la tarifa'],
  ['a wrong tax', { taxes: tax('2', '4', '15.00', '15.00', '2.28'), total: '17.28', payment: '17.28' }, 'El IVA'],
  ['untaxed reasons', { taxes: tax('2', '4', '15.00', '10.00', '1.50') }, 'La base del IVA'],
  [
    'a group in two entries',
    {
      taxes: tax('2', '4', '15.00', '10.00', '1.50') + tax('2', '4', '15.00', '5.00', '0.75'),
      total: '17.25',
      payment: '17.25',
    },
    'en dos entradas',
  ],
])('reports %s', (_name, changes, text) => expect(judge(changes)).toContain(text));
