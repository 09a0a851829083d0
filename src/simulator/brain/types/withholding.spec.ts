import { readElement, withDocument } from '../xml/parse.js';
import { withholding } from './withholding.js';

const withheld = (tax: string, code: string, base: string, percent: string, amount: string, extra = ''): string =>
  `<retencion><codigo>${tax}</codigo><codigoRetencion>${code}</codigoRetencion><baseImponible>${base}</baseImponible>` +
  `<porcentajeRetener>${percent}</porcentajeRetener><valorRetenido>${amount}</valorRetenido>${extra}</retencion>`;

const iva = (rateCode: string, tariff: string, base: string, amount: string): string =>
  `<impuestoDocSustento><codImpuestoDocSustento>2</codImpuestoDocSustento><codigoPorcentaje>${rateCode}</codigoPorcentaje>` +
  `<baseImponible>${base}</baseImponible><tarifa>${tariff}</tarifa><valorImpuesto>${amount}</valorImpuesto></impuestoDocSustento>`;

const GOOD = {
  idType: '04',
  subjectType: '',
  sustento: '01',
  type: '01',
  day: '14/09/2026',
  place: '<pagoLocExt>01</pagoLocExt>',
  net: '1000.00',
  total: '1150.00',
  taxes: iva('4', '15.00', '1000.00', '150.00'),
  withheld: withheld('1', '312', '1000.00', '2.00', '20.00') + withheld('2', '1', '150.00', '30.00', '45.00'),
  reimbursed: '',
  payment: '1150.00',
};

function read(changes: Partial<typeof GOOD>) {
  const it = { ...GOOD, ...changes };
  const xml =
    `<comprobanteRetencion><infoCompRetencion><fechaEmision>15/09/2026</fechaEmision>` +
    `<tipoIdentificacionSujetoRetenido>${it.idType}</tipoIdentificacionSujetoRetenido>${it.subjectType}` +
    `<identificacionSujetoRetenido>0990012342001</identificacionSujetoRetenido></infoCompRetencion>` +
    `<docsSustento><docSustento><codSustento>${it.sustento}</codSustento><codDocSustento>${it.type}</codDocSustento>` +
    `<numDocSustento>002003000000456</numDocSustento><fechaEmisionDocSustento>${it.day}</fechaEmisionDocSustento>${it.place}` +
    `<totalSinImpuestos>${it.net}</totalSinImpuestos><importeTotal>${it.total}</importeTotal>` +
    `<impuestosDocSustento>${it.taxes}</impuestosDocSustento><retenciones>${it.withheld}</retenciones>${it.reimbursed}` +
    `<pagos><pago><total>${it.payment}</total></pago></pagos></docSustento></docsSustento></comprobanteRetencion>`;
  return withDocument(Buffer.from(xml), (document) => readElement(document.root));
}

const judge = (changes: Partial<typeof GOOD>): string => withholding.differences(read(changes)).join('; ');
const structure = (changes: Partial<typeof GOOD>): string | null => withholding.structureProblem(read(changes));

it('takes a supporting document that foots', () => {
  expect(judge({})).toBe('');
  expect(structure({})).toBeNull();
});

it.each<[string, Partial<typeof GOOD>, string]>([
  [
    'income bases below the subtotal',
    { net: '1000.02', total: '1150.02', payment: '1150.02' },
    'El total sin impuestos',
  ],
  ['no income base', { withheld: withheld('2', '1', '150.00', '30.00', '45.00') }, 'El total sin impuestos'],
  [
    'an IVA base that is not its IVA',
    { withheld: withheld('1', '312', '1000.00', '2.00', '20.00') + withheld('2', '1', '1000.00', '30.00', '300.00') },
    'El IVA base de las retenciones',
  ],
  ['payments beside the total', { payment: '1149.98' }, 'La suma de los pagos'],
  ['a rate of another day', { day: '01/03/2024' }, 'no corresponde a la tarifa'],
  [
    'a wrong tax of the document',
    {
      taxes: iva('4', '15.00', '1000.00', '144.99'),
      withheld: withheld('1', '312', '1000.00', '2.00', '20.00') + withheld('2', '1', '144.99', '30.00', '43.50'),
    },
    'El IVA del documento',
  ],
  [
    'a tax without a rate',
    {
      taxes: iva('4', '15.00', '1000.00', '150.00') + iva('0', '0.00', '10.00', '0.02'),
      withheld: withheld('1', '312', '1000.00', '2.00', '20.00') + withheld('2', '1', '150.02', '30.00', '45.01'),
    },
    'El IVA del documento',
  ],
  ['a wrong amount', { withheld: withheld('1', '312', '1000.00', '2.00', '20.02') }, 'El valor retenido'],
  [
    'reimbursement totals alone',
    { place: '<totalComprobantesReembolso>1.00</totalComprobantesReembolso>' },
    'reembolso',
  ],
  ['a kind of subject', { subjectType: '<tipoSujetoRetenido>01</tipoSujetoRetenido>' }, 'tipoSujetoRetenido'],
])('reports %s', (_name, changes, text) => expect(judge(changes)).toContain(text));

