import { createHash } from 'node:crypto';

/** Values that stand in examples, by the name of the field or of the schema. Days and ids can be recognised, so that a served description can put real ones there. */

export const SAMPLE_DAY = '2026-08-25';
const SAMPLE_INSTANT = `${SAMPLE_DAY}T15:04:05.000Z`;
export const REQUEST_ID = '5b0f4a52-6c1e-4a57-9d0e-3f6f6f1d8b11';
const ACCESS_KEY = '2508202601179001234500110010010000000011234567819';

/** An id that is the same in every example which means the same thing. */
export function sampleId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Fields that mean the same wherever they stand. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  ruc: '1790012345001',
  razon_social: 'CAFÉ ANDINO S.A.',
  issuer_razon_social: 'CAFÉ ANDINO S.A.',
  nombre_comercial: 'Café Andino',
  direccion_matriz: 'Av. Amazonas N34-451, Quito',
  address: 'Av. Amazonas N34-451, Quito',
  buyer_address: 'Av. Amazonas N34-451, Quito',
  origin_address: 'Av. Amazonas N34-451, Quito',
  default_payment_method: '01',
  buyer_id_type: '05',
  id_type: '05',
  identifier: '1710034065',
  buyer_id: '1710034065',
  buyer_name: 'María José Peña',
  legal_name: 'María José Peña',
  name: 'Café Andino',
  iva_rate_code: '4',
  ice_code: null,
  default_discount: '0.00',
  tenant_name: 'Café Andino',
  email: 'maria.jose@example.com',
  buyer_email: 'maria.jose@example.com',
  document_type: '01',
  code: '001',
  sequential: 1,
  access_key: ACCESS_KEY,
  authorization_number: ACCESS_KEY,
  authorization_date: SAMPLE_INSTANT,
  numeric_code: '12345678',
  logo: null,
  disabled_at: null,
  revoked_at: null,
  deleted_at: null,
  new_access_key: null,
  next_attempt_at: null,
  modified_document_id: null,
  modified_document_type: null,
  modified_document_number: null,
  modified_document_issue_date: null,
  contribuyente_especial: null,
  agente_retencion: null,
  gran_contribuyente: null,
  delivery_guide_number: null,
  vehicle_plate: null,
  tip: null,
  idempotency_key: 'pedido-4711',
  trade_name: null,
  contributor_status: 'ACTIVO',
  contributor_type: 'PERSONA NATURAL',
  notes: null,
  main_code: 'CAFE-500',
  aux_code: null,
  description: 'Café tostado de altura, 500 g',
  unit_of_measure: null,
  quantity: '1',
  unit_price: '100.00',
  payment_method_code: '20',
  tax_code: '2',
  tax_rate_code: '4',
  tariff: null,
  reason: 'Devolución de mercadería',
  password: 'cuatro palabras al azar',
  current_password: 'tres palabras y otra',
  token: 'hVn2pQ0sT7xkR3mYc8wLb5ZdJ1uG6fAe9iXoKqMtS4E',
  link_token: 'hVn2pQ0sT7xkR3mYc8wLb5ZdJ1uG6fAe9iXoKqMtS4E',
  refresh_token: 'hVn2pQ0sT7xkR3mYc8wLb5ZdJ1uG6fAe9iXoKqMtS4E',
  access_token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiI1In0.c2lnbmF0dXJl',
  expires_in: 900,
  total: '115.00',
  subtotal: '100.00',
  total_discount: '0.00',
  discount: '0.00',
  total_tax: '15.00',
  taxable_base: '100.00',
  rate: '0.15',
  tax_amount: '15.00',
  fiscal_period: '08/2026',
  fingerprint_sha256: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
  serial_number: '1234567890',
  file: '(file)',
  file_base64: 'MIIKcAIBAzCCCiwGCSqGSIb3DQEHAaCCCh0EggoZMIIKFTCC',
  request_id: REQUEST_ID,
  key: 'svc_test_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC',
  value: 'Pedido 4711',
  supplier_id: '1710034065001',
  supplier_id_type: '04',
  page: 1,
  page_size: 20,
  next_number: 1501,
  remaining: 999998499,
  url: 'https://shop.example/hooks/sello',
};

/** In lists, `total` is a count; in documents, it is an amount of money. */
const COUNT = { page: 1, page_size: 20, total: 1 } as const;

/** Named enumerations whose first value is not the one to show. */
const BY_SCHEMA: Readonly<Record<string, unknown>> = { DocumentStatus: 'AUTHORIZED' };

/** The value of a field in examples, or undefined where its schema must say it. */
export function sampleOf(name: string, owner: string): unknown {
  if (name === 'id' && owner !== '') return sampleId(`${snake(owner).replace(/_(list_item|created|record|entry)$/, '')}_id`);
  if (owner.endsWith('Page') || owner.endsWith('List')) return COUNT[name as keyof typeof COUNT];
  return Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
}

export const sampleOfSchema = (name: string): unknown => BY_SCHEMA[name];

/** The value of text in a format, whatever the field means. */
export function sampleOfFormat(format: string | undefined, name: string): string | undefined {
  switch (format) {
    case 'uuid':
      return sampleId(name);
    case 'date':
      return SAMPLE_DAY;
    case 'date-time':
      return SAMPLE_INSTANT;
    case 'email':
      return 'maria.jose@example.com';
    case 'uri':
      return 'https://shop.example/hooks/sello';
    default:
      return undefined;
  }
}

const snake = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
