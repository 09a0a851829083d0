import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { generateApiKey } from '../../src/platform/security/api-key.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { type Answer, call } from './http.js';
import { askKeeper, type StoredCertificate } from './keeper.js';
import type { RunningStack } from './stack.js';

export interface Accepted extends Record<string, unknown> {
  document_id: string;
  status: string;
  access_key: string;
}

export type Invoice = Record<string, unknown>;

/** States in which nothing more happens by itself. */
const SETTLED = ['AUTHORIZED', 'REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED', 'CANCELLED', 'VOIDED_BY_NC'];

export interface BusinessOptions {
  /** A file to upload, or null: none; default: the business holds one made for its RUC, as if it had uploaded it. */
  readonly certificate?: Buffer | null;
  readonly initialSequential?: number;
  /** Default: that of another company each time. */
  readonly ruc?: string;
  /** Fields of the issuer that differ from the usual. */
  readonly issuer?: Readonly<Record<string, unknown>>;
}

/** A tenant with one issuer that is able to issue, set up through the public API; and a caller that acts for it. */
export class Business {
  private constructor(
    private readonly stack: RunningStack,
    readonly tenantId: string,
    readonly apiKeyId: string,
    readonly apiKey: string,
    readonly ruc: string,
    readonly issuerId: string,
    readonly establishmentId: string,
    readonly emissionPointId: string,
  ) {}

  static async open(stack: RunningStack, options: BusinessOptions = {}): Promise<Business> {
    const [tenantId, apiKeyId, key] = [randomUUID(), randomUUID(), generateApiKey(new CryptoChance(), 'TEST')];
    await stack.database.query(`select provision_tenant($1, 'Business', $2, 'test', $3, $4, 'TEST', now())`, [tenantId, apiKeyId, key.prefix, key.hash]);
    const ruc = options.ruc ?? `179${String(stack.nextBusiness()).padStart(7, '0')}001`;
    const created = async (path: string, body: unknown): Promise<string> => {
      const answer = await call<Record<string, unknown>>(stack.apiUrl, 'POST', path, { apiKey: key.clear, body });
      if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body['id'] as string;
    };
    const issuerId = await created('/issuers', { ruc, razon_social: 'Comercial Ñandú & Compañía', direccion_matriz: 'Av. Amazonas, Quito', obligado_contabilidad: true, ...options.issuer });
    const establishmentId = await created(`/issuers/${issuerId}/establishments`, { code: '001', address: 'Av. Amazonas, Quito' });
    const emissionPointId = await created(`/issuers/${issuerId}/establishments/${establishmentId}/emission-points`, {
      code: '001', initial_sequential: options.initialSequential ?? 1,
    });
    const business = new Business(stack, tenantId, apiKeyId, key.clear, ruc, issuerId, establishmentId, emissionPointId);
    if (options.certificate === undefined) await business.storeCertificate();
    else if (options.certificate !== null) await business.uploadCertificate(options.certificate);
    return business;
  }

  /** Reading an uploaded file takes a process of its own; hundreds of businesses come by their certificate like this. */
  private async storeCertificate(): Promise<void> {
    const certificateId = randomUUID();
    const stored = await askKeeper<StoredCertificate>('/certificate', { tenantId: this.tenantId, issuerId: this.issuerId, certificateId, ruc: this.ruc });
    const [row] = await this.stack.database.query<{ is_active: boolean }>(
      `with tenant as materialized (select set_config('sello.tenant_id', $1::text, true)::uuid as id),
         claimed as materialized (select tenant.id, claim_ruc($7::text, 'TEST', tenant.id, $3::uuid, now()) as held from tenant)
       insert into certificates (tenant_id, id, issuer_id, subject, issuer_name, serial_number, ruc, valid_from, valid_to, fingerprint_sha256, certificate_der, sealed_key, is_active, created_at)
       select id, $2, $3, $4, $5, $6, $7, $8, $9, $10, decode($11, 'base64'), decode($12, 'base64'), held, now() from claimed
       returning is_active`,
      [
        this.tenantId, certificateId, this.issuerId, stored.subject, stored.issuerName, stored.serialNumber, this.ruc, stored.validFrom, stored.validTo, stored.fingerprintSha256,
        stored.certificateDer, stored.sealedKey,
      ],
    );
    if (row?.is_active !== true) throw new Error(`${this.ruc} belongs to another business`);
  }

