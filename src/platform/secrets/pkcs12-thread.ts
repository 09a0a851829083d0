import { parentPort } from 'node:worker_threads';
import { inspectPkcs12, Pkcs12Error } from '../../sri/signing/pkcs12.js';
import type { OpeningResult, OpeningTask } from './pkcs12-opener.js';

/** Body of the isolated thread: opens one container and answers once. */
function open({ bytes, password, ruc, now }: OpeningTask): OpeningResult {
  try {
    const { privateKeyPkcs8, certificateDer, refusal, pairs, chain } = inspectPkcs12(bytes, password, ruc, new Date(now));
    // Copies of their own: a slice would carry the whole underlying buffer.
    return { kind: 'opened', refusal, pairs, chain, privateKeyPkcs8: Uint8Array.from(privateKeyPkcs8), certificateDer: Uint8Array.from(certificateDer) };
  } catch (error) {
    if (error instanceof Pkcs12Error) return { kind: 'refused', reason: error.reason };
    // Whatever a hostile file provokes inside the parser is the file's fault; its text stays here.
    return { kind: 'refused', reason: 'malformed' };
  }
}

parentPort?.once('message', (task: OpeningTask) => parentPort?.postMessage(open(task)));
