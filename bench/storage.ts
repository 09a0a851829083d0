/**
 * `npm run bench:storage`: what a document takes in PostgreSQL. Issues documents of all six types through the whole service
 * (`--documents 1500`: 78 % invoices, 10 % withholdings, 5 % credit notes, 5 % delivery guides, 1 % each of the others), with
 * idempotency keys, a webhook and mails that are queued, and compares the sizes of all tables before and after.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ApiClient } from '../src/local/api-client.js';
import { createDemoTenant, makeDemoCompany } from '../src/local/demo-tenant.js';
import { exampleDocuments, exampleInvoice } from '../src/modules/documents/public.js';
import { guayaquilDay } from '../src/shared/guayaquil.js';
import { BenchStack } from './issue-stack.js';
import { printTable } from './table.js';

const { values } = parseArgs({ options: { documents: { type: 'string', default: '1500' } } });
const DOCUMENTS = Number(values.documents);
/** Of the types that are not invoices, how many of a hundred documents. */
const OTHERS = { '07': 10, '04': 5, '06': 5, '03': 1, '05': 1 } as const;
const AT_ONCE = 8;
const PATIENCE_SECONDS = 600;

interface Size {
  readonly name: string;
  readonly rows: number;
  readonly heap: number;
  readonly toast: number;
  readonly indexes: number;
}

async function sizes(client: pg.Client): Promise<Map<string, Size>> {
  await client.query('vacuum analyze');
  const { rows } = await client.query<Size>(
    `select c.relname as name, greatest(c.reltuples, 0)::int as rows, pg_relation_size(c.oid)::int as heap,
       (pg_table_size(c.oid) - pg_relation_size(c.oid))::int as toast, pg_indexes_size(c.oid)::int as indexes
     from pg_class c where c.relnamespace = 'sello'::regnamespace and c.relkind = 'r'`);
  return new Map(rows.map((row) => [row.name, row]));
}

/** Sends all, some at once, and answers the ids in order. */
async function issue(api: ApiClient, bodies: readonly Record<string, unknown>[]): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let place = next++; place < bodies.length; place = next++) {
      const idempotency_key = `venta-${bodies[place]?.['document_type'] as string}-${place}-${process.pid}`;
      ids[place] = (await api.post<{ document_id: string }>('/documents', { ...bodies[place], idempotency_key })).document_id;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return ids;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < PATIENCE_SECONDS; waited += 1) {
    if (await holds()) return;
    await sleep(1_000);
  }
  throw new Error(`${what}: not within ${PATIENCE_SECONDS} s`);
}

function report(before: ReadonlyMap<string, Size>, after: ReadonlyMap<string, Size>, documents: number): void {
  const grown = [...after.values()].map((size) => {
    const was = before.get(size.name);
    const each = (of: 'rows' | 'heap' | 'toast' | 'indexes'): number => (size[of] - (was?.[of] ?? 0)) / documents;
    return { name: size.name, rows: each('rows'), heap: each('heap'), toast: each('toast'), indexes: each('indexes'), total: each('heap') + each('toast') + each('indexes') };
  }).filter(({ total }) => total >= 1).sort((a, b) => b.total - a.total);
  const sum = (of: 'heap' | 'toast' | 'indexes' | 'total'): number => grown.reduce((total, size) => total + size[of], 0);
  printTable(`Bytes per document over ${documents} documents`, ['table', 'rows', 'heap', 'TOAST, maps', 'indexes', 'total'], [
    ...grown.map((size) => [size.name, size.rows.toFixed(2), ...[size.heap, size.toast, size.indexes, size.total].map((bytes) => bytes.toFixed(0))]),
    ['all', '', ...(['heap', 'toast', 'indexes', 'total'] as const).map((of) => sum(of).toFixed(0))],
  ]);
  process.stdout.write(`${JSON.stringify({ bench: 'storage', documents, bytes_per_document: Math.round(sum('total')), tables: grown })}\n`);
}

async function measure(stack: BenchStack): Promise<void> {
  await stack.startApi();
  await stack.startWorker();
  const client = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello' });
  await client.connect();
  const sink = createServer((request, response) => void request.resume().on('end', () => response.writeHead(204).end()));
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  try {
    const tenant = await createDemoTenant(stack.ownerUrl, stack.apiUrls[0] ?? '', await makeDemoCompany());
    const api = new ApiClient(stack.apiUrls[0] ?? '', tenant.api_key);
    await api.post('/webhooks', { url: `http://127.0.0.1:${(sink.address() as AddressInfo).port}/` });
    const today = guayaquilDay(new Date());
    const settled = (count: number): Promise<void> => until(`${count} documents at rest`, async () => {
      const { rows } = await client.query<{ left: number; unhappy: number }>(
        `select count(*) filter (where resting_status is null)::int as left, count(*) filter (where status not in ('AUTHORIZED', 'VOIDED_BY_NC') and resting_status is not null)::int as unhappy from documents`);
      if ((rows[0]?.unhappy ?? 0) > 0) throw new Error(`${rows[0]?.unhappy} documents were not authorized\n${stack.logs()}`);
      return rows[0]?.left === 0;
    });
    const others = Object.entries(OTHERS).flatMap(([type, share]) => Array.from({ length: Math.round((DOCUMENTS * share) / 100) }, () => type));
    const invoice = (): Record<string, unknown> => exampleInvoice(tenant, today, '12345678');
    await issue(api, [invoice()]);
    await settled(1);
    const before = await sizes(client);
    process.stdout.write(`${stack.description}\n`);

    const invoices = await issue(api, Array.from({ length: DOCUMENTS - others.length }, invoice));
    await settled(invoices.length);
    const rest = others.map((type, place) => {
      const example = exampleDocuments(tenant, today, invoices[place] ?? '').find((one) => one.type === type);
      if (example === undefined) throw new Error(`there is no example of type ${type}`);
      return example.body('12345678');
    });
    await issue(api, rest);
    await settled(DOCUMENTS);
    await until('deliveries and counts done', async () => {
      const { rows } = await client.query<{ left: number }>('select ((select count(*) from webhook_work) + (select count(*) from document_count_changes))::int as left');
      return rows[0]?.left === 0;
    });
    report(before, await sizes(client), DOCUMENTS);
  } finally {
    sink.closeAllConnections();
    sink.close();
    await client.end();
  }
}

const stopped = { stack: null as BenchStack | null };
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stopped.stack?.stop().finally(() => process.exit(130)));
try {
  await measure(await BenchStack.start((stack) => (stopped.stack = stack)));
} catch (error) {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
  process.exitCode = 1;
} finally {
  await stopped.stack?.stop();
}
process.exit();
