/**
 * `npm run bench:sign`: documents signed per second beside the raw RSA-2048 rate.
 *
 * "xml" starts from the finished canonical text, "object" from the document
 * object (building the XML included). One thread unless the name says otherwise.
 * Baseline and figure alternate within each round, ratios are taken per round,
 * and medians over the rounds are printed. Figures of one thread are per second
 * of CPU, so that other work on the machine counts little; figures of two are by
 * the clock on the wall and mean something only on a quiet machine.
 */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createDemoPkcs12 } from '../src/local/demo-certificate.js';
import type { DocumentContent } from '../src/sri/document-types/content.js';
import type { DocumentExample, DocumentTypeDefinition } from '../src/sri/document-types/document-type.js';
import { documentTypes } from '../src/sri/document-types/registry.js';
import { openPkcs12, type SigningIdentity } from '../src/sri/signing/pkcs12.js';
import { XadesSigner } from '../src/sri/signing/xades.js';
import { asyncRateOf, cpuTime, median, printFigures, rateOf, type Figure } from './table.js';

const LINES = [10, 100, 1000];
const GOALS: Readonly<Record<number, number>> = { 10: 0.9, 100: 0.7 };
const TWO_CORE_GOAL = 0.8;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15);
const SLICE_MS = Number(process.env['BENCH_SLICE_MS'] ?? 200);
const THREADS = 2;

/** Calls before anything is measured: until the compiler has optimised the path, as in a worker that signs for hours. */
const WARM_UP_CALLS = 3_000;

interface Task {
  readonly pkcs8: Uint8Array;
  readonly certificateDer: Uint8Array;
  /** What to sign; null for the raw RSA rate. */
  readonly xml: string | null;
}

async function main(): Promise<void> {
  const now = new Date();
  const container = await createDemoPkcs12({
    ruc: '1790012345001',
    legalName: 'EMPRESA DE PRUEBA S.A.',
    password: 'bench',
    now,
  });
  const identity = openPkcs12(container, 'bench', now);
  const key = keyOf(identity.privateKeyPkcs8);
  const signer = new XadesSigner(identity.certificateDer, key);
  const rawRsa = rawRsaWith(key);
  const figures: Figure[] = [];

  for (const count of LINES) {
    const { type, content, example } = invoiceOf(count);
    const build = (): string => type.buildXml(content, example.issuer, example.numbering);
    const xml = build();
    const size = `${count} lines, ${Math.round(Buffer.byteLength(xml) / 1024)} KB`;
    const subjects: readonly (readonly [string, () => void])[] = [
      ['xml', () => void signer.signSync(xml, now)],
      ['object', () => void signer.signSync(build(), now)],
    ];
    for (const [kind, operation] of subjects) {
      const { value, baseline, ratio } = alternating(operation, rawRsa);
      figures.push(
        figure(`${kind}, ${size}`, value, 'raw RSA', baseline, ratio, kind === 'object' ? GOALS[count] : undefined),
      );
    }
    if (count > 100) continue;
    figures.push(...(await onTwoCores(signer, identity, xml, build, size, now, count)));
  }
  printFigures(`Signing, RSA-2048 with SHA-1, ${ROUNDS} rounds`, figures);
}

function warmUp(operation: () => void): void {
  for (let call = 0; call < WARM_UP_CALLS; call += 1) operation();
}

/** Rates on one core of a synchronous operation and of the baseline just before and after it. */
function alternating(operation: () => void, baseline: () => void): { value: number; baseline: number; ratio: number } {
  warmUp(operation);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = rateOf(baseline, SLICE_MS / 2, cpuTime);
    const value = rateOf(operation, SLICE_MS, cpuTime);
    return { value, baseline: (before + rateOf(baseline, SLICE_MS / 2, cpuTime)) / 2 };
  });
  return {
    value: median(rounds.map(({ value }) => value)),
    baseline: median(rounds.map((round) => round.baseline)),
    ratio: median(rounds.map((round) => round.value / round.baseline)),
  };
}

