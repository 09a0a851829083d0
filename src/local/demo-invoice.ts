import type { DemoTenant } from './data-folder.js';

type Place = Pick<DemoTenant, 'issuer_id' | 'establishment_id' | 'emission_point_id'>;

/** A valid invoice: two lines with IVA at 15 %, to an identified buyer. */
export function demoInvoice(place: Place, issueDate: string, numericCode: string) {
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

/** Stands for the date in the body until the shell fills it in. */
const DATE = '@DATE@';

/**
 * A command for a POSIX shell that issues one more invoice and waits for its
 * final state. The date is taken when the command runs, in Ecuador's time, so it
 * stays valid on later days.
 */
export function nextInvoiceCommand(apiUrl: string, demo: DemoTenant): string {
  const body = JSON.stringify(demoInvoice(demo, DATE, '12345678'));
  // Out of the single quotes for the date alone; ECT5 needs no time zone data.
  const withDate = body.replace(DATE, `'"$(TZ=ECT5 date +%F)"'`);
  return [
    `curl -sS ${apiUrl}/documents \\`,
    `  -H 'X-API-Key: ${demo.api_key}' \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=10' \\`,
    `  -d '${withDate}'`,
  ].join('\n');
}
