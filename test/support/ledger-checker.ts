import { allMoves, DOCUMENT_STATUSES, EVENT_OF_STATE, LIFECYCLE } from '../../src/modules/documents/domain/lifecycle.js';
import { type ClientRecord, clientViolations } from './client-ledger.js';
import { AUTHORIZED_ONCE, simulatorViolations } from './simulator-ledger.js';

/** Runs one statement with the schema owner's eyes: row security hides nothing. */
export type Query = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

export interface Ledgers {
  readonly query: Query;
  /** Base address of the simulator; left out: its ledger is not compared. */
  readonly simulatorUrl?: string;
  /** Every request that callers made, with every answer; left out: not compared. */
  readonly client?: readonly ClientRecord[];
  /** Faults stopped and the time for everything to settle has passed: nothing may be under way. */
  readonly quiescent: boolean;
}

interface Check {
  readonly invariant: string;
  /** Rows with one column, `violation`: what is wrong, in words. */
  readonly sql: string;
  readonly parameters?: unknown[];
  readonly whenQuiescent?: true;
}

const statuses = (test: (status: (typeof DOCUMENT_STATUSES)[number]) => boolean): string[] => DOCUMENT_STATUSES.filter(test);
const WAITS_FOR_OTHERS = ['DRAFT', 'MANUAL_REVIEW_REQUIRED', 'CANCELLATION_REQUESTED'];
const NEVER_CORRECTED = `not exists (select from document_history h where h.tenant_id = d.tenant_id and h.document_id = d.id and h.trigger = 'corrected')`;
const POINT = 'd.tenant_id, d.emission_point_id, d.document_type, d.sri_environment';

/** Numbers that documents have, and those that somebody left out and said why. */
const TAKEN = `
  select n.tenant_id, n.emission_point_id, n.document_type, n.sri_environment, n.sequential from documents n where n.sequential is not null
  union all
  select r.tenant_id, r.emission_point_id, r.document_type, r.environment, generate_series(r.from_number, r.to_number) from sequence_raises r`;

const NUMBERS: readonly Check[] = [
  {
    invariant: 'I1',
    sql: `select format('number %s of point %s, type %s belongs to %s documents', d.sequential, d.emission_point_id, d.document_type, count(*)) as violation
      from documents d where d.sequential is not null group by ${POINT}, d.sequential having count(*) > 1`,
  },
  {
    invariant: 'I1',
    sql: `select format('access key %s belongs to %s documents', d.access_key, count(*)) as violation
      from documents d where d.access_key is not null group by d.access_key having count(*) > 1`,
  },
  {
    invariant: 'I2',
    sql: `select format('point %s, type %s: numbers %s to %s: %s are of documents or left out, the first should be %s', d.emission_point_id, d.document_type,
        min(d.sequential), max(d.sequential), count(*), p.initial_sequential) as violation
      from (${TAKEN}) d join emission_points p on p.tenant_id = d.tenant_id and p.id = d.emission_point_id
      group by ${POINT}, p.initial_sequential
      having count(*) <> max(d.sequential) - min(d.sequential) + 1 or min(d.sequential) <> p.initial_sequential`,
  },
  {
    invariant: 'I2',
    sql: `select format('the counter of point %s, type %s stands at %s, the last number taken is %s', c.emission_point_id, c.document_type, c.last_value, x.last) as violation
      from sequence_counters c
      left join lateral (select max(d.sequential) as last from (${TAKEN}) d where d.tenant_id = c.tenant_id and d.emission_point_id = c.emission_point_id
        and d.document_type = c.document_type and d.sri_environment = c.environment) x on true
      where x.last is distinct from c.last_value`,
  },
  {
    invariant: 'I2',
    sql: `select format('document %s is %s and says no reason', d.id, d.status) as violation
      from documents d where d.status in ('REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED') and d.error_code is null`,
  },
  {
    invariant: 'I3',
    sql: `select format('%s documents of issuer %s carry the idempotency key %s', count(*), d.issuer_id, d.idempotency_key) as violation
      from documents d where d.idempotency_key is not null group by d.tenant_id, d.issuer_id, d.idempotency_key having count(*) > 1`,
  },
  {
    invariant: 'I3',
    sql: `select format('idempotency key %s answers with document %s and key %s, the row says %s and %s',
        k.key, k.document_id, k.response ->> 'access_key', d.id, d.access_key) as violation
      from idempotency_keys k left join documents d on d.tenant_id = k.tenant_id and d.id = k.document_id
      where d.id is null or k.response ->> 'document_id' is distinct from d.id::text
        or (k.operation = 'issue' and k.response ->> 'access_key' is distinct from d.access_key and ${NEVER_CORRECTED})`,
  },
  {
    invariant: 'I7',
    sql: `select format('document %s was signed under key %s and has key %s', d.id, s.access_key, d.access_key) as violation
      from signed_documents s join documents d on d.tenant_id = s.tenant_id and d.id = s.document_id
      where s.access_key <> d.access_key and ${NEVER_CORRECTED}`,
  },
  {
    invariant: 'I7',
    sql: `select format('document %s has number %s and key %s', d.id, d.sequential, d.access_key) as violation
      from documents d where d.sequential is not null and substr(d.access_key, 31, 9) <> lpad(d.sequential::text, 9, '0')`,
  },
];

