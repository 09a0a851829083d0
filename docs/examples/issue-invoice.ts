import { setTimeout as sleep } from 'node:timers/promises';

const { SELLO_URL = 'http://127.0.0.1:3000', SELLO_API_KEY = '', ISSUER_ID, ESTABLISHMENT_ID, EMISSION_POINT_ID } = process.env;

interface Document {
  id: string;
  status: string;
  access_key: string;
  error: { code: string; message: string; detail: { suggested_action?: string } | null } | null;
  sri_messages: { identifier: string; message: string; additional_info: string | null }[];
}

/** One call. Status 0 is no answer, or one that broke off. */
async function once(url: string, call: RequestInit): Promise<{ status: number; text: string; retryAfter: number }> {
  try {
    const response = await fetch(url, call);
    return { status: response.status, text: await response.text(), retryAfter: Number(response.headers.get('retry-after')) || 0 };
  } catch (error) {
    return { status: 0, text: `no answer: ${String(error)}`, retryAfter: 0 };
  }
}

async function sello<Answer>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const call = { method, headers: { 'X-API-Key': SELLO_API_KEY, 'Content-Type': 'application/json', ...headers }, body: body ? JSON.stringify(body) : null };
  for (let tried = 1; ; tried += 1) {
    const { status, text, retryAfter } = await once(SELLO_URL + path, call);
    if (status >= 200 && status < 300) return JSON.parse(text) as Answer;
    // Whether it was done is open, or it may be done later: the idempotency key makes it safe to repeat.
    const passes = status === 0 || status === 429 || status >= 500;
    // A 4xx names in `error.detail` what to correct.
    if (!passes || tried === 8) throw new Error(`${status} ${text}`);
    await sleep(Math.min(Math.max(retryAfter, 2 ** (tried - 1)), 60) * 1_000);
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

// What identifies the sale makes a second call harmless, also one by a second run of this program.
const order = `order-${process.argv[2] ?? '1043'}`;
// Waits up to ten seconds for the end.
const { document_id: id } = await sello<{ document_id: string }>('POST', '/documents', invoice, { 'Idempotency-Key': order, Prefer: 'wait=10' });

let document = await sello<Document>('GET', `/documents/${id}`);
/** Until a person acts, nothing happens to it; then it goes on. On the same day this program may be run again, later the document is read by its id. */
const waitsForPerson = ({ error }: Document): boolean => ['resume_pause', 'upload_certificate'].includes(error?.detail?.suggested_action ?? '');
while (!waitsForPerson(document) && !['AUTHORIZED', 'REJECTED', 'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT'].includes(document.status)) {
  await sleep(2_000);
  document = await sello<Document>('GET', `/documents/${id}`);
}
if (document.status !== 'AUTHORIZED') {
  const reasons = document.sri_messages.map(({ identifier, message, additional_info }) => `${identifier} ${message} ${additional_info ?? ''}`);
  throw new Error(`${document.status}: ${document.error?.message ?? ''}\n${reasons.join('\n')}`);
}
console.log(`AUTHORIZED ${document.access_key}`);
