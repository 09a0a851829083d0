import { LIMIT_MS, simulate } from './run-simulation.js';

/** Far more than any of them needs; `npm run test:mutants` hunts the rare ones too. */
const HISTORIES = 300;

describe('bugs planted into the service', () => {
  it(`are found by ${HISTORIES} histories each, but for the rare ones`, async () => {
    const { code, output } = await simulate(['--mutants', '--early', '--histories', String(HISTORIES)]);
    expect(output.split('\n').filter((line) => line.includes('ESCAPED'))).toEqual([]);
    expect([code, output.split('\n').filter((line) => /^[MX]\d/.test(line)).length]).toEqual([0, 25]);
  }, LIMIT_MS);
});