const PROGRESS: readonly Check[] = [
  {
    invariant: 'I4',
    sql: `select format('document %s is %s and no work is due for it', d.id, d.status) as violation
      from documents d left join outbox o on o.tenant_id = d.tenant_id and o.document_id = d.id
      where d.status = any ($1) and o.document_id is null`,
    // A decided document may have been compared with the SRI often enough, and a person's work is in no table.
    parameters: [statuses((status) => LIFECYCLE[status].step !== null && !LIFECYCLE[status].final && status !== 'MANUAL_REVIEW_REQUIRED')],
  },
  {
    invariant: 'I5',
    whenQuiescent: true,
    sql: `select format('document %s is still %s (%s; %s attempts at reception, %s at authorization; %s due %s, lease %s until %s, announced %s)',
        d.id, d.status, coalesce(d.error_code, 'no error'), d.reception_attempts, d.authorization_attempts,
        o.step, o.due_at, o.lease_token, o.lease_until, o.announced_at) as violation
      from documents d left join outbox o on o.tenant_id = d.tenant_id and o.document_id = d.id
      where d.status = any ($1) and (o.due_at is distinct from 'infinity' or coalesce(d.error_code, '') not like 'CERTIFICATE%')`,
    parameters: [statuses((status) => !LIFECYCLE[status].final && !WAITS_FOR_OTHERS.includes(status))],
  },
  {
    invariant: 'I5',
    sql: `select format('document %s waits for a person (%s) and suggests no action', d.id, d.error_code) as violation
      from documents d where d.status = 'MANUAL_REVIEW_REQUIRED' and d.error_detail ->> 'suggested_action' is null`,
  },
  {
    invariant: 'I13',
    sql: `select format('the work for document %s does not agree with it', o.document_id) as violation
      from outbox o left join documents d on d.tenant_id = o.tenant_id and d.id = o.document_id
      where d.id is null or (o.emission_point_id, o.document_type, o.sequential) is distinct from (d.emission_point_id, d.document_type, d.sequential)`,
  },
  {
    invariant: 'I17',
    // The first attempt counts, delivered or not: one that the network swallowed does not hold the others up while it lasts.
    sql: `select format('document %s, number %s, was first sent at %s, before number %s (%s)', d.id, d.sequential, d.first_try, d.number_before, d.tried_before) as violation
      from (select d.id, d.sequential, a.first_try,
              lag(a.first_try) over point as tried_before, lag(d.sequential) over point as number_before, lag(d.id) over point as id_before
            from documents d
            join (select tenant_id, document_id, min(started_at) as first_try from sri_attempts where service = 'reception' group by 1, 2) a
              on a.tenant_id = d.tenant_id and a.document_id = d.id
            window point as (partition by ${POINT} order by d.sequential)) d
      where d.first_try < d.tried_before
        and not exists (select from document_history h where h.document_id = d.id_before and h.trigger in ('gave_up', 'corrected', 'retry_sending'))`,
  },
];

