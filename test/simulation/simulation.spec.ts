import { availableParallelism } from 'node:os';
import { LIMIT_MS, simulate } from './run-simulation.js';

/** Histories of one test run; CONTRIBUTING.md says how to run more. */
const HISTORIES = Number(process.env['SIMULATION_HISTORIES'] ?? 10_000);

describe('the service under faults, in simulation', () => {
  it(`keeps every promise in ${HISTORIES} histories`, async () => {
    const { code, output } = await simulate(['--histories', String(HISTORIES), '--threads', String(availableParallelism())]);
    expect(output).toContain(`${HISTORIES} histories`);
    expect({ code, violations: output.split('\n').filter((line) => /^VIOLATION|^HISTORY_SEED/.test(line)) }).toEqual({ code: 0, violations: [] });
  }, LIMIT_MS);
});