/** Two threads signing, and one thread with its signatures on the thread pool, beside two threads of raw RSA. */
async function onTwoCores(
  signer: XadesSigner,
  identity: SigningIdentity,
  xml: string,
  build: () => string,
  size: string,
  now: Date,
  count: number,
): Promise<Figure[]> {
  const task = { pkcs8: identity.privateKeyPkcs8, certificateDer: identity.certificateDer };
  const rsa = await Threads.start({ ...task, xml: null });
  const workers = await Threads.start({ ...task, xml });
  const rounds: { baseline: number; workers: number; pool: number; poolObject: number }[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const before = await rsa.rate();
    const workersRate = await workers.rate();
    const pool = await asyncRateOf(() => signer.sign(xml, now), THREADS + 1, SLICE_MS);
    const poolObject = await asyncRateOf(() => signer.sign(build(), now), THREADS + 1, SLICE_MS);
    rounds.push({ baseline: (before + (await rsa.rate())) / 2, workers: workersRate, pool, poolObject });
  }
  await Promise.all([rsa.stop(), workers.stop()]);
  const baseline = median(rounds.map((round) => round.baseline));
  const named = (name: string, kind: 'workers' | 'pool' | 'poolObject'): Figure =>
    figure(
      `${name}, ${size}`,
      median(rounds.map((round) => round[kind])),
      'two threads of raw RSA',
      baseline,
      median(rounds.map((round) => round[kind] / round.baseline)),
      count === 10 ? TWO_CORE_GOAL : undefined,
    );
  return [
    named('xml, two worker threads', 'workers'),
    named('xml, asynchronous', 'pool'),
    named('object, asynchronous', 'poolObject'),
  ];
}

function figure(name: string, value: number, against: string, baseline: number, ratio: number, goal?: number): Figure {
  return {
    bench: 'sign',
    name,
    value,
    unit: 'signed/s',
    baseline: { name: against, value: baseline },
    ratio,
    ...(goal === undefined ? {} : { goal }),
  };
}

/** The registry's fullest invoice, its lines repeated to the count, one description in four with accents. */
function invoiceOf(count: number): {
  type: DocumentTypeDefinition;
  example: DocumentExample;
  content: DocumentContent;
} {
  const type = documentTypes.find(({ code }) => code === '01');
  const example = type?.examples.find(({ content }) => content.buyerId !== null && content.lines.length > 0);
  if (type === undefined || example === undefined) throw new Error('the registry has no invoice with a buyer');
  const { content } = type.normalise(example.content, example.issuer);
  const lines = Array.from({ length: count }, (_, i) => {
    const line = content.lines[i % content.lines.length];
    if (line === undefined) throw new Error('an invoice without lines');
    const description = i % 4 === 0 ? `Edición número ${i + 1}, año 2026` : `Producto de ejemplo ${i + 1}`;
    return { ...line, lineNumber: i + 1, mainCode: `PROD-${i + 1}`, description, additionalDetails: [] };
  });
  return { type, example, content: { ...content, lines } };
}

function keyOf(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
}

/** One RSA operation over as many bytes as a SignedInfo has. */
function rawRsaWith(key: KeyObject): () => void {
  const data = Buffer.alloc(1_100, 0x61);
  return () => void sign('RSA-SHA1', data, key);
}

/** Worker threads that run one operation for a slice whenever told, all at once. */
class Threads {
  private constructor(private readonly workers: readonly Worker[]) {}

  static async start(task: Task): Promise<Threads> {
    const workers = Array.from(
      { length: THREADS },
      () => new Worker(fileURLToPath(import.meta.url), { workerData: task }),
    );
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    return new Threads(workers);
  }

  /** Sum of the threads' rates. */
  async rate(): Promise<number> {
    const answers = await Promise.all(
      this.workers.map(async (worker) => {
        const answer = once(worker, 'message') as Promise<[number]>;
        worker.postMessage(SLICE_MS);
        return (await answer)[0];
      }),
    );
    return answers.reduce((sum, rate) => sum + rate, 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}

function serve({ pkcs8, certificateDer, xml }: Task): void {
  const key = keyOf(pkcs8);
  const signer = new XadesSigner(Buffer.from(certificateDer), key);
  const now = new Date();
  const operation = xml === null ? rawRsaWith(key) : (): void => void signer.signSync(xml, now);
  warmUp(operation);
  parentPort?.on('message', (milliseconds: number) => parentPort?.postMessage(rateOf(operation, milliseconds)));
  parentPort?.postMessage('ready');
}

if (isMainThread) await main();
else serve(workerData as Task);
