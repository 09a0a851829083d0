import pg from 'pg';
import { median } from './table.js';

const ROUNDS = 15;
const TRIGGERS = ['list_document', 'count_changed_document'] as const;

export interface TriggerCost {
  readonly move: string;
  /** Microseconds of one call of advance_document. */
  readonly without: number;
  readonly withTriggers: number;
  readonly ratio: number;
}

interface Move {
  readonly name: string;
  readonly from: string;
  /** Arguments of advance_document from the moves on, in terms of document `d`. */
  readonly rest: string;
}

/** The shortest move and the last one, with the rows that a worker writes beside them. */
const MOVES: readonly Move[] = [
  {
    name: 'sending (still moving)',
    from: 'RECEPTION_PENDING',
    rest: `'[{"trigger": "sending", "to": "SUBMITTED_TO_SRI"}]', '{"reception_attempts": 1}',
      jsonb_build_object('step', 'authorize', 'due_at', now(), 'unsent', false), '[]',
      jsonb_build_object('attempt', jsonb_build_object('id', gen_random_uuid(), 'service', 'reception', 'signing_no', 1)), null`,
  },
  {
    name: 'authorized (comes to rest)',
    from: 'AUTHORIZATION_PENDING',
    rest: `'[{"trigger": "authorized", "to": "AUTHORIZED"}]', jsonb_build_object('authorization_number', d.access_key, 'authorization_date', now()),
      null, jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'type', 'document.authorized')),
      jsonb_build_object('authorization', jsonb_build_object('state', 'AUTORIZADO'),
        'asked', jsonb_build_object('id', gen_random_uuid(), 'service', 'authorization', 'signing_no', 1, 'started_at', now(), 'outcome', 'authorized')),
      convert_to(repeat(md5(d.id::text), 100), 'UTF8')`,
  },
];

/**
 * What the triggers behind lists add to a move: the same moves of the same documents with and without them, as the
 * service's role, rolled back each time.
 */
export async function triggerCosts(ownerUrl: string, tenantId: string, perRound: number): Promise<TriggerCost[]> {
  const client = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=sello' });
  await client.connect();
  try {
    const costs: TriggerCost[] = [];
    for (const move of MOVES) costs.push(await costOf(client, tenantId, move, perRound));
    return costs;
  } finally {
    await client.end();
  }
}

async function costOf(client: pg.Client, tenantId: string, move: Move, perRound: number): Promise<TriggerCost> {
  const { rows } = await client.query<{ id: string }>('select id from documents where tenant_id = $1 and status = $2 order by id limit $3', [tenantId, move.from, perRound]);
  const ids = rows.map(({ id }) => id);
  if (ids.length < perRound) throw new Error(`${ids.length} documents are ${move.from}, ${perRound} are needed`);
  await timed(client, tenantId, move, ids, true);
  const rounds: { with: number; without: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ without: await timed(client, tenantId, move, ids, false), with: await timed(client, tenantId, move, ids, true) });
  }
  return {
    move: move.name,
    without: median(rounds.map(({ without }) => without)),
    withTriggers: median(rounds.map((round) => round.with)),
    ratio: median(rounds.map((round) => round.with / round.without)),
  };
}

/** Microseconds per call. */
async function timed(client: pg.Client, tenantId: string, { rest }: Move, ids: readonly string[], triggers: boolean): Promise<number> {
  const advance = (some: readonly string[]): Promise<unknown> =>
    client.query(
      `select count(*) from documents d cross join lateral advance_document(d.tenant_id, d.id, d.status, d.version, null, now(), ${rest}) advanced
       where d.tenant_id = $1 and d.id = any ($2)`,
      [tenantId, some],
    );
  await client.query('begin');
  try {
    for (const trigger of TRIGGERS) await client.query(`alter table documents ${triggers ? 'enable' : 'disable'} trigger ${trigger}`);
    await client.query(`set local role sello_app; select set_config('sello.tenant_id', '${tenantId}', true)`);
    // The first calls plan their statements.
    const few = Math.ceil(ids.length / 5);
    await advance(ids.slice(0, few));
    const started = performance.now();
    await advance(ids.slice(few));
    return ((performance.now() - started) * 1_000) / (ids.length - few);
  } finally {
    await client.query('rollback');
  }
}
