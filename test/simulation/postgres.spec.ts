import { Logger } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import type { HistoryOptions } from './history.js';
import { decodeTape, encodeTape } from './tape.js';

/** Histories of one test run. Each has fewer commands than in memory: a statement takes a thousand times longer. */
const HISTORIES = Number(process.env['POSTGRES_HISTORIES'] ?? 300);
const COMMANDS = 30;
/** Histories in memory begin at 1; these are others. */
const FIRST_SEED = 1_000_001;

describe('the service under faults, over real PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let owner: pg.Pool;
  let options: Omit<HistoryOptions, 'seed'>;
  let runHistory: typeof import('./history.js').runHistory;
  let shrink: typeof import('./shrink.js').shrink;

  beforeAll(async () => {
    // Where more is due than the queue has room for, PostgreSQL takes turns by chance and the store in memory by time: here it has room for all.
    process.env['SIMULATED_CONCURRENCY'] = '96';
    ({ runHistory } = await import('./history.js'));
    ({ shrink } = await import('./shrink.js'));
    const { postgresGround } = await import('./postgres-ground.js');
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    dataSource = await new DataSource(serviceDataSourceOptions(database.url, 4)).initialize();
    owner = new pg.Pool({ connectionString: database.ownerUrl, options: '-c search_path=sello,public -c timezone=UTC', max: 2 });
    const ask = async <Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> => (await owner.query<Row & pg.QueryResultRow>(sql, parameters)).rows;
    options = { commands: COMMANDS, ground: (start) => postgresGround(dataSource, ask, start) };
  });
  afterAll(async () => {
    await owner.end();
    await dataSource.destroy();
    await database.drop();
  });

  it(`keeps every promise in ${HISTORIES} histories, each taking the course it takes in memory`, async () => {
    const only = process.env['HISTORY_SEED'];
    const tape = process.env['TAPE'];
    if (only !== undefined) {
      const result = await runHistory({ ...options, seed: Number(only), trace: true, ...(tape !== undefined && { tape: decodeTape(tape) }) });
      process.stderr.write(`${result.trace.join('\n')}\n`);
      expect(result.violation).toBeNull();
      return;
    }
    const violations: string[] = [];
    let documents = 0;
    for (let index = 0; index < HISTORIES; index += 1) {
      const seed = FIRST_SEED + index;
      const result = await runHistory({ ...options, seed, trace: true });
      documents += result.documents;
      if (result.violation) {
        const shortest = await shrink(result, options, 100);
        violations.push(`${shortest.violation?.message ?? ''} HISTORY_SEED=${result.seed} TAPE=${encodeTape(shortest.tape)}`);
      } else {
        // The store in memory stands for PostgreSQL in many more histories, so it must behave like it to the step.
        const memory = await runHistory({ seed, commands: COMMANDS, trace: true });
        const fork = result.trace.findIndex((line, place) => line !== memory.trace[place]);
        if (fork >= 0) violations.push(`seed ${seed} forks at step ${fork}: ${String(result.trace[fork])} here, ${String(memory.trace[fork])} in memory`);
      }
      if (violations.length >= 3) break;
      if ((index + 1) % 50 === 0) process.stderr.write(`  ${index + 1} of ${HISTORIES} histories over PostgreSQL, ${documents} documents, ${violations.length} violations\n`);
    }
    expect(violations).toEqual([]);
    // Not one of them may have been idle.
    expect(documents).toBeGreaterThan(HISTORIES);
  }, 900_000);
});
