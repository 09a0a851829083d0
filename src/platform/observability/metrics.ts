/** One metric as it is declared: what operators may build on. Names and labels are stable; `docs/metrics.md` is generated from here. */
export interface MetricDeclaration {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Every label has few values, known beforehand: nothing of a tenant, a document or a person ever stands in one. */
  readonly labels: readonly string[];
  readonly meaning: string;
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
  /** Which processes expose it. */
  readonly of: 'API' | 'worker' | 'both';
}

const QUICK = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const SLOW = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
const PATIENT = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];

/** Every metric of the service, besides those of every Node process (`RUNTIME_METRICS`). */
export const METRICS = {
  httpRequests: {
    name: 'sello_http_request_duration_seconds', type: 'histogram', labels: ['method', 'route', 'status'], buckets: QUICK, of: 'API',
    meaning: 'Requests by the template of their route (`none`: refused before one was found) and class of status (`2xx` … `5xx`; `unanswered`: the caller left after a second or more without an answer; who left sooner, or before all of the request had come, counts as `4xx`), without the time that a caller asked to wait (`Prefer: wait`): such a call counts when it ends, for as long as it took until its document was accepted. Streams of events count when they end',
  },
  rateLimited: {
    name: 'sello_rate_limited_total', type: 'counter', labels: ['bucket'], of: 'API',
    meaning: 'Calls refused with 429, by the limit that was used up: of calls in a minute, or the one that the refusal names in `limits`',
  },
  documentsAccepted: {
    name: 'sello_documents_accepted_total', type: 'counter', labels: ['document_type'], of: 'API',
    meaning: 'Documents that took their number: issued directly or from a draft; replays do not count',
  },
  documentMoves: {
    name: 'sello_documents_moved_total', type: 'counter', labels: ['document_type', 'status'], of: 'both',
    meaning: 'Documents by the state that a step or an act brought them to: `AUTHORIZED`, `REJECTED`, `MANUAL_REVIEW_REQUIRED` and so on',
  },
  authorizationDelay: {
    name: 'sello_document_authorization_seconds', type: 'histogram', labels: ['document_type'], buckets: PATIENT, of: 'both',
    meaning: 'From the first transmission of a document to its authorization',
  },
  documentsMoving: {
    name: 'sello_documents_moving', type: 'gauge', labels: ['status'], of: 'worker',
    meaning: 'Documents on their way to a verdict, by state; no more than 10,000 are counted',
  },
  sagaSteps: {
    name: 'sello_saga_step_duration_seconds', type: 'histogram', labels: ['step', 'outcome'], buckets: SLOW, of: 'worker',
    meaning: 'Steps of documents: `advanced` to a step that is due at once, `waits` for a later one, `ended` or parked, `stale` (somebody else was faster), `failed` (PostgreSQL away or a fault of ours)',
  },
  documentsInHand: {
    name: 'sello_worker_documents_in_hand', type: 'gauge', labels: [], of: 'worker',
    meaning: 'Documents a worker has in hand now; at `WORKER_CONCURRENCY` it is full',
  },
  dueWorkAge: {
    name: 'sello_due_work_age_seconds', type: 'gauge', labels: ['kind'], of: 'worker',
    meaning: 'For how long the oldest work of a kind has been due: the steps of documents (`prepare`, `submit`, `authorize`, `watch`; without those that wait for an earlier number or a pause, and no longer than the SRI can be called), `webhook` (to addresses that do not fail), `mail`',
  },
  outboxLag: {
    name: 'sello_outbox_lag_seconds', type: 'gauge', labels: [], of: 'worker',
    meaning: 'For how long the oldest due step has waited for the bell to be rung at all, no longer than the SRI can be called: the relay is behind',
  },
  queueDeadRows: {
    name: 'sello_queue_dead_rows', type: 'gauge', labels: ['table'], of: 'worker',
    meaning: 'Rows of what is done that PostgreSQL has not cleared from a queue (`outbox`, `mail_outbox`, `webhook_work`), by its own count: who looks for due work reads past them. Many for long: somebody keeps an old view of the database',
  },
  figuresFailed: {
    name: 'sello_figures_failed_total', type: 'counter', labels: [], of: 'worker',
    meaning: 'Times that PostgreSQL did not tell within two seconds what is due: the gauges that stand on it are missing then',
  },
  sriCalls: {
    name: 'sello_sri_call_duration_seconds', type: 'histogram', labels: ['service', 'outcome'], buckets: SLOW, of: 'both',
    meaning: 'Calls to the SRI: `reception`, `authorization`, `consultation`, `registry`; `answered`, `no_evidence` (an answer that says nothing, or none after it was sent) or `not_delivered`',
  },
  sriCodes: {
    name: 'sello_sri_answers_total', type: 'counter', labels: ['service', 'code'], of: 'both',
    meaning: 'What the SRI answered: its `estado`, and the code of each message (`other`: one that the classification does not know)',
  },
  sriBreaker: {
    name: 'sello_sri_breaker_state', type: 'gauge', labels: ['service'], of: 'both',
    meaning: 'Whether this process calls a service of the SRI: 0 freely, 1 again in parts after an outage, 2 not, but for probes',
  },
  ownFaults: {
    name: 'sello_own_faults_total', type: 'counter', labels: ['source', 'code'], of: 'both',
    meaning: "Faults of ours: what the SRI refused although our own checks should have (`reception`, `authorization`, with the SRI's code), documents that failed here or cannot be signed for want of their key (`document`, with their error code), requests that failed unexpectedly (`http`), events that could not be sent at all (`webhook`, with their outcome)",
  },
  webhookDeliveries: {
    name: 'sello_webhook_delivery_duration_seconds', type: 'histogram', labels: ['outcome'], buckets: QUICK, of: 'worker',
    meaning: 'Attempts to deliver events: `delivered`, `refused` by the status of the answer, or why there was none',
  },
  mails: {
    name: 'sello_mails_total', type: 'counter', labels: ['kind', 'outcome'], of: 'both',
    meaning: 'Mails: `tracked` (documents, news to admins) and `letter` (links to confirm and the like); `taken` by the mail server, `put_off`, `refused`, `bounced`',
  },
  databaseConnections: {
    name: 'sello_database_connections', type: 'gauge', labels: ['database', 'state'], of: 'both',
    meaning: 'Connections to the `primary`, and to the `replica` of DATABASE_REPLICA_URL once it was reached: `busy`, `idle`, and requests `waiting` for one',
  },
  databasePoolSize: {
    name: 'sello_database_pool_size', type: 'gauge', labels: ['database'], of: 'both',
    meaning: 'Most connections that this process opens to each of them (`DATABASE_POOL_SIZE`)',
  },
  redisReachable: {
    name: 'sello_redis_reachable', type: 'gauge', labels: [], of: 'both',
    meaning: 'Whether Redis takes what this process gives it, in time (an API waits 250 ms, a worker a second): 1, else 0; while it does not, workers issue without it, rate limits are counted per process and nobody can sign in',
  },
  clockOffset: {
    name: 'sello_clock_offset_seconds', type: 'gauge', labels: [], of: 'both',
    meaning: 'How far the clock of the host is ahead of that of PostgreSQL, negative behind it (a worker goes by the earlier of the two), 0 where the time that the question took may explain the difference; missing while PostgreSQL does not tell within a second',
  },
  ready: {
    name: 'sello_ready', type: 'gauge', labels: ['check'], of: 'both',
    meaning: 'What `/health/ready` says of this process, by check (`process`: it is not stopping, `postgresql`, `migrations`, `signing`, `redis`): 0 it is not ready for want of that, else 1 (`degraded`, too); missing while PostgreSQL does not answer within two seconds. A worker that is not ready when it starts begins no work',
  },
  buildInfo: {
    name: 'sello_build_info', type: 'gauge', labels: ['version', 'schema', 'process'], of: 'both',
    meaning: '1; the version of the service, the newest migration that it needs, and what the process is',
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>;

/** The metrics of every Node process (prom-client's defaults) that alerts and dashboard use. */
export const RUNTIME_METRICS: Readonly<Record<string, string>> = {
  process_cpu_seconds_total: 'Time of the processor used',
  process_resident_memory_bytes: 'Memory held',
  process_start_time_seconds: 'When the process began',
  nodejs_eventloop_lag_p99_seconds: 'How late timers come: the event loop is held up; since the last look',
  nodejs_heap_size_used_bytes: 'Memory used by JavaScript',
  nodejs_gc_duration_seconds: 'Pauses for collecting garbage',
};

type Declared = typeof METRICS;
export type MetricName = keyof Declared;
/** Metrics of one type. */
export type MetricOf<Type extends MetricDeclaration['type']> = { [Name in MetricName]: Declared[Name]['type'] extends Type ? Name : never }[MetricName];
/** A value for every label of a metric. */
export type LabelsOf<Name extends MetricName> = Readonly<Record<Declared[Name]['labels'][number], string>>;
