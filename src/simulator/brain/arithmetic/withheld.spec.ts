import { readElement, withDocument } from '../xml/parse.js';
import { withheldDifferences } from './withheld.js';

const DAYS = ['15/09/2026', '10/09/2026'];

function judge(tax: string, code: string, base: string, percent: string, amount: string, days = DAYS): string {
  const xml =
    `<retencion><codigo>${tax}</codigo><codigoRetencion>${code}</codigoRetencion><baseImponible>${base}</baseImponible>` +
    `<porcentajeRetener>${percent}</porcentajeRetener><valorRetenido>${amount}</valorRetenido></retencion>`;
  const entry = withDocument(Buffer.from(xml), (document) => readElement(document.root));
  return withheldDifferences(entry, days).join('; ');
}

it.each([
  ['1', '312', '1000.00', '2.00', '20.00'],
  ['1', '312', '333.33', '1.75', '5.84'],
  ['1', '9999', '100.00', '7', '7.00'],
  ['2', '1', '150.00', '30', '45.00'],
  ['2', '10', '150.00', '20.00', '30.00'],
  ['2', '8', '150.00', '0.00', '0.00'],
  ['6', '4580', '1000.00', '5.00', '50.00'],
  ['toString', '1', '100.00', '7.00', '7.00'],
])('takes tax %s, code %s: %s at %s gives %s', (...entry) => expect(judge(...entry)).toBe(''));

it.each([
  ['20.01', ''],
  ['19.99', ''],
  ['20.02', 'El valor retenido 20.02 no es igual a 20.00'],
])('tolerates one cent: %s', (amount, text) => expect(judge('1', '312', '1000.00', '2.00', amount)).toBe(text));

it.each([
  ['the box of the tax return', '2', '725', '30.00', '45.00', 'El código de retención 725 no existe'],
  ['another percentage', '2', '1', '70.00', '105.00', 'El porcentaje 70.00 no corresponde al código de retención 1'],
  ['an unknown code', '6', '4590', '5.00', '7.50', 'El código de retención 4590 no existe'],
])('refuses %s', (_name, tax, code, percent, amount, text) => {
  expect(judge(tax, code, '150.00', percent, amount)).toContain(text);
});

it('asks for the percentage of one of the two days', () => {
  const entry = ['6', '4580', '1000.00', '3.50', '35.00'] as const;
  expect(judge(...entry)).toContain('no corresponde');
  expect(judge(...entry, ['15/09/2026', '31/03/2024'])).toBe('');
  expect(judge(...entry, ['15/09/2026', ''])).toContain('no corresponde');
});
