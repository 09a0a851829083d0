import { SettingsError } from '../../config/settings.js';
import { connectionProblem, isWorthRetrying, migrationProblem } from './connection-problem.js';

const refused = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('a database that is not reached', () => {
  it.each([
    ['a login without the role', refused('42501', 'permission denied to set role "sello_app"'), /^DATABASE_URL: permission denied.*; the login must be .*sello_app$/],
    ['a server that was never migrated', refused('22023', 'role "sello_app" does not exist'), /^DATABASE_URL: role .*run the migrate command first/],
    ['a wrong password', refused('28P01', 'password authentication failed for user "sello"'), /^DATABASE_URL: password authentication failed for user "sello"$/],
    ['a name with several addresses', new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')]), /^DATABASE_URL: refused ::1; refused 127\.0\.0\.1$/],
    ['what has no words', new Error(''), /^DATABASE_URL: no connection$/],
  ])('is told of by its setting: %s', (_what, error, told) => {
    const problem = connectionProblem(error);
    expect(problem).toBeInstanceOf(SettingsError);
    expect(problem.message).toMatch(told);
  });

  it.each([
    ['a server that is not there', refused('ECONNREFUSED', 'connect ECONNREFUSED'), true],
    ['a server that is starting', refused('57P03', 'the database system is starting up'), true],
    ['a wrong password', refused('28P01', 'password authentication failed'), false],
    ['a database that is not there', refused('3D000', 'database "nowhere" does not exist'), false],
    ['a login without the role', refused('42501', 'permission denied to set role "sello_app"'), false],
  ])('is tried again where that may help: %s', (_what, error, expected) => {
    expect(isWorthRetrying(connectionProblem(error))).toBe(expected);
  });

  it('is to be migrated first where a function or the schema is missing, and for nothing else', () => {
    for (const code of ['42883', '3F000']) expect(migrationProblem(refused(code, 'does not exist'))?.message).toMatch(/^DATABASE_URL: .*run the migrate command first/);
    expect(migrationProblem(refused('57P03', 'the database system is starting up'))).toBeNull();
  });
});