it('takes the IVA of a purchase that rounded its lines one by one', () => {
  const taxes = iva('4', '15.00', '1000.00', '150.20');
  const entries = withheld('1', '312', '1000.00', '2.00', '20.00') + withheld('2', '1', '150.20', '30.00', '45.06');
  expect(judge({ taxes, withheld: entries })).toBe('');
});

it.each([
  ['149.99', '45.00', false],
  ['100.00', '30.00', false],
  ['150.01', '45.00', false],
  ['150.02', '45.01', true],
])('refuses IVA bases of %s only where they exceed the IVA of 150.00', (base, value, refused) => {
  const entries = withheld('1', '312', '1000.00', '2.00', '20.00') + withheld('2', '1', base, '30.00', value);
  expect(judge({ withheld: entries }).includes('El IVA base de las retenciones')).toBe(refused);
});

it.each([
  ['with a tip', '1250.00'],
  ['without refunded IVA', '1000.00'],
])('takes the total of a purchase %s', (_name, total) => expect(judge({ total, payment: total })).toBe(''));

it('takes a kind of subject with a foreign identification', () => {
  expect(judge({ idType: '08', subjectType: '<tipoSujetoRetenido>01</tipoSujetoRetenido>' })).toBe('');
});

it.each<[string, Partial<typeof GOOD>, string]>([
  ['the regime of a payment abroad', { place: '<pagoLocExt>02</pagoLocExt>' }, 'tipoRegi'],
  ['the country of a payment abroad', { place: '<pagoLocExt>02</pagoLocExt><tipoRegi>01</tipoRegi>' }, 'paisEfecPago'],
  ['the reimbursed documents', { type: '41' }, 'reembolsos'],
  ['the dividend', { sustento: '10' }, 'dividendos'],
  ['the banana boxes', { withheld: withheld('1', '340', '1000.00', '3.00', '30.00') }, 'compraCajBanano'],
])('demands %s', (_name, changes, element) => expect(structure(changes)).toMatch(new RegExp(`falta ${element}$`)));

it('takes the dividend and the boxes where they belong', () => {
  const dividend = withheld('1', '327', '1000.00', '10.00', '100.00', '<dividendos/>');
  expect(structure({ sustento: '10', withheld: dividend })).toBeNull();
  expect(structure({ withheld: withheld('1', '340', '1000.00', '3.00', '30.00', '<compraCajBanano/>') })).toBeNull();
});

it('judges the legacy version by its entries alone', () => {
  const entries = withheld('2', '1', '150.00', '30.00', '45.02') + withheld('2', '725', '150.00', '30.00', '45.00');
  const xml =
    `<comprobanteRetencion><infoCompRetencion><fechaEmision>15/09/2026</fechaEmision></infoCompRetencion>` +
    `<impuestos>${entries.replaceAll('retencion>', 'impuesto>')}</impuestos></comprobanteRetencion>`;
  const root = withDocument(Buffer.from(xml), (document) => readElement(document.root));
  expect(withholding.differences(root)).toEqual([
    'El valor retenido 45.02 no es igual a 45.00',
    'El código de retención 725 no existe o no está vigente',
  ]);
});
