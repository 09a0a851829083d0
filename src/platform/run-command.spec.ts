import { jest } from '@jest/globals';
import { runCommand } from './run-command.js';

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

  it.each([
    ['what an error says', new Error('it is old'), 'it is old\n'],
    ['why each address failed', new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')]), 'refused ::1; refused 127.0.0.1\n'],
    ['that it failed', new Error(''), 'it failed\n'],
  ])('tells %s', async (_what, error, line) => {
    await runCommand(() => Promise.reject(error), 'it failed');
    expect([written, process.exitCode]).toEqual([line, 1]);
  });

  it('tells what went wrong before it began to wait', async () => {
    await runCommand(() => {
      throw new Error('a setting is missing');
    }, 'it failed');
    expect([written, process.exitCode]).toEqual(['a setting is missing\n', 1]);
  });

  it('says nothing when it did its work', async () => {
    await runCommand(() => Promise.resolve(), 'it failed');
    expect([written, process.exitCode]).toEqual(['', undefined]);
  });
});
