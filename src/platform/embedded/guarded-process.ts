import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { compiledModule } from './compiled-module.js';

/** What the guard process is to run. Nothing secret: it is visible in the process list. */
export interface GuardOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingFolder?: string;
  /** Numeric user and group to run as; only root may set it. */
  readonly user?: number;
  /** Output of the server is appended here. */
  readonly logFile: string;
  readonly stopSignal: NodeJS.Signals;
  /** Sent when the server still runs `graceMs` after the first signal; SIGKILL follows after as long again. */
  readonly hardStopSignal: NodeJS.Signals;
  readonly graceMs: number;
  /** Files and folders to delete once the server is gone. */
  readonly removeAfterwards: readonly string[];
}

export type GuardEvent =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly output: string };

/** How a server ended. */
export interface Ending {
  /** e.g. `exit code 1`. */
  readonly reason: string;
  /** The last lines it printed. */
  readonly output: string;
}

export interface GuardedProcess {
  readonly pid: number;
  /** False as soon as the server is known to have ended. */
  running(): boolean;
  /** Resolves once the server ended, for whatever reason. */
  readonly ended: Promise<Ending>;
  /** Stops the server and waits until it and its guard are gone. */
  stop(): Promise<void>;
}

/**
 * Starts a server under a guard process of its own session: a Ctrl-C in the
 * terminal does not reach it, and the death of this process stops it.
 *
 * @throws Error when the server cannot be started at all
 */
export async function startGuarded(order: GuardOrder): Promise<GuardedProcess> {
  const guard = spawn(process.execPath, [compiledModule(import.meta.url, 'guard.js'), JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: {},
  });
  guard.stdin.on('error', () => undefined);
  let serverPid = 0;
  let alive = true;
  let ending: Ending = { reason: 'its guard process was killed', output: '' };

  const ended = new Promise<Ending>((resolve) => {
    guard.once('error', (error) => {
      alive = false;
      resolve({ reason: error.message, output: '' });
    });
    guard.once('close', () => {
      // A guard that was killed itself could not stop the server: do it here.
      if (alive && serverPid > 0) killQuietly(serverPid);
      alive = false;
      resolve(ending);
    });
  });
  const started = new Promise<void>((resolve, reject) => {
    createInterface({ input: guard.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as GuardEvent;
      switch (event.kind) {
        case 'started':
          serverPid = event.pid;
          resolve();
          return;
        case 'failed':
          alive = false;
          ending = { reason: event.reason, output: '' };
          return;
        case 'ended':
          alive = false;
          ending = {
            reason: event.signal === null ? `exit code ${event.code ?? 'unknown'}` : `signal ${event.signal}`,
            output: event.output,
          };
          return;
      }
    });
    void ended.then(({ reason }) => reject(new Error(`${order.command} did not start: ${reason}`)));
  });
  await started;
  return {
    pid: serverPid,
    running: () => alive,
    ended,
    async stop() {
      guard.stdin.end();
      await ended;
    },
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