const EVIDENCE: readonly Check[] = [
  {
    invariant: 'I8',
    sql: `select format('document %s is %s without an authorization of the SRI', d.id, d.status) as violation
      from documents d where d.status = any ($1) and (d.authorization_number is distinct from d.access_key
        or not exists (select from document_authorizations a where a.tenant_id = d.tenant_id and a.document_id = d.id)
        or not exists (select from sri_attempts a where a.tenant_id = d.tenant_id and a.document_id = d.id
          and a.service = 'authorization' and a.outcome ~ '(^|, )AUTORIZADO'))`,
    parameters: [AUTHORIZED_ONCE],
  },
  {
    invariant: 'I9',
    sql: `select format('document %s: move %s from %s to %s (version %s, after %s) is none of the lifecycle',
        h.document_id, h.trigger, h.from_status, h.to_status, h.version, h.before) as violation
      from (select h.*, lag(h.to_status) over earlier as before, lag(h.version) over earlier as version_before
            from document_history h window earlier as (partition by h.tenant_id, h.document_id order by h.version)) h
      left join jsonb_to_recordset($1) as m("from" text, trigger text, "to" text) on m."from" = h.from_status and m.trigger = h.trigger and m."to" = h.to_status
      where h.from_status is distinct from h.before or h.version <> coalesce(h.version_before, 0) + 1
        or (h.before is null and h.to_status not in ('DRAFT', 'NUMBER_RESERVED'))
        or (h.before is not null and m.trigger is null and h.trigger <> 'edited')`,
    parameters: [JSON.stringify(allMoves())],
  },
  {
    invariant: 'I9',
    sql: `select format('document %s is %s at version %s, its history ends with %s at %s', d.id, d.status, d.version, h.to_status, h.version) as violation
      from documents d left join lateral (select h.to_status, h.version from document_history h
        where h.tenant_id = d.tenant_id and h.document_id = d.id order by h.version desc limit 1) h on true
      where h.to_status is distinct from d.status or h.version is distinct from d.version`,
  },
  {
    invariant: 'I10',
    sql: `select format('document %s is %s at version %s without its event', d.id, d.status, d.version) as violation
      from documents d join jsonb_each_text($1) e on e.key = d.status
      where not exists (select from events x
        where x.tenant_id = d.tenant_id and x.document_id = d.id and x.document_version = d.version and x.type = e.value)`,
    parameters: [JSON.stringify(EVENT_OF_STATE)],
  },
  {
    invariant: 'I10',
    sql: `select format('event %s of document %s tells of version %s, which its history does not know', x.type, x.document_id, x.document_version) as violation
      from events x join jsonb_each_text($1) e on e.value = x.type
      left join document_history h on h.tenant_id = x.tenant_id and h.document_id = x.document_id and h.version = x.document_version
      where x.document_id is not null and h.to_status is distinct from e.key`,
    parameters: [JSON.stringify(EVENT_OF_STATE)],
  },
  {
    invariant: 'I12',
    sql: `select format('document %s was sent at %s before its signing %s was stored (%s)', a.document_id, a.started_at, a.signing_no, s.signed_at) as violation
      from sri_attempts a
      left join signed_documents s on s.tenant_id = a.tenant_id and s.document_id = a.document_id and s.signing_no = a.signing_no
      where a.service = 'reception' and (s.signed_at is null or s.signed_at > a.started_at)`,
  },
  {
    invariant: 'I12',
    sql: `select format('document %s: its current signing is %s, stored are %s', d.id, d.signing_no, s.numbers) as violation
      from documents d left join lateral (select count(*) as signings, max(s.signing_no) as last, string_agg(s.signing_no::text, ', ') as numbers
        from signed_documents s where s.tenant_id = d.tenant_id and s.document_id = d.id) s on true
      where d.signing_no <> coalesce(s.last, 0) or s.signings <> coalesce(s.last, 0)`,
  },
];

/**
 * Compares what independent witnesses recorded: the database with itself, with
 * the simulator's ledger and with what callers were answered. Reads only.
 *
 * @returns violated invariants (I1 to I17) in words; empty when all hold
 */
export async function checkLedgers({ query, simulatorUrl, client, quiescent }: Ledgers): Promise<string[]> {
  const violations: string[] = [];
  for (const check of [...NUMBERS, ...PROGRESS, ...EVIDENCE]) {
    if (check.whenQuiescent && !quiescent) continue;
    const rows = await query<{ violation: string }>(`${check.sql} limit 50`, check.parameters);
    violations.push(...rows.map(({ violation }) => `${check.invariant}: ${violation}`));
  }
  if (client !== undefined) violations.push(...(await clientViolations(query, client)));
  if (simulatorUrl !== undefined) violations.push(...(await simulatorViolations(query, simulatorUrl, quiescent)));
  return violations;
}
