import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SUGGESTED_ACTIONS, type SuggestedAction, waitsForPerson } from '../shared/suggested-actions.js';
import { printedNumber } from '../sri/access-key.js';
import type { ApiClient } from './api-client.js';

export interface AuthorizedDocument {
  readonly documentId: string;
  /** 49 digits; the authorization number is the same. */
  readonly accessKey: string;
  /** 001-001-000000001. */
  readonly number: string;
  readonly authorizationDate: string;
  readonly xmlFile: string;
  readonly pdfFile: string;
}

/** What a document is called in messages, and where its XML and PDF go. */
export interface Naming {
  readonly name: string;
  /** Name of the files without their ending; default: the access key. */
  readonly fileName?: string;
}

/** The part of the document's record that is read here. */
interface Record {
  readonly status: string;
  readonly access_key: string;
  readonly authorization_number: string | null;
  readonly authorization_date: string | null;
  readonly sri_messages: readonly { identifier: string | null; message: string; additional_info: string | null }[];
  readonly error: { readonly code: string; readonly message: string; readonly detail: { readonly suggested_action?: SuggestedAction } | null } | null;
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
 * Issues one document, waits until it is AUTHORIZED and writes its signed XML and
 * its printed form.
 *
 * @param folder where the files go, made when it is missing
 * @throws NotAuthorized
 */
export async function issueDocument(api: ApiClient, body: unknown, folder: string, { name, fileName }: Naming): Promise<AuthorizedDocument> {
  const { document_id: documentId } = await api.post<{ document_id: string }>('/documents', body);
  const record = await untilAuthorized(api, documentId, name);
  if (record.authorization_number !== record.access_key) {
    throw new NotAuthorized(`The authorization number ${record.authorization_number ?? 'null'} is not the access key ${record.access_key}`);
  }
  const [xml, pdf] = await Promise.all([api.getText(`/documents/${documentId}/xml?kind=signed`), api.getBytes(`/documents/${documentId}/ride`)]);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, fileName ?? record.access_key);
  writeFileSync(`${file}.xml`, xml);
  writeFileSync(`${file}.pdf`, pdf);
  return {
    documentId,
    accessKey: record.access_key,
    number: printedNumber(record.access_key),
    authorizationDate: record.authorization_date ?? '',
    xmlFile: `${file}.xml`,
    pdfFile: `${file}.pdf`,
  };
}

async function untilAuthorized(api: ApiClient, documentId: string, name: string): Promise<Record> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let poll = 0; ; poll += 1) {
    const record = await api.get<Record>(`/documents/${documentId}`);
    if (record.status === 'AUTHORIZED') return record;
    if (DEAD_ENDS.includes(record.status)) throw new NotAuthorized(`The ${name} ended ${record.status}${reasons(record)}`);
    const suggested = record.error?.detail?.suggested_action;
    if (waitsForPerson(suggested)) {
      throw new NotAuthorized(`The ${name} is ${record.status} and does not go on by itself${reasons(record)}`);
    }
    if (performance.now() > deadline) {
      throw new NotAuthorized(`The ${name} is still ${record.status} after ${PATIENCE_MS / 1000} s${reasons(record)}`);
    }
    await sleep(poll < QUICK_POLLS ? QUICK_POLL_MS : POLL_MS);
  }
}

function reasons({ sri_messages: messages, error }: Record): string {
  const lines = messages.map((one) => `  SRI ${one.identifier ?? '-'}: ${one.message}${one.additional_info ? ` (${one.additional_info})` : ''}`);
  if (error !== null) lines.push(`  ${JSON.stringify(error)}`);
  const suggested = error?.detail?.suggested_action;
  if (suggested !== undefined) lines.push(`  What to do: ${SUGGESTED_ACTIONS[suggested]}`);
  return lines.length === 0 ? '' : `\n${lines.join('\n')}`;
}
