import { hasNoSuchDatabase } from './redis-database.js';

const answered = (message: string, name = 'ReplyError', command = 'select'): Parameters<typeof hasNoSuchDatabase>[0] =>
  Object.assign(new Error(message), { name, command: { name: command } });

describe('a client that came back to Redis', () => {
  it.each([
    'ERR DB index is out of range',
    'ERR invalid DB index',
    'ERR SELECT is not allowed in cluster mode',
    "ERR unknown command 'select', with args beginning with: '2'",
    'NOPERM this user has no permissions to run the \'select\' command',
  ])('has no such database: %s', (message) => {
    expect(hasNoSuchDatabase(answered(message))).toBe(true);
  });

  it.each([
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    'ERR max number of clients reached',
    'LOADING Redis is loading the dataset in memory',
    'NOAUTH Authentication required.',
    'WRONGPASS invalid username-password pair or user is disabled.',
    'DENIED Redis is running in protected mode',
  ])('goes on where Redis answers nobody now: %s', (message) => {
    expect(hasNoSuchDatabase(answered(message))).toBe(false);
  });

  it('goes on where its connection broke, and where another command was refused', () => {
    expect(hasNoSuchDatabase(answered('ERR DB index is out of range', 'Error'))).toBe(false);
    expect(hasNoSuchDatabase(answered('ERR invalid DB index', 'ReplyError', 'swapdb'))).toBe(false);
  });
});
