import { fork } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs a compiled test program as a process of its own, which ends with this one.
 *
 * @param program below `dist`, e.g. `test/chaos/main.js`
 * @returns its exit code and all it printed
 */
export async function runProgram(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = fork(join(process.cwd(), 'dist', program), args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
