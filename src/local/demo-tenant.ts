import { randomBytes } from 'node:crypto';
import { ProvisionTenant, TenantsStore } from '../modules/auth/public.js';
import { CryptoChance } from '../platform/adapters/crypto-chance.js';
import { RandomIds } from '../platform/adapters/random-ids.js';
import { SystemClock } from '../platform/adapters/system-clock.js';
import { ApiClient, ApiError } from './api-client.js';
import type { DemoTenant } from './data-folder.js';
import { createDemoPkcs12 } from './demo-certificate.js';
import { demoRuc } from './demo-ruc.js';

const LEGAL_NAME = 'CAFÉ ANDINO DEMOSTRACIÓN S.A.';

/** A company with its signing certificate, before anybody knows it. */
export interface DemoCompany {
  readonly ruc: string;
  readonly pkcs12: Buffer;
  readonly password: string;
}

/** Makes up a company; takes a moment, because its keys are real. */
export async function makeDemoCompany(): Promise<DemoCompany> {
  const ruc = demoRuc();
  const password = randomBytes(9).toString('base64url');
  return { ruc, password, pkcs12: await createDemoPkcs12({ ruc, legalName: LEGAL_NAME, password, now: new Date() }) };
}

interface Created {
  readonly id: string;
}

/**
 * Sets a company up as a caller of the public API does: issuer, establishment,
 * emission point, signing certificate. Only the tenant and its first key are an
 * operator's act.
 */
export async function createDemoTenant(ownerUrl: string, apiUrl: string, company: DemoCompany): Promise<DemoTenant> {
  const ports = { clock: new SystemClock(), ids: new RandomIds(), chance: new CryptoChance() };
  const provision = new ProvisionTenant(new TenantsStore(ownerUrl), 'TEST', ports);
  const { tenantId, apiKey } = await provision.execute('Demonstration', 'demo');
  const api = new ApiClient(apiUrl, apiKey);
  const issuer = await api.post<Created>('/issuers', {
    ruc: company.ruc,
    razon_social: LEGAL_NAME,
    nombre_comercial: 'Café Andino',
    direccion_matriz: 'Av. Amazonas N34-451, Quito',
    obligado_contabilidad: true,
  });
  const establishment = await api.post<Created>(`/issuers/${issuer.id}/establishments`, {
    code: '001',
    name: 'Matriz',
    address: 'Av. Amazonas N34-451, Quito',
  });
  const point = await api.post<Created>(`/issuers/${issuer.id}/establishments/${establishment.id}/emission-points`, {
    code: '001',
    initial_sequential: 1,
  });
  await api.post(`/issuers/${issuer.id}/certificates`, {
    file_base64: company.pkcs12.toString('base64'),
    password: company.password,
  });
  return {
    tenant_id: tenantId,
    api_key: apiKey,
    ruc: company.ruc,
    issuer_id: issuer.id,
    establishment_id: establishment.id,
    emission_point_id: point.id,
  };
}

/** False when the service does not know the tenant of an earlier start: its database is another one. */
export async function isKnown(apiUrl: string, demo: DemoTenant): Promise<boolean> {
  try {
    await new ApiClient(apiUrl, demo.api_key).get(`/issuers/${demo.issuer_id}`);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return false;
    throw error;
  }
}
