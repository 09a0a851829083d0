import { jest } from '@jest/globals';
import { runCommand } from './run-command.js';

/** As PostgreSQL and its driver tell of it, and TypeORM around them. */
const refused = (code: string, message: string): Error => Object.assign(new Error(message), { code });

const MIGRATE_FIRST = 'DATABASE_OWNER_URL: set the login that owns the schema; if it is set, run npm run migrate first (it does not exist)\n';

const COMMAND = { usage: 'npm run it -- THING', otherwise: 'it failed' };

describe('a command', () => {
  let written: string;
  beforeEach(() => {
    written = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  it.each<[string, Error, string]>([
    ['what an error says', new Error('it is old'), 'it is old\n'],
    ['why each address failed', new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')]), 'refused ::1; refused 127.0.0.1\n'],
    ['that it failed', new Error(''), 'it failed\n'],
    ['that the owner is wanted where a login may not', refused('42501', 'permission denied for schema sello'), 'DATABASE_OWNER_URL: set the login that owns the schema (permission denied for schema sello)\n'],
    ['that the owner or a migration is wanted where no function is found', refused('42883', 'it does not exist'), MIGRATE_FIRST],
    ['that the owner or a migration is wanted where no schema is found', refused('3F000', 'it does not exist'), MIGRATE_FIRST],
    ['nothing of the owner for what else PostgreSQL refuses', refused('23505', 'it is there'), 'it is there\n'],
  ])('tells %s', async (_what, error, line) => {
    await runCommand(COMMAND, () => Promise.reject(error), []);
    expect([written, process.exitCode]).toEqual([line, 1]);
  });

  it('tells what went wrong before it began to wait', async () => {
    await runCommand(COMMAND, () => {
      throw new Error('a setting is missing');
    }, []);
    expect([written, process.exitCode]).toEqual(['a setting is missing\n', 1]);
  });

  it('tells what is left behind', async () => {
    await runCommand({ ...COMMAND, aftermath: () => 'half of it is there' }, () => Promise.reject(new Error('it is old')), []);
    expect(written).toBe('it is old; half of it is there\n');
  });

  it('says nothing when it did its work', async () => {
    await runCommand(COMMAND, () => Promise.resolve(), []);
    expect([written, process.exitCode]).toEqual(['', undefined]);
  });

  it.each(['--help', '-h'])('tells its usage and does nothing when it is called with %s', async (parameter) => {
    const told = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const work = jest.fn(() => Promise.resolve());
    await runCommand(COMMAND, work, ['thing', parameter]);
    expect([told.mock.calls, work.mock.calls, process.exitCode]).toEqual([[['npm run it -- THING\n']], [], undefined]);
  });

  it('tells of a connection that is lost while nothing is asked of it, and ends at once', async () => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    await runCommand(COMMAND, () => {
      process.emit('uncaughtException', Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' }));
      return Promise.resolve();
    }, []);
    expect([written, process.exitCode, exit.mock.calls.length]).toEqual(['terminating connection due to administrator command\n', 1, 1]);
  });

  it('tells where a mistake of its own was made', async () => {
    jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    await runCommand(COMMAND, () => {
      process.emit('uncaughtException', new TypeError('x is not a function'));
      return Promise.resolve();
    }, []);
    expect(written).toMatch(/^x is not a function\nTypeError: x is not a function\n +at /);
  });
});
