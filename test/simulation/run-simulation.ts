import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

/** Only ends what hangs: on a slow machine the others leave little of it for a long time. */
export const LIMIT_MS = 2 * 60 * 60_000;

/** The simulation runs compiled, on what the other tests leave of every core; Jest only looks at how it ends. */
export function simulate(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--enable-source-maps', '--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=64', join(process.cwd(), 'dist', 'test', 'simulation', 'main.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let output = '';
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
      process.stderr.write(chunk);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('close', (code) => {
      resolve({ code, output });
    });
  });
}
