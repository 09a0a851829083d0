/**
 * `npm run bench:neighbours`: how long a tenant waits for a small read while another asks for all the work that its limits allow,
 * beside the same tenant alone; and how many of its reads are refused.
 *
 *   --products 160000   that the loud tenant searches      --seconds 12   of each kind of work
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { percentile } from './issue-load.js';
import { type BenchStack, onBenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { type Figure, printFigures } from './table.js';

const { values } = parseArgs({ options: { products: { type: 'string', default: '160000' }, seconds: { type: 'string', default: '12' } } });
const [products, seconds] = [Number(values.products), Number(values.seconds)];
const [FILE_ROWS, LARGE_LINES] = [20_000, 2_000];
/** With two taxes, and as many decimals as there may be. */
const TAXED_LINE = {
  description: 'Café', quantity: '1.123457', unit_price: '1.123457', subtotal: '1.26',
  taxes: [
    { tax_code: '2', tax_rate_code: '4', rate: '0.15', taxable_base: '1.26', tax_amount: '0.19' },
    { tax_code: '3', tax_rate_code: '3011', rate: '0.1', taxable_base: '1.26', tax_amount: '0.13' },
  ],
};
/** Between two reads of the quiet tenant. */
const PAUSE_MS = 250;

type Call = (method: string, path: string, body?: string, type?: string) => Promise<Response>;

const callsOf = (apiUrl: string, apiKey: string): Call => (method, path, body, type = 'application/json') =>
  fetch(apiUrl + path, { method, headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': type }) }, ...(body !== undefined && { body }) });

/** What a call answers that has to succeed. */
async function done(answer: Promise<Response>): Promise<{ readonly id: string }> {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string };
}

interface Reads {
  /** Milliseconds of those that were answered with 200, in order. */
  readonly times: readonly number[];
  readonly refused: number;
}

/** The quiet tenant reads; `perSecond` calls of the loud one begin meanwhile, whatever becomes of them. */
async function readBeside(quiet: Call, perSecond: number, loud: () => Promise<Response>): Promise<Reads> {
  const times: number[] = [];
  let refused = 0;
  const read = async (): Promise<void> => {
    const begun = performance.now();
    const answer = await quiet('GET', '/issuers');
    await answer.arrayBuffer();
    if (answer.status === 200) times.push(performance.now() - begun);
    else refused += 1;
  };
  const under: Promise<unknown>[] = [];
  let due = 0;
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    for (due += (perSecond * PAUSE_MS) / 1_000; due >= 1; due -= 1) under.push(loud().then((answer) => answer.arrayBuffer()));
    under.push(read());
    await sleep(PAUSE_MS);
  }
  await Promise.all(under);
  return { times: times.sort((a, b) => a - b), refused };
}

async function measure(stack: BenchStack): Promise<void> {
  await stack.startApi();
  const apiUrl = stack.apiUrls[0]!;
  const [mine, others] = await createRequests(stack.ownerUrl, apiUrl, 2, 1);
  const [quiet, loud] = [callsOf(apiUrl, mine!.apiKey), callsOf(apiUrl, others!.apiKey)];
  for (let from = 0; from < products; from += FILE_ROWS) {
    const rows = Array.from({ length: Math.min(FILE_ROWS, products - from) }, (_, row) => `P${from + row};Producto ${from + row}, café de altura tostado y molido en origen;1,00;4`);
    await done(loud('POST', '/products/import', `main_code;name;unit_price;iva_rate_code\n${rows.join('\n')}`, 'text/csv'));
    process.stdout.write(`  ${from + rows.length} products\n`);
  }
  const { subtotal: _subtotal, total_tax: _tax, total: _total, taxes: _taxes, payments: _payments, ...place } = JSON.parse(others!.body) as Record<string, unknown>;
  const large = JSON.stringify({ ...place, lines: Array.from({ length: LARGE_LINES }, (_, line) => ({ ...TAXED_LINE, line_number: line + 1 })) });
  const { id } = await done(loud('POST', '/documents/drafts', large));
  let change = 0;
  const alone = await readBeside(quiet, 0, () => Promise.reject(new Error('nobody is loud')));
  const kinds = [
    ['20 searches a second without a hit', await readBeside(quiet, 20, () => loud('GET', '/products?q=zzzzzz'))],
    ['10 large dry runs a second', await readBeside(quiet, 10, () => loud('POST', '/documents/validate', large))],
    ['4 changes a second of a large draft', await readBeside(quiet, 4, () => loud('PATCH', `/documents/${id}`, JSON.stringify({ buyer_name: `Compradora ${(change += 1)}` })))],
  ] as const;
  const calm = percentile(alone.times, 0.5);
  printFigures(`A tenant beside another that asks for much (${products} products, ${LARGE_LINES} lines); ${stack.description}`, [
    { bench: 'neighbours', name: 'a read, median, alone', value: calm, unit: 'ms' },
    ...kinds.flatMap(([name, { times, refused }]): Figure[] => [
      { bench: 'neighbours', name: `beside ${name}`, value: percentile(times, 0.5), unit: 'ms', baseline: { name: 'alone', value: calm }, ratio: percentile(times, 0.5) / calm },
      { bench: 'neighbours', name: 'the same, p95', value: percentile(times, 0.95), unit: 'ms' },
      { bench: 'neighbours', name: 'refused of them', value: refused, unit: 'reads', atMost: 0 },
    ]),
  ]);
}

await onBenchStack(measure);
