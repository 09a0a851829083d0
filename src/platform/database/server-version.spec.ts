import { serverVersionProblem } from './server-version.js';

describe('the version of PostgreSQL', () => {
  it.each([150_000, 150_018, 180_004])('%d is new enough', (version) => {
    expect(serverVersionProblem(version)).toBeNull();
  });

  it.each([
    [140_020, /PostgreSQL 14; upgrade it to 15 or later/],
    [90_624, /PostgreSQL 9; upgrade/],
  ])('%d is not', (version, problem) => {
    expect(serverVersionProblem(version)).toMatch(problem);
  });
});
