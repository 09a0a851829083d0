import { setTimeout as sleep } from 'node:timers/promises';

const { SELLO_URL = 'http://127.0.0.1:3000', SELLO_API_KEY = '', ISSUER_ID, ESTABLISHMENT_ID, EMISSION_POINT_ID } = process.env;

interface Document {
  id: string;
  status: string;
  access_key: string;
  error: { code: string; message: string } | null;
  sri_messages: { identifier: string; message: string; additional_info: string | null }[];
}

async function sello<Answer>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  for (;;) {
    const response = await fetch(SELLO_URL + path, {
      method,
      headers: { 'X-API-Key': SELLO_API_KEY, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // Too many calls, or the service is away for a moment: the idempotency key makes it safe to repeat.
    if (response.status === 429 || response.status === 503) {
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
      continue;
    }
    const answer = (await response.json()) as Answer & { error?: { code: string; message: string; detail: unknown } };
    if (!response.ok) throw new Error(`${answer.error?.code}: ${answer.error?.message}\n${JSON.stringify(answer.error?.detail, null, 2)}`);
    return answer;
  }
}

const invoice = {
  issuer_id: ISSUER_ID,
  establishment_id: ESTABLISHMENT_ID,
  emission_point_id: EMISSION_POINT_ID,
  document_type: '01',
  // Ecuador's day, wherever this runs.
  issue_date: new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Guayaquil' }).format(new Date()),
  numeric_code: '12345678',
  buyer_id_type: '05',
  buyer_id: '1710034065',
  buyer_name: 'María José Peña',
  // Amounts as strings: no floating point on the way.
  lines: [{ line_number: 1, description: 'Café tostado, 500 g', quantity: '4', unit_price: '12.50', subtotal: '50.00', tax_rate_code: '4' }],
  subtotal: '50.00',
  total_tax: '7.50',
  total: '57.50',
  taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '50.00', rate: '0.15', tax_amount: '7.50' }],
  payments: [{ line_number: 1, payment_method_code: '20', total: '57.50' }],
};

// Waits up to ten seconds for the end; the order number makes a second call harmless.
const order = `order-${Date.now()}`;
const { document_id: id } = await sello<{ document_id: string }>('POST', '/documents', invoice, { 'Idempotency-Key': order, Prefer: 'wait=10' });

let document = await sello<Document>('GET', `/documents/${id}`);
while (!['AUTHORIZED', 'REJECTED', 'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT'].includes(document.status)) {
  await sleep(2_000);
  document = await sello<Document>('GET', `/documents/${id}`);
}
if (document.status !== 'AUTHORIZED') {
  const reasons = document.sri_messages.map(({ identifier, message, additional_info }) => `${identifier} ${message} ${additional_info ?? ''}`);
  throw new Error(`${document.status}: ${document.error?.message ?? ''}\n${reasons.join('\n')}`);
}
console.log(`AUTHORIZED ${document.access_key}`);
