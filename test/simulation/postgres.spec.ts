import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runProgram } from '../support/run-program.js';
import { LIMIT_MS } from './run-simulation.js';

/** Histories of one test run. */
const HISTORIES = Number(process.env['POSTGRES_HISTORIES'] ?? 300);

/** The simulation runs compiled; Jest only looks at how it ends. */
describe('the service under faults, over real PostgreSQL', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  it(`keeps every promise in ${HISTORIES} histories, each taking the course it takes in memory`, async () => {
    // Where more is due than the queue has room for, PostgreSQL takes turns by chance and the store in memory by time: here it has room for all.
    process.env['SIMULATED_CONCURRENCY'] = '96';
    const { code, output } = await runProgram('test/simulation/postgres-main.js', ['--database', database.url, '--owner', database.ownerUrl, '--histories', String(HISTORIES)]);
    const line = output.trim().split('\n').at(-1) ?? '';
    if (code !== 0 || !line.startsWith('{')) throw new Error(output);
    const { documents, violations } = JSON.parse(line) as { documents: number; violations: string[] };
    if (process.env['HISTORY_SEED'] !== undefined) process.stderr.write(output);
    expect(violations).toEqual([]);
    // Not one of them may have been idle.
    if (process.env['HISTORY_SEED'] === undefined) expect(documents).toBeGreaterThan(HISTORIES);
  }, LIMIT_MS);
});