  /** Uploads a file; without one, a new certificate of the RUC. */
  async uploadCertificate(file?: Buffer, password?: string): Promise<Answer> {
    const { BUSINESS_PASSWORD, businessCertificate } = await import('./business-certificate.js');
    const p12 = file ?? businessCertificate(this.ruc, password);
    const answer = await this.call('POST', `/issuers/${this.issuerId}/certificates`, { file_base64: p12.toString('base64'), password: password ?? BUSINESS_PASSWORD });
    if (file === undefined && answer.status !== 201) throw new Error(`certificate: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** Another emission point of the establishment. */
  async emissionPoint(code: string): Promise<string> {
    const answer = await this.call<{ id: string }>('POST', `/issuers/${this.issuerId}/establishments/${this.establishmentId}/emission-points`, { code });
    if (answer.status !== 201) throw new Error(`emission point ${code}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  }

  call<Body = Record<string, unknown>>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, apiUrl = this.stack.apiUrl): Promise<Answer<Body>> {
    return call<Body>(apiUrl, method, path, { apiKey: this.apiKey, body, headers });
  }

  /** A valid invoice of today; `change` overrides fields. */
  invoice(change: Invoice = {}): Invoice {
    return {
      issuer_id: this.issuerId, establishment_id: this.establishmentId, emission_point_id: this.emissionPointId,
      document_type: '01', issue_date: guayaquilDay(new Date()), numeric_code: '12345678',
      subtotal: '100.00', total_discount: '0.00', total_tax: '15.00', total: '115.00',
      buyer_id_type: '05', buyer_id: '1710034065', buyer_name: 'María Pérez', buyer_email: 'maria@example.com',
      lines: [{ line_number: 1, description: 'Servicio de consultoría', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00' }],
      payments: [{ line_number: 1, payment_method_code: '20', total: '115.00' }],
      ...change,
    };
  }

  issue(change: Invoice = {}, apiUrl?: string): Promise<Answer<Accepted>> {
    return this.call<Accepted>('POST', '/documents', this.invoice(change), {}, apiUrl);
  }

  async accepted(change: Invoice = {}): Promise<Accepted> {
    const answer = await this.issue(change);
    if (answer.status !== 202) throw new Error(`POST /documents: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async document(id: string): Promise<Record<string, unknown> & { status: string }> {
    return (await this.call<Record<string, unknown> & { status: string }>('GET', `/documents/${id}`)).body;
  }

  /** Polls until nothing more happens by itself. */
  async settled(id: string, seconds = 90): Promise<Record<string, unknown> & { status: string }> {
    const until = Date.now() + seconds * 1_000;
    for (;;) {
      const document = await this.document(id);
      if (SETTLED.includes(document.status)) return document;
      if (Date.now() > until) throw new Error(`document ${id} is still ${document.status} after ${seconds} s\n${this.stack.logs()}`);
      await sleep(100);
    }
  }

  /**
   * The events that match, once there are any: nobody reads an event before the transactions that began before its own
   * have ended, be they of other tests in another database of the same server.
   */
  async listed<Event>(query: string, seconds = 90): Promise<Event[]> {
    for (let waited = 0; waited < seconds * 20; waited += 1) {
      const { items } = (await this.call<{ items: Event[] }>('GET', `/events?${query}`)).body;
      if (items.length > 0) return items;
      await sleep(50);
    }
    throw new Error(`no event with ${query} after ${seconds} s`);
  }

  /** Last number taken on the issuer's emission point; 0 when none was. */
  async lastNumber(): Promise<number> {
    const rows = await this.stack.database.query<{ last_value: number }>('select last_value from sequence_counters where tenant_id = $1', [this.tenantId]);
    return rows[0]?.last_value ?? 0;
  }
}

/** What the simulator saw of one access key. */
export interface SimulatorAccount {
  state: string;
  authorized: number;
  submissions: number;
  digests: string[];
  stored_digests: string[];
  entries: Record<string, unknown>[];
}

export async function simulatorAccount(stack: RunningStack, accessKey: string): Promise<SimulatorAccount> {
  return (await fetch(`${stack.simulatorUrl}/control/ledger?access_key=${accessKey}`)).json() as Promise<SimulatorAccount>;
}

/** Adds fault rules at the simulator. */
export async function addFaults(stack: RunningStack, ...rules: unknown[]): Promise<void> {
  const response = await fetch(`${stack.simulatorUrl}/control/faults`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ rules }),
  });
  if (!response.ok) throw new Error(`faults: ${response.status} ${await response.text()}`);
}

/** From now on the simulator does as the SRI does. */
export async function clearFaults(stack: RunningStack): Promise<void> {
  const response = await fetch(`${stack.simulatorUrl}/control/faults`, { method: 'DELETE' });
  if (!response.ok) throw new Error(`faults: ${response.status} ${await response.text()}`);
}
