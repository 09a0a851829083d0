import { runProgram } from '../support/run-program.js';

interface Summary {
  readonly documents: number;
  readonly acts: number;
  readonly violations: number;
}

/** A short form of `npm run test:chaos`; CHAOS_SEED draws other faults. */
describe('a short chaos soak', () => {
  it('kills, pauses, restarts, flushes and cuts for three quarters of a minute; then the ledgers agree', async () => {
    const args = ['--minutes', '0.75', '--tenants', '4', '--points', '16', '--rate', '5', '--seed', process.env['CHAOS_SEED'] ?? '1'];
    const { code, output } = await runProgram('test/chaos/main.js', args);
    const summary = /^\{"chaos":(.*)\}$/m.exec(output)?.[1];
    if (code !== 0 || summary === undefined) throw new Error(output);
    const { documents, acts, violations } = JSON.parse(summary) as Summary;
    expect(violations).toBe(0);
    // It did break things, while documents were under way.
    expect(acts).toBeGreaterThan(5);
    expect(documents).toBeGreaterThan(50);
  }, 600_000);
});
