/** One document of each type as a caller sends it: what the description of the API shows and the demonstration issues. */

import { SAMPLE_DAY, sampleId } from '../../platform/openapi/samples.js';

/** Where a document is issued. */
interface Place {
  readonly issuer_id: string;
  readonly establishment_id: string;
  readonly emission_point_id: string;
}

/** A document of another type than the invoice. */
export interface ExampleDocument {
  readonly type: '03' | '04' | '05' | '06' | '07';
  readonly name: string;
  readonly body: (numericCode: string) => Record<string, unknown>;
}

const BUYER = {
  buyer_id_type: '05',
  buyer_id: '1710034065',
  buyer_name: 'María José Peña',
  buyer_email: 'maria.jose@example.com',
  buyer_address: 'Av. Amazonas N34-451, Quito',
} as const;

const iva15 = (taxable_base: string, tax_amount: string) => ({ tax_code: '2', tax_rate_code: '4', taxable_base, rate: '0.15', tax_amount });
const iva0 = (taxable_base: string) => ({ tax_code: '2', tax_rate_code: '0', taxable_base, rate: '0', tax_amount: '0.00' });

/** A valid invoice: two lines with IVA at 15 %, to an identified buyer. */
export function exampleInvoice(place: Place, issueDate: string, numericCode: string) {
  return {
    issuer_id: place.issuer_id,
    establishment_id: place.establishment_id,
    emission_point_id: place.emission_point_id,
    document_type: '01',
    issue_date: issueDate,
    subtotal: '100.00',
    total_discount: '0.00',
    total_tax: '15.00',
    total: '115.00',
    buyer_id_type: '05',
    buyer_id: '1710034065',
    buyer_name: 'María José Peña',
    buyer_email: 'maria.jose@example.com',
    buyer_address: 'Av. Amazonas N34-451, Quito',
    lines: [
      {
        line_number: 1,
        main_code: 'CAFE-500',
        description: 'Café tostado de altura, 500 g',
        quantity: '4',
        unit_price: '12.50',
        subtotal: '50.00',
        tax_code: '2',
        tax_rate_code: '4',
      },
      {
        line_number: 2,
        main_code: 'TALLER',
        description: 'Taller de catación',
        quantity: '1',
        unit_price: '50.00',
        subtotal: '50.00',
        tax_code: '2',
        tax_rate_code: '4',
      },
    ],
    taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00' }],
    payments: [{ line_number: 1, payment_method_code: '20', total: '115.00' }],
    numeric_code: numericCode,
  };
}

/**
 * One document of each type beside the invoice (01): what a coffee roaster buys, takes
 * back, charges later, delivers and withholds.
 *
 * @param issueDate calendar day in Ecuador
 * @param invoiceId the authorized invoice that some of them refer to
 */
export function exampleDocuments(place: Place, issueDate: string, invoiceId: string): readonly ExampleDocument[] {
  const start = (type: string, numeric_code: string) => ({
    issuer_id: place.issuer_id,
    establishment_id: place.establishment_id,
    emission_point_id: place.emission_point_id,
    document_type: type,
    issue_date: issueDate,
    numeric_code,
  });
  const document = (type: ExampleDocument['type'], name: string, content: Record<string, unknown>): ExampleDocument => ({
    type,
    name,
    body: (numericCode) => ({ ...start(type, numericCode), ...content }),
  });
  const ofInvoice = { modified_document_id: invoiceId };
  return [
    document('03', 'purchase settlement', SETTLEMENT),
    document('04', 'credit note', { ...CREDIT_NOTE, ...ofInvoice }),
    document('05', 'debit note', { ...DEBIT_NOTE, ...ofInvoice }),
    document('06', 'delivery guide', { ...deliveryGuide(issueDate), ...ofInvoice }),
    document('07', 'withholding', withholding(issueDate)),
  ];
}

const SETTLEMENT = {
  buyer_id_type: '05',
  buyer_id: '1710034065',
  buyer_name: 'Segundo Quishpe',
  buyer_address: 'Comunidad La Esperanza, Intag',
  subtotal: '300.00',
  total_tax: '0.00',
  total: '300.00',
  lines: [
    { line_number: 1, main_code: 'CAFE-PERG', description: 'Café pergamino, quintal', quantity: '2', unit_price: '150.00', subtotal: '300.00', tax_rate_code: '0' },
  ],
  taxes: [iva0('300.00')],
  payments: [{ line_number: 1, payment_method_code: '20', total: '300.00', term: 15, time_unit: 'dias' }],
} as const;

const CREDIT_NOTE = {
  ...BUYER,
  reason: 'Devolución de un paquete de café',
  subtotal: '12.50',
  total_tax: '1.88',
  total: '14.38',
  lines: [
    { line_number: 1, main_code: 'CAFE-500', description: 'Café tostado de altura, 500 g', quantity: '1', unit_price: '12.50', subtotal: '12.50', tax_rate_code: '4' },
  ],
  taxes: [iva15('12.50', '1.88')],
} as const;

