import { parentPort } from 'node:worker_threads';
import { readLogo } from '../../sri/ride/logo.js';
import { renderRide } from '../../sri/ride/ride.js';
import type { PrintAnswer, PrintTask } from './ride-printer.js';

/** Body of the printing thread: draws one document after the other. */
async function print({ document, logo }: PrintTask): Promise<PrintAnswer> {
  const image = logo === null ? null : readLogo(Buffer.from(logo));
  const problem = typeof image === 'string' ? image : null;
  const bytes = await renderRide({ ...document, logo: typeof image === 'string' ? null : image });
  // A copy of its own: a slice would carry the whole underlying buffer.
  return { kind: 'printed', bytes: Uint8Array.from(bytes), logoProblem: problem };
}

parentPort?.on('message', (task: PrintTask) => {
  print(task).then(
    (answer) => parentPort?.postMessage(answer),
    (error: unknown) => parentPort?.postMessage({ kind: 'failed', reason: String(error) } satisfies PrintAnswer),
  );
});
