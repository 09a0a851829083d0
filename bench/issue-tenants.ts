import { ApiClient } from '../src/local/api-client.js';
import { exampleInvoice } from '../src/modules/documents/public.js';
import { createDemoTenant, makeDemoCompany } from '../src/local/demo-tenant.js';
import { guayaquilDay } from '../src/shared/guayaquil.js';
import type { Request } from './issue-load.js';

const LINES = 10;

/**
 * Tenants that are able to issue, set up through the public API.
 * @returns one invoice of ten lines per emission point, tenants taking turns
 */
export async function createRequests(
  ownerUrl: string,
  apiUrl: string,
  tenants: number,
  points: number,
): Promise<Request[]> {
  const perTenant: Request[][] = [];
  for (let i = 0; i < tenants; i += 1) perTenant.push(await createTenant(ownerUrl, apiUrl, points));
  return Array.from({ length: points }, (_, point) => perTenant.map((requests) => requests[point]!)).flat();
}

async function createTenant(ownerUrl: string, apiUrl: string, points: number): Promise<Request[]> {
  const tenant = await createDemoTenant(ownerUrl, apiUrl, await makeDemoCompany());
  const api = new ApiClient(apiUrl, tenant.api_key);
  const path = `/issuers/${tenant.issuer_id}/establishments/${tenant.establishment_id}/emission-points`;
  const ids = [tenant.emission_point_id];
  while (ids.length < points) {
    const code = String(ids.length + 1).padStart(3, '0');
    ids.push((await api.post<{ id: string }>(path, { code, initial_sequential: 1 })).id);
  }
  return ids.map((id) => ({
    apiKey: tenant.api_key,
    body: JSON.stringify(tenLines({ ...tenant, emission_point_id: id })),
  }));
}

type Place = Parameters<typeof exampleInvoice>[0];

/** The demonstration's invoice with ten lines of 10.00 each. */
function tenLines(place: Place) {
  const invoice = exampleInvoice(place, guayaquilDay(new Date()), '12345678');
  const lines = Array.from({ length: LINES }, (_, i) => ({
    line_number: i + 1,
    main_code: `PROD-${i + 1}`,
    description: i % 4 === 0 ? `Edición número ${i + 1}, café de altura` : `Producto de ejemplo ${i + 1}`,
    quantity: '2',
    unit_price: '5.00',
    subtotal: '10.00',
    tax_code: '2',
    tax_rate_code: '4',
  }));
  return { ...invoice, lines };
}
