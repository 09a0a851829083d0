import { runProgram } from '../support/run-program.js';

/** A sample of `npm run test:crash`; CRASH_SEED draws another one. */
describe('the crash matrix', () => {
  it('a dozen cases of kill point, action and behaviour of the SRI: every document ends where it must', async () => {
    const { code, output } = await runProgram('test/crash/main.js', ['--sample', '12', '--seed', process.env['CRASH_SEED'] ?? '1']);
    const summary = /^\{"crash":(.*)\}$/m.exec(output)?.[1];
    if (code !== 0 || summary === undefined) throw new Error(output);
    expect(JSON.parse(summary)).toMatchObject({ cases: 12, failed: 0, violations: 0 });
  }, 600_000);
});
