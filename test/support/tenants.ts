import { ApiClient } from '../../src/local/api-client.js';
import { createDemoTenant, makeDemoCompany } from '../../src/local/demo-tenant.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';

/** A place where numbers are taken, and the caller that takes them. */
export interface Place {
  readonly apiKey: string;
  readonly ruc: string;
  readonly issuerId: string;
  readonly establishmentId: string;
  readonly emissionPointId: string;
}

/** A tenant able to issue, set up through the public API, with so many emission points. */
export async function openTenant(ownerUrl: string, apiUrl: string, points: number): Promise<Place[]> {
  const demo = await createDemoTenant(ownerUrl, apiUrl, await makeDemoCompany());
  const api = new ApiClient(apiUrl, demo.api_key);
  const path = `/issuers/${demo.issuer_id}/establishments/${demo.establishment_id}/emission-points`;
  const ids = [demo.emission_point_id];
  while (ids.length < points) {
    ids.push((await api.post<{ id: string }>(path, { code: String(ids.length + 1).padStart(3, '0'), initial_sequential: 1 })).id);
  }
  return ids.map((emissionPointId) => ({
    apiKey: demo.api_key, ruc: demo.ruc, issuerId: demo.issuer_id, establishmentId: demo.establishment_id, emissionPointId,
  }));
}

/** A valid invoice of today with so many lines of 10.00. */
export function invoiceBody(place: Place, numericCode: string, lines = 1): Record<string, unknown> {
  const [subtotal, tax, total] = [lines * 1_000, lines * 150, lines * 1_150].map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);
  return {
    issuer_id: place.issuerId, establishment_id: place.establishmentId, emission_point_id: place.emissionPointId,
    document_type: '01', issue_date: guayaquilDay(new Date()), numeric_code: numericCode,
    subtotal, total_discount: '0.00', total_tax: tax, total,
    buyer_id_type: '05', buyer_id: '1710034065', buyer_name: 'María José Peña',
    lines: Array.from({ length: lines }, (_, i) => ({
      line_number: i + 1, description: `Servicio número ${i + 1}`, quantity: '1', unit_price: '10.00', subtotal: '10.00', tax_code: '2', tax_rate_code: '4',
    })),
    taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: subtotal, rate: '0.15', tax_amount: tax }],
    payments: [{ line_number: 1, payment_method_code: '20', total }],
  };
}
