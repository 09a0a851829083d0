import { fork } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { logTail } from '../platform/embedded/log-tail.js';

export interface ServiceProcessOptions {
  /** Shown in messages, e.g. `API`. */
  readonly name: string;
  /** Compiled entry file. */
  readonly module: string;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** The whole environment of the process; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Output is appended here. */
  readonly logFile: string;
  readonly readyTimeoutMs?: number;
}

/** One of the service's processes, alive and ready. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  /** Where it listens; null for a process that does not. */
  readonly url: string | null;
  /** Where it shows operators its metrics and health; null when it does not. */
  readonly metricsUrl: string | null;
  readonly logFile: string;
  /** Resolves with a sentence when the process ends, for whatever reason. */
  readonly ended: Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Asks it to finish what it holds and waits; kills it after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/** Only ends what hangs: a machine may be slow, and one that cannot start ends by itself. */
const READY_TIMEOUT_MS = 100_000;
const STOP_GRACE_MS = 10_000;

interface Ready {
  readonly type: 'ready';
  readonly url?: string;
  readonly metricsUrl?: string | null;
}

/**
 * Starts a process of the service and waits until it says that it is ready. It
 * runs in a session of its own, so that a Ctrl-C in the terminal reaches only its
 * parent, and it ends when the channel to its parent closes.
 *
 * @throws Error with the reason it gives, or the end of its log, when it ends, or stays silent, before that
 */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a', 0o600);
  const begin = fstatSync(log).size;
  const child = fork(options.module, {
    env: options.env,
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
    execArgv: [...(options.nodeOptions ?? [])],
  });
  closeSync(log);
  child.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`));
  });
  const ready = new Promise<Ready>((resolve) => {
    child.on('message', (message) => {
      if (isReady(message)) resolve(message);
    });
  });
  const silent = sleep(options.readyTimeoutMs ?? READY_TIMEOUT_MS, 'it stayed silent', { ref: false });
  const first = await Promise.race([ready, ended, silent]);
  if (typeof first === 'string') {
    child.kill('SIGKILL');
    const end = logTail(options.logFile, { from: begin });
    throw new Error(`${options.name} did not start: ${sayingWhy(end) ?? `${first}\n${end}`}`);
  }
  return {
    name: options.name,
    pid: child.pid ?? 0,
    url: first.url?.replace(/\/$/, '') ?? null,
    metricsUrl: first.metricsUrl ?? null,
    logFile: options.logFile,
    ended,
    kill: (signal) => void child.kill(signal),
    async stop(graceMs = STOP_GRACE_MS) {
      child.kill('SIGTERM');
      const finished = await Promise.race([ended, sleep(graceMs, null, { ref: false })]);
      if (finished === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Why the process cannot start, which it tells in the end when it knows; a line of its log that was being written may come behind. */
function sayingWhy(end: string): string | null {
  const line = end.split('\n').findLast((one) => one.startsWith('{"level":"fatal"'));
  if (line === undefined) return null;
  try {
    return (JSON.parse(line) as { message: string }).message;
  } catch {
    // Cut off while it was written.
    return null;
  }
}

function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && (message as { type?: unknown }).type === 'ready';
}
