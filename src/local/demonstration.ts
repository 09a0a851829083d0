import { randomInt } from 'node:crypto';
import { exampleDocuments, exampleInvoice } from '../modules/documents/public.js';
import { guayaquilDay } from '../shared/guayaquil.js';
import { ApiClient } from './api-client.js';
import type { DemoTenant } from './data-folder.js';
import { type AuthorizedDocument, issueDocument, type Naming } from './issue-document.js';
import type { Progress } from './progress.js';

const numericCode = (): string => String(randomInt(100_000_000)).padStart(8, '0');

/**
 * Issues an invoice dated today in Ecuador and waits until it is AUTHORIZED.
 * @throws NotAuthorized
 */
export async function issueInvoice(apiUrl: string, demo: DemoTenant, folder: string, progress: Progress, naming: Naming): Promise<AuthorizedDocument> {
  const api = new ApiClient(apiUrl, demo.api_key);
  const invoice = exampleInvoice(demo, guayaquilDay(new Date()), numericCode());
  return progress.step(
    'First invoice',
    () => issueDocument(api, invoice, folder, naming),
    ({ number }) => `Invoice ${number} issued, signed, sent, AUTHORIZED`,
  );
}

/** A document of the demonstration, authorized. */
export interface DemonstratedDocument extends AuthorizedDocument {
  readonly type: string;
  readonly name: string;
}

/**
 * Issues one document of each type: the invoice first, because others refer to it.
 * Their XML and PDF are called by type, so that the next demonstration replaces them.
 * @throws NotAuthorized
 */
export async function demonstrate(apiUrl: string, demo: DemoTenant, folder: string, progress: Progress): Promise<readonly DemonstratedDocument[]> {
  const invoice = await issueInvoice(apiUrl, demo, folder, progress, { name: 'invoice', fileName: '01-invoice' });
  const api = new ApiClient(apiUrl, demo.api_key);
  const others = exampleDocuments(demo, guayaquilDay(new Date()), invoice.documentId).map(async ({ type, name, body }) => {
    const document = await progress.step(
      name,
      () => issueDocument(api, body(numericCode()), folder, { name, fileName: `${type}-${name.replace(' ', '-')}` }),
      ({ number }) => `${name[0]?.toUpperCase()}${name.slice(1)} ${number} AUTHORIZED`,
    );
    return { type, name, ...document };
  });
  // All of them come to an end before a failure is reported.
  await Promise.allSettled(others);
  return [{ type: '01', name: 'invoice', ...invoice }, ...(await Promise.all(others))];
}
