import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { type HistoryOptions, runHistory } from './history.js';
import { useNoLogContext } from './no-log-context.js';
import { postgresGround } from './postgres-ground.js';
import { shrink } from './shrink.js';
import { useWholeBounds } from './store.js';
import { decodeTape, encodeTape } from './tape.js';
import { serviceConnections } from '../support/service-connections.js';

/**
 * Runs histories over a migrated PostgreSQL, each beside the same history in memory. Prints what it found as one line of JSON;
 * with HISTORY_SEED (and TAPE) in the environment it replays that one history and prints every step.
 */
const { values } = parseArgs({
  options: { database: { type: 'string', default: '' }, owner: { type: 'string', default: '' }, histories: { type: 'string', default: '300' } },
});
/** Fewer than in memory: a statement takes a thousand times longer. */
const COMMANDS = 30;
/** Histories in memory begin at 1; these are others. */
const FIRST_SEED = 1_000_001;
const MOST_VIOLATIONS = 3;

// Started by a test, it ends with the test.
process.once('disconnect', () => process.exit(1));
Logger.overrideLogger(false);
useNoLogContext();
useWholeBounds();
const dataSource = await serviceConnections(values.database, 'api', 4);
const owner = new pg.Pool({ connectionString: values.owner, options: '-c search_path=sello,public -c timezone=UTC', max: 2 });
const ask = async <Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> => (await owner.query<Row & pg.QueryResultRow>(sql, parameters)).rows;
const options: Omit<HistoryOptions, 'seed'> = { commands: COMMANDS, ground: (start) => postgresGround(dataSource, ask, start) };
try {
  const seed = process.env['HISTORY_SEED'];
  const found = seed === undefined ? await compare(Number(values.histories)) : await replay(Number(seed), process.env['TAPE']);
  console.log(JSON.stringify(found));
} finally {
  await owner.end();
  await dataSource.destroy();
}
// Whoever listens for the end of the test would wait for it.
process.exit();

interface Found {
  readonly documents: number;
  readonly violations: readonly string[];
}

async function replay(seed: number, tape: string | undefined): Promise<Found> {
  const result = await runHistory({ ...options, seed, trace: true, ...(tape !== undefined && { tape: decodeTape(tape) }) });
  console.error(result.trace.join('\n'));
  return { documents: result.documents, violations: result.violation ? [result.violation.message] : [] };
}

/** The store in memory stands for PostgreSQL in many more histories, so it must behave like it to the step. */
async function compare(histories: number): Promise<Found> {
  const violations: string[] = [];
  let documents = 0;
  for (let index = 0; index < histories && violations.length < MOST_VIOLATIONS; index += 1) {
    const seed = FIRST_SEED + index;
    const result = await runHistory({ ...options, seed, trace: true });
    documents += result.documents;
    if (result.violation) {
      const shortest = await shrink(result, options, 100);
      violations.push(`${shortest.violation?.message ?? ''} HISTORY_SEED=${result.seed} TAPE=${encodeTape(shortest.tape)}`);
      continue;
    }
    const memory = await runHistory({ seed, commands: COMMANDS, trace: true });
    const fork = result.trace.findIndex((line, place) => line !== memory.trace[place]);
    if (fork >= 0) violations.push(`seed ${seed} forks at step ${fork}: ${String(result.trace[fork])} here, ${String(memory.trace[fork])} in memory`);
  }
  return { documents, violations };
}
