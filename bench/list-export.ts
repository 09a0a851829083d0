/** One export in a process of its own, so that its memory is nobody else's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DataSource } from 'typeorm';
import { DocumentExportsRepository } from '../src/modules/documents/persistence/document-exports.repository.js';
import { ExportDocuments, ExportDocumentsHandler } from '../src/modules/documents/use-cases/export-documents.js';
import { SystemClock } from '../src/platform/adapters/system-clock.js';
import { serviceDataSourceOptions } from '../src/platform/database/connection.js';
import { StandingCredential } from '../src/platform/database/standing-credential.js';
import { TenantTransaction } from '../src/platform/database/tenant-transaction.js';

export interface ExportJob {
  readonly url: string;
  readonly tenantId: string;
  readonly format: 'csv' | 'xlsx';
  /** Nobody reads on after so long. */
  readonly seconds: number;
}

export interface Exported {
  readonly seconds: number;
  readonly bytes: number;
  readonly rows: number;
  readonly whole: boolean;
  readonly firstByteMs: number;
  /** Processor time of the process, in seconds. */
  readonly cpuSeconds: number;
  /** Memory before the export and at its highest. */
  readonly restRssMb: number;
  readonly peakRssMb: number;
}

/** Writes the documents of a tenant into nothing, for so many seconds at most. */
export async function exportApart(job: ExportJob): Promise<Exported> {
  const child = fork(fileURLToPath(import.meta.url), ['export'], { execArgv: [] });
  try {
    child.send(job);
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the export ended with ${String(code)}`)));
    const [result] = (await Promise.race([once(child, 'message'), ended])) as [Exported];
    ended.catch(() => undefined);
    return result;
  } finally {
    child.kill();
  }
}

class CountedExports extends DocumentExportsRepository {
  rows = 0;

  override async *batches(...asked: Parameters<DocumentExportsRepository['batches']>): ReturnType<DocumentExportsRepository['batches']> {
    for await (const batch of super.batches(...asked)) {
      this.rows += batch.length;
      yield batch;
    }
  }
}

async function exportHere({ url, tenantId, format, seconds: most }: ExportJob): Promise<Exported> {
  const dataSource = await new DataSource(serviceDataSourceOptions(url, 'api', 2)).initialize();
  const transaction = new TenantTransaction(dataSource);
  const exports = new CountedExports(transaction);
  const handler = new ExportDocumentsHandler(exports, new StandingCredential(transaction, new SystemClock()));
  const tenant = { tenantId, principal: { kind: 'api_key', id: tenantId }, environment: 'TEST' } as const;
  const nothing = { status: null, documentType: null, issuerId: null, buyerId: null, issuedFrom: null, issuedTo: null, accessKey: null, modifiedDocumentId: null, text: null };
  const restRssMb = process.memoryUsage().rss / 2 ** 20;
  const started = performance.now();
  const file: Readable = (await handler.execute(new ExportDocuments(tenant, nothing, format, null))).getStream();
  let bytes = 0;
  let whole = true;
  let firstByteMs = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    if (bytes === 0) firstByteMs = performance.now() - started;
    bytes += chunk.length;
    whole = performance.now() - started < most * 1_000;
    if (!whole) break;
  }
  const seconds = (performance.now() - started) / 1_000;
  await dataSource.destroy();
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { seconds, rows: exports.rows, whole, bytes, firstByteMs, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, restRssMb, peakRssMb: maxRSS / 1_024 };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'export') {
  process.once('message', (job: ExportJob) => {
    exportHere(job).then(
      (result) => process.send?.(result),
      (error: unknown) => {
        process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
        process.exit(1);
      },
    );
  });
  process.once('disconnect', () => process.exit());
}
