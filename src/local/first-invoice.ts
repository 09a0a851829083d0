import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guayaquilDay } from '../shared/guayaquil.js';
import { ApiClient } from './api-client.js';
import type { DemoTenant } from './data-folder.js';
import { demoInvoice } from './demo-invoice.js';

export interface AuthorizedInvoice {
  readonly documentId: string;
  /** 49 digits; the authorization number is the same. */
  readonly accessKey: string;
  /** 001-001-000000001. */
  readonly number: string;
  readonly authorizationDate: string;
  readonly xmlFile: string;
}

/** The part of the document's record that is read here. */
interface Record {
  readonly status: string;
  readonly access_key: string;
  readonly authorization_number: string | null;
  readonly authorization_date: string | null;
  readonly sri_messages: readonly { identifier: string | null; message: string; additional_info: string | null }[];
  readonly error: unknown;
}

/** The document did not become AUTHORIZED: the message carries the SRI's reasons. */
export class NotAuthorized extends Error {}

/** From these nothing leads to AUTHORIZED by itself. */
const DEAD_ENDS = ['REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'];
const PATIENCE_MS = 90_000;
const QUICK_POLLS = 50;
const QUICK_POLL_MS = 60;
const POLL_MS = 1_000;

/**
 * Issues one invoice dated today in Ecuador, waits until it is AUTHORIZED and
 * writes its signed XML.
 *
 * @throws NotAuthorized
 */
export async function issueFirstInvoice(apiUrl: string, demo: DemoTenant, documentsDir: string): Promise<AuthorizedInvoice> {
  const api = new ApiClient(apiUrl, demo.api_key);
  const numericCode = String(randomInt(100_000_000)).padStart(8, '0');
  const invoice = demoInvoice(demo, guayaquilDay(new Date()), numericCode);
  const { document_id: documentId } = await api.post<{ document_id: string }>('/documents', invoice);
  const record = await untilAuthorized(api, documentId);
  if (record.authorization_number !== record.access_key) {
    throw new NotAuthorized(`The authorization number ${record.authorization_number ?? 'null'} is not the access key ${record.access_key}`);
  }
  const xml = await api.getText(`/documents/${documentId}/xml?kind=signed`);
  mkdirSync(documentsDir, { recursive: true, mode: 0o700 });
  const xmlFile = join(documentsDir, `${record.access_key}.xml`);
  writeFileSync(xmlFile, xml);
  return {
    documentId,
    accessKey: record.access_key,
    number: `${record.access_key.slice(24, 27)}-${record.access_key.slice(27, 30)}-${record.access_key.slice(30, 39)}`,
    authorizationDate: record.authorization_date ?? '',
    xmlFile,
  };
}

async function untilAuthorized(api: ApiClient, documentId: string): Promise<Record> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let poll = 0; ; poll += 1) {
    const record = await api.get<Record>(`/documents/${documentId}`);
    if (record.status === 'AUTHORIZED') return record;
    if (DEAD_ENDS.includes(record.status)) throw new NotAuthorized(`The invoice ended ${record.status}${reasons(record)}`);
    if (performance.now() > deadline) {
      throw new NotAuthorized(`The invoice is still ${record.status} after ${PATIENCE_MS / 1000} s${reasons(record)}`);
    }
    await sleep(poll < QUICK_POLLS ? QUICK_POLL_MS : POLL_MS);
  }
}

function reasons({ sri_messages: messages, error }: Record): string {
  const lines = messages.map((one) => `  SRI ${one.identifier ?? '-'}: ${one.message}${one.additional_info ? ` (${one.additional_info})` : ''}`);
  if (error !== null) lines.push(`  ${JSON.stringify(error)}`);
  return lines.length === 0 ? '' : `\n${lines.join('\n')}`;
}
