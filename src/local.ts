/**
 * The whole service on one machine, from nothing but Node: `npm start` (stays up,
 * keeps its data) and `npm run demo` (issues one document of each type
 * on data to throw away).
 */
import { DataFolder } from './local/data-folder.js';
import { watchLauncher } from './local/launcher-watch.js';
import { readLocalOptions } from './local/options.js';
import { bringUp, throwAway } from './local/run.js';
import { RunningParts } from './local/running-parts.js';

/** Resolves with the reason to stop: a signal, a dead launcher or a part that ended by itself. */
function reasonToStop(parts: RunningParts): Promise<{ readonly failure: string | null }> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        signals += 1;
        // A second one cannot wait: the guards and channels end the rest.
        if (signals > 1) process.exit(1);
        resolve({ failure: null });
      });
    }
    watchLauncher(process.env['npm_lifecycle_event'] !== undefined, () => resolve({ failure: null }));
    parts.onUnexpectedEnd = (message) => resolve({ failure: message });
  });
}

async function main(): Promise<number> {
  const options = readLocalOptions(process.argv.slice(2), process.env, process.cwd());
  const folder = new DataFolder(options.dataDir, options.demo);
  const parts = new RunningParts();
  const stopRequested = reasonToStop(parts);
  folder.lock();
  let failure: string | null = null;
  const up = bringUp(options, folder, parts, process.stdout).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const first = await Promise.race([up.then((why) => ({ why })), stopRequested]);
  if ('failure' in first) {
    failure = first.failure;
  } else if (first.why !== null) {
    failure = first.why;
  } else if (!options.demo) {
    failure = (await stopRequested).failure;
  }
  if (failure !== null) console.error(`\n${failure}`);
  else if (!options.demo) console.log('\nStopping.');
  await parts.stop();
  // A start that was still under way ends by what it misses now; what it started meanwhile is stopped too.
  await up;
  await parts.stop();
  folder.unlock();
  throwAway(options);
  return failure === null ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
