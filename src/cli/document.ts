import { setTimeout as sleep } from 'node:timers/promises';
import { type SuggestedAction, type WaitsForPerson, waitsForPerson } from '../shared/suggested-actions.js';
import { printedNumber } from '../sri/access-key.js';
import type { Api } from './api.js';
import { CliFailure } from './failure.js';

/** What the command line shows of a document. */
export interface DocumentSeen {
  readonly id: string;
  readonly issuer_id: string;
  readonly document_type: string;
  readonly status: string;
  readonly access_key: string | null;
  readonly total: string;
  readonly buyer_name: string | null;
  readonly authorization_date: string | null;
  readonly next_attempt_at: string | null;
  readonly error: { readonly code: string; readonly message: string; readonly detail: { readonly suggested_action?: SuggestedAction; readonly pause_id?: string } | null } | null;
  readonly sri_messages: readonly { readonly identifier: string | null; readonly message: string; readonly additional_info: string | null }[];
}

const ENDS_WELL = ['AUTHORIZED', 'VOIDED_BY_NC', 'CANCELLATION_REQUESTED', 'CANCELLED'];
/** A person has to look at what ended so. */
export const ENDS_BADLY = ['REJECTED', 'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT'];
const POLL_MS = 500;

/** The call that a document on its way waits for. */
const ACTS: Readonly<Record<WaitsForPerson, (document: DocumentSeen) => string>> = {
  resume_pause: ({ issuer_id, error }) => `settle the cause, then POST /issuers/${issuer_id}/pauses/${error?.detail?.pause_id ?? '{pause_id}'}/resume`,
  upload_certificate: ({ issuer_id }) => `POST /issuers/${issuer_id}/certificates`,
};

/** What a person has to do before the document goes on; null while it goes on by itself, and once it has ended. */
function actFor(document: DocumentSeen): string | null {
  const suggested = document.error?.detail?.suggested_action;
  return hasEnded(document) || !waitsForPerson(suggested) ? null : ACTS[suggested](document);
}

const hasEnded = ({ status }: DocumentSeen): boolean => [...ENDS_WELL, ...ENDS_BADLY].includes(status);

/** The printed number, or that there is none. */
export const numberOf = (accessKey: string | null): string => (accessKey === null ? 'no number' : printedNumber(accessKey));

/** The document as lines for a person. */
export function documentLines(document: DocumentSeen): string[] {
  const { document_type, access_key, status, id, total, buyer_name, error, sri_messages, next_attempt_at } = document;
  const act = actFor(document);
  return [
    `${document_type} ${numberOf(access_key)}  ${status}${buyer_name === null ? '' : `  ${buyer_name}`}  ${total}`,
    `  id          ${id}`,
    ...(access_key === null ? [] : [`  access key  ${access_key}`]),
    ...(error === null ? [] : [`  error       ${error.code}: ${error.message}`]),
    ...(act === null ? [] : [`  to do       ${act}`]),
    ...(next_attempt_at === null ? [] : [`  next step   ${next_attempt_at}`]),
    ...sri_messages.map(({ identifier, message, additional_info }) => `  SRI         ${identifier ?? ''} ${message}${additional_info === null ? '' : ` (${additional_info})`}`),
  ];
}

/**
 * Follows an accepted document until it ends, waits for a person, or the time is up. That nobody answers meanwhile changes nothing about it.
 * @throws CliFailure pending when it could not be looked at in time
 */
export async function follow(api: Api, id: string, seconds: number): Promise<DocumentSeen> {
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    let unseen: CliFailure | null = null;
    try {
      const document = await api.get<DocumentSeen>(`/documents/${id}`);
      if (hasEnded(document) || actFor(document) !== null || performance.now() >= until) return document;
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      unseen = error;
    }
    if (unseen !== null && performance.now() >= until) throw new CliFailure('pending', `accepted as ${id}, and not seen since: ${unseen.message}`, { document_id: id });
    await sleep(POLL_MS);
  }
}

/** @throws CliFailure unless the document is valid */
export function requireAuthorized(document: DocumentSeen): void {
  if (ENDS_WELL.includes(document.status)) return;
  if (hasEnded(document)) throw new CliFailure('not_authorized', `the document is ${document.status}`, document);
  const act = actFor(document);
  if (act !== null) throw new CliFailure('not_authorized', `the document is ${document.status} and does not go on before somebody acts: ${document.error?.message ?? ''}\n${act}`, document);
  throw new CliFailure('pending', `still ${document.status}: it goes on by itself, see \`sello status ${document.id}\``, document);
}
