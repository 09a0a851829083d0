/**
 * Program of the process around an isolated thread, handed to `node --eval`: it is plain text, because neither a bundler nor a test
 * runner may change it. Its own thread stays free, so that it can measure the other one, and it ends by SIGKILL: on Node 24 a thread
 * that eats memory holds up `process.exit` and `worker.terminate` for ever.
 *
 * Told first `{ file, limits }`, then one task after the other. Says `{ answer }`, or last of all `{ ending }`.
 */
export const HOST_PROGRAM = `
'use strict';
const { Worker } = require('node:worker_threads');

const LOOK_EVERY_MS = 50;
const dieNow = () => process.kill(process.pid, 'SIGKILL');
const endWith = (ending) => process.send({ ending }, dieNow);
// Whoever started this process decides when it ends; a terminal sends its signals to both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.once('disconnect', dieNow);

process.once('message', ({ file, limits }) => {
  let looking;
  const exceeded = (before) => {
    if (process.memoryUsage.rss() > limits.residentMb * 1_048_576) return 'memory';
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 > limits.processorMs ? 'processor_time' : null;
  };
  const thread = new Worker(new URL(file), {
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    argv: [], env: {}, execArgv: [],
  });
  thread.on('message', (answer) => { clearInterval(looking); process.send({ answer }); });
  thread.on('error', (error) => endWith(error?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { limit: 'memory' } : { reason: String(error?.message ?? error) }));
  thread.on('exit', (code) => endWith({ reason: 'it ended with ' + code }));
  process.on('message', (task) => {
    const before = process.cpuUsage();
    looking = setInterval(() => {
      const limit = exceeded(before);
      if (limit !== null) endWith({ limit });
    }, LOOK_EVERY_MS);
    thread.postMessage(task);
  });
});
`;
