import type { Query } from './ledger-checker.js';

/** One answer to one request; status null: none came (time-out, reset, refused connection). */
export interface ClientAnswer {
  readonly at: number;
  readonly status: number | null;
  readonly documentId?: string;
  readonly accessKey?: string;
  readonly code?: string;
}

/** What a caller wanted to happen once, with the answer of every request it made for it. */
export interface ClientRecord {
  readonly issuerId: string;
  readonly idempotencyKey: string | null;
  readonly answers: readonly ClientAnswer[];
}

interface Row {
  readonly id: string;
  readonly issuer_id: string;
  readonly idempotency_key: string | null;
  readonly access_key: string | null;
}

/** Holds every answer against the rows (I3, I4): nothing promised is missing, nothing was made twice, nothing came from nowhere. */
export async function clientViolations(query: Query, records: readonly ClientRecord[]): Promise<string[]> {
  const violations: string[] = [];
  const rows = await query<Row>('select id, issuer_id, idempotency_key, access_key from documents');
  const byId = new Map(rows.map((row) => [row.id, row]));
  const promised = new Map<string, ClientRecord>();
  const wanted = new Set<string>();
  const unanswered = new Map<string, number>();
  const add = (id: string, record: ClientRecord): void => {
    const other = promised.get(id);
    if (other !== undefined && other !== record) violations.push(`I3: document ${id} was given to two callers (${other.idempotencyKey} and ${record.idempotencyKey})`);
    promised.set(id, record);
  };

  for (const record of records) {
    const { idempotencyKey, issuerId, answers } = record;
    if (idempotencyKey !== null) wanted.add(`${issuerId} ${idempotencyKey}`);
    const accepted = answers.filter((answer) => answer.status === 202);
    for (const { documentId = '', accessKey } of accepted) {
      const row = byId.get(documentId);
      if (row === undefined) violations.push(`I4: document ${documentId} was promised with 202 and does not exist`);
      else if (row.access_key !== accessKey) violations.push(`I4: document ${documentId} was promised with key ${accessKey} and has ${row.access_key}`);
      else if (row.idempotency_key !== idempotencyKey) violations.push(`I3: document ${documentId} was asked for with key ${idempotencyKey} and has ${row.idempotency_key}`);
      add(documentId, record);
    }
    const ids = new Set(accepted.map((answer) => answer.documentId));
    if (idempotencyKey !== null && ids.size > 1) violations.push(`I3: idempotency key ${idempotencyKey} was answered with documents ${[...ids].join(', ')}`);
    // Without a key each request may have made a document of its own; an unanswered one nobody knows.
    if (idempotencyKey === null) {
      const maybe = answers.filter((answer) => answer.status === null || answer.status >= 500).length;
      unanswered.set(issuerId, (unanswered.get(issuerId) ?? 0) + maybe);
    }
  }
  const strangers = new Map<string, number>();
  for (const row of rows) {
    if (promised.has(row.id) || (row.idempotency_key !== null && wanted.has(`${row.issuer_id} ${row.idempotency_key}`))) continue;
    strangers.set(row.issuer_id, (strangers.get(row.issuer_id) ?? 0) + 1);
  }
  for (const [issuerId, count] of strangers) {
    const possible = unanswered.get(issuerId) ?? 0;
    if (count > possible) violations.push(`I4: issuer ${issuerId} has ${count} documents that no answer promised; only ${possible} requests went unanswered`);
  }
  return violations;
}
