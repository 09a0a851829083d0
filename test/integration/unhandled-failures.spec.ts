import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const module = (path: string): string => JSON.stringify(pathToFileURL(`dist/src/${path}`).href);

/** What a process does with a failure that nobody handles. */
async function after(failure: string, level = 'info'): Promise<{ code: number; out: string; error: string }> {
  const program = `
    import { handleUncaughtErrors } from ${module('platform/process.js')};
    import { createLogger } from ${module('platform/observability/logger.js')};
    handleUncaughtErrors(createLogger('${level}'));
    const failing = (name) => Object.assign(new Error('no'), { name, command: { name: 'auth', args: ['canary-password'] } });
    setTimeout(() => process.exit(7), 200);
    ${failure}`;
  const ended = await execute(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, NODE_OPTIONS: '' } }).catch((error: unknown) => error);
  const { code, stdout, stderr } = ended as { code: number; stdout: string; stderr: string };
  return { code, out: stdout, error: stderr };
}

describe('a failure that nobody handles', () => {
  it('is outlived when Redis refused a command', async () => {
    const { code, out, error } = await after("void Promise.reject(failing('ReplyError'));");
    expect([code, error]).toEqual([7, '']);
    expect(JSON.parse(out)).toMatchObject({ level: 'warn', err: { type: 'ReplyError', message: 'no' } });
    expect(out).not.toContain('canary');
  });

  it.each([
    ['rejected', "void Promise.reject(failing('TypeError'));"],
    ['thrown', "setTimeout(() => { throw failing('TypeError'); }, 1);"],
    ['no error', 'void Promise.reject({ password: "canary-password" });'],
    ['in a process that logs nothing', "void Promise.reject(failing('TypeError'));", 'silent'],
  ])('ends the process, told without what hangs on it: %s', async (_name, failure, level = 'info') => {
    const { code, out, error } = await after(failure, level);
    expect([code, error]).toEqual([1, '']);
    expect(JSON.parse(out)).toMatchObject({ level: 'fatal', message: 'a failure that nobody handled: the process ends' });
    expect(out).not.toContain('canary');
  });
});
