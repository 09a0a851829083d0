import { encodingProblem, serverVersionProblem } from './server-version.js';

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

describe('the encoding of a database', () => {
  it('is UTF8 and no other', () => {
    expect(encodingProblem('UTF8')).toBeNull();
    expect(encodingProblem('SQL_ASCII')).toMatch(/encoding is SQL_ASCII; make one/);
  });
});