const DEBIT_NOTE = {
  ...BUYER,
  subtotal: '10.00',
  total_tax: '1.50',
  total: '11.50',
  lines: [{ line_number: 1, description: 'Envío a domicilio no facturado', quantity: '1', unit_price: '10.00', subtotal: '10.00', tax_rate_code: '4' }],
  taxes: [iva15('10.00', '1.50')],
  payments: [{ line_number: 1, payment_method_code: '20', total: '11.50' }],
} as const;

const deliveryGuide = (issueDate: string) => ({
  ...BUYER,
  reason: 'Venta',
  subtotal: '0.00',
  total_tax: '0.00',
  total: '0.00',
  lines: [
    { line_number: 1, main_code: 'CAFE-500', description: 'Café tostado de altura, 500 g', quantity: '4', unit_price: '0', subtotal: '0.00', tax_rate_code: '0' },
  ],
  taxes: [iva0('0.00')],
  transport: {
    origin_address: 'Av. Amazonas N34-451, Quito',
    carrier: { id_type: 'RUC', id: '1710034065001', name: 'Transportes Andinos' },
    start_date: issueDate,
    end_date: issueDate,
    plate: 'PBA1234',
    route: 'Quito norte',
  },
});

const withholding = (issueDate: string) => ({
  buyer_id_type: 'RUC',
  buyer_id: '1710034065001',
  buyer_name: 'Empaques del Norte',
  buyer_email: 'ventas@example.com',
  subtotal: '200.00',
  total_tax: '13.00',
  total: '13.00',
  lines: [{ line_number: 1, description: 'Fundas trilaminadas con válvula', quantity: '400', unit_price: '0.50', subtotal: '200.00', tax_rate_code: '4' }],
  taxes: [
    { tax_code: '1', tax_rate_code: '312', taxable_base: '200.00', rate: '0.02', tax_amount: '4.00' },
    { tax_code: '2', tax_rate_code: '1', taxable_base: '30.00', rate: '0.30', tax_amount: '9.00' },
  ],
  withholding: {
    fiscal_period: `${issueDate.slice(5, 7)}/${issueDate.slice(0, 4)}`,
    related_party: false,
    supporting_documents: [
      {
        sustento_code: '01',
        document_type: '01',
        number: '001-002-000000345',
        issue_date: issueDate,
        payment_location: '01',
        subtotal: '200.00',
        total: '230.00',
        taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '200.00', tariff: '15.00', tax_amount: '30.00' }],
        withholdings: [
          { tax_code: '1', withholding_code: '312', taxable_base: '200.00', rate: '2.00', amount: '4.00' },
          { tax_code: '2', withholding_code: '1', taxable_base: '30.00', rate: '30.00', amount: '9.00' },
        ],
        payments: [{ payment_method_code: '20', total: '230.00' }],
      },
    ],
  },
});

const PLACE = { issuer_id: sampleId('issuer_id'), establishment_id: sampleId('establishment_id'), emission_point_id: sampleId('emission_point_id') };
const CODE = '12345678';
const OTHERS = exampleDocuments(PLACE, SAMPLE_DAY, sampleId('document_id'));
const CREDIT = { reason: CREDIT_NOTE.reason, subtotal: CREDIT_NOTE.subtotal, total_tax: CREDIT_NOTE.total_tax, total: CREDIT_NOTE.total, lines: CREDIT_NOTE.lines, taxes: CREDIT_NOTE.taxes };

/** Bodies of `POST /documents` by name, for the description. */
export const ISSUE_EXAMPLES = {
  invoice: { summary: '01 Invoice', value: exampleInvoice(PLACE, SAMPLE_DAY, CODE) },
  ...Object.fromEntries(OTHERS.map(({ type, name, body }) => [name.replace(' ', '_'), { summary: `${type} ${name[0]?.toUpperCase()}${name.slice(1)}`, value: body(CODE) }])),
};

/** A draft leaves its totals to the service. */
const { subtotal: _subtotal, total_tax: _tax, total: _total, taxes: _taxes, ...withoutTotals } = exampleInvoice(PLACE, SAMPLE_DAY, CODE);
export const DRAFT_EXAMPLES = { computed: { summary: 'Invoice, totals computed', value: withoutTotals }, ...ISSUE_EXAMPLES };
export const PATCH_EXAMPLES = { buyer: { summary: 'Another buyer', value: { buyer_name: 'María José Peña Ruiz', buyer_email: 'mj.pena@example.com' } } };
export const CREDIT_NOTE_EXAMPLES = { return: { summary: 'One package came back', value: CREDIT } };
