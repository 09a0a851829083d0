/**
 * Process between this project and a server that it started. It owns the
 * server and holds the reading end of a pipe to the project's process; when that
 * pipe closes, because the project stopped or was killed outright, it stops the
 * server and removes what was promised to be thrown away.
 *
 * Usage: node guard.js '<GuardOrder as JSON>'. Answers one JSON line per event.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { logTail } from './log-tail.js';
import type { GuardEvent, GuardOrder } from './guarded-process.js';

const order = JSON.parse(process.argv[2] ?? '') as GuardOrder;

function report(event: GuardEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
// Nobody may be left to read: then there is nothing to report to.
process.stdout.on('error', () => undefined);

const log = openSync(order.logFile, 'a', 0o600);
const server = spawn(order.command, order.args, {
  stdio: ['ignore', log, log],
  env: order.env,
  ...(order.workingFolder === undefined ? {} : { cwd: order.workingFolder }),
  ...(order.user === undefined ? {} : { uid: order.user, gid: order.user }),
});
closeSync(log);

let stopping = false;
function stop(): void {
  if (stopping) return;
  stopping = true;
  server.kill(order.stopSignal);
  setTimeout(() => server.kill(order.hardStopSignal), order.graceMs);
  setTimeout(() => server.kill('SIGKILL'), order.graceMs * 2);
}

/** Removes what is to be thrown away, then says the last word. */
function finish(event: GuardEvent): void {
  for (const path of order.removeAfterwards) rmSync(path, { recursive: true, force: true });
  report(event);
  process.exit(0);
}

server.once('spawn', () => report({ kind: 'started', pid: server.pid ?? 0 }));
server.once('error', (error) => finish({ kind: 'failed', reason: error.message }));
server.once('exit', (code, signal) => finish({ kind: 'ended', code, signal, output: logTail(order.logFile) }));

process.stdin.on('end', stop);
process.stdin.on('error', stop);
process.stdin.resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
