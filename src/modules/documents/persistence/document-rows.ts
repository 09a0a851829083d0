import { gunzipSync } from 'node:zlib';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import { type Decision, type DocumentPatch, type DocumentState, NOT_SIGNED, type Signing } from '../domain/document.js';
import type { DocumentStatus } from '../domain/lifecycle.js';
import type { AttemptOutcome, LoadedDocument, Records } from './documents.repository.js';
import { fromWireMessage, toWireMessage, type WireMessage } from './wire-message.js';

/** A document between the saga's types and what the SQL functions take and answer. */

/** Row of the SQL function `load_document`. */
export interface LoadedRow {
  document: Record<string, unknown>;
  content: DocumentContent;
  issuer_snapshot: IssuerSnapshot;
  digests: (Omit<Signing, 'signedAt'> & { readonly signedAt: string })[];
  signed_xml: Buffer | null;
  signing_certificate_valid_to: Date | null;
  certificate_id: string | null;
  certificate_valid_to: Date | null;
}

/** Unpacked only where the bytes are sent: most steps just ask about the document. */
const packed = (gzip: Buffer, certificateValidTo: Date, wasSent: boolean): LoadedDocument['signed'] => ({
  get xml() {
    return gunzipSync(gzip);
  },
  certificateValidTo,
  wasSent,
});

export function toLoaded(row: LoadedRow): LoadedDocument {
  const d = row.document;
  const date = (value: unknown): Date | null => (typeof value === 'string' ? new Date(value) : null);
  return {
    state: {
      id: d['id'] as string,
      tenantId: d['tenant_id'] as string,
      status: d['status'] as DocumentStatus,
      version: d['version'] as number,
      accessKey: d['access_key'] as string,
      signingNo: d['signing_no'] as number,
      contentRevision: d['content_revision'] as number,
      signings: row.digests.map((signing) => ({ ...signing, signedAt: new Date(signing.signedAt) })),
      suspicion: d['suspicion'] as DocumentState['suspicion'],
      receptionAttempts: d['reception_attempts'] as number,
      authorizationAttempts: d['authorization_attempts'] as number,
      firstSentAt: date(d['first_sent_at']),
      receivedAt: date(d['received_at']),
      deadlineAt: date(d['deadline_at']),
      dueAt: date(d['next_attempt_at']),
      changedAt: new Date(d['updated_at'] as string),
      errorCode: d['error_code'] as string | null,
      sriMessages: (d['sri_messages'] as WireMessage[]).map(fromWireMessage),
      isResigning: isSigningSpent(row),
      isDateFixed: d['refused_at_authorization'] === true,
      annulledAt: date((d['error_detail'] as { readonly annulled_at?: unknown } | null)?.annulled_at),
      cancellation: d['cancellation'] as DocumentState['cancellation'],
    },
    acceptedAt: new Date(d['created_at'] as string),
    issuerId: d['issuer_id'] as string,
    sequential: d['sequential'] as number,
    content: row.content,
    issuer: row.issuer_snapshot,
    signed:
      row.signed_xml && row.signing_certificate_valid_to
        ? packed(row.signed_xml, row.signing_certificate_valid_to, d['signing_sent'] === true)
        : null,
    activeCertificate:
      row.certificate_id && row.certificate_valid_to
        ? { id: row.certificate_id, validTo: row.certificate_valid_to }
        : null,
  };
}

/** Whether the current signing is not to be sent (again): a new one is due, or what it signed was corrected since. */
function isSigningSpent({ document: d, digests }: LoadedRow): boolean {
  const current = digests.find(({ signingNo }) => signingNo === d['signing_no']);
  if (current === undefined) return false;
  const isOfThisContent = current.accessKey === d['access_key'] && (current.contentRevision ?? d['content_revision']) === d['content_revision'];
  // It was to be signed anew, and was not: what it was retried for is still to be done.
  const detail = d['error_detail'] as { readonly reason?: unknown; readonly signs_anew?: unknown } | null;
  const failed = d['error_code'] === 'SIGNING_FAILED' || detail?.reason === NOT_SIGNED || detail?.signs_anew === true;
  return d['due_step'] === 'prepare' || failed || !isOfThisContent;
}

/** Patch property -> column. */
const COLUMN_OF: Readonly<Record<keyof DocumentPatch, string>> = {
  authorizationNumber: 'authorization_number',
  authorizationDate: 'authorization_date',
  errorCode: 'error_code',
  errorDetail: 'error_detail',
  sriMessages: 'sri_messages',
  signingNo: 'signing_no',
  suspicion: 'suspicion',
  receptionAttempts: 'reception_attempts',
  authorizationAttempts: 'authorization_attempts',
  firstSentAt: 'first_sent_at',
  receivedAt: 'received_at',
  deadlineAt: 'deadline_at',
  cancellation: 'cancellation',
};

/** The columns that a decision sets, by their names. */
export function toColumns(patch: DocumentPatch): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [property, column] of Object.entries(COLUMN_OF) as [keyof DocumentPatch, string][]) {
    const value = patch[property];
    if (value === undefined) continue;
    columns[column] = property === 'sriMessages' ? (value as readonly SriMessage[]).map(toWireMessage) : value;
  }
  return columns;
}

/** The due work as `advance_document` takes it; null: none is left. */
export function workJson({ work, keepWork }: Decision): string | null {
  if (keepWork) return JSON.stringify({ keep: true });
  if (work === null) return null;
  return JSON.stringify({
    step: work.step,
    due_at: work.dueAt === 'never' ? 'infinity' : work.dueAt.toISOString(),
    keep_lease: work.keepLease ?? false,
    recheck: work.recheck ?? false,
    ...(work.unsent === undefined ? {} : { unsent: work.unsent }),
  });
}

/** The rows that commit with a decision, as `advance_document` takes them; their bytes go beside. */
export function toRecordRows({ signing, attempt, finished, asked, authorization }: Records): Record<string, unknown> {
  const outcome = (row: AttemptOutcome): Record<string, unknown> => ({
    id: row.id,
    outcome: row.outcome,
    messages: row.messages?.map(toWireMessage) ?? null,
    excerpt: row.excerpt ?? null,
  });
  return {
    ...(signing && { signing: { signing_no: signing.signingNo, certificate_id: signing.certificateId, digest: signing.digest } }),
    ...(attempt && { attempt: { id: attempt.id, service: attempt.service, signing_no: attempt.signingNo } }),
    ...(finished && { finished: outcome(finished) }),
    ...(asked && {
      asked: { ...outcome(asked), service: asked.service, signing_no: asked.signingNo, started_at: asked.startedAt.toISOString() },
    }),
    ...(authorization && { authorization: { state: authorization.state } }),
  };
}
