import { BenchDatabase } from '../issue-database.js';
import { Phases } from '../issue-phase.js';
import { BenchStack } from '../issue-stack.js';
import { createRequests } from '../issue-tenants.js';
import { sriUrls } from '../../src/local/parts.js';
import { printTable } from '../table.js';
import { containerOf } from './containers.js';
import type { Peer } from './peer.js';
import type { PipelineResult } from './pipeline.js';
import { Signer } from './signer.js';

const LINES = 10;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const PROCESSES = 2;
/** Documents on their way in one process of a pipeline. */
const CONCURRENCY = 32;
const CLIENTS = 16;
const TENANTS = 4;
const POINTS = 25;

export interface EndToEnd {
  /** The whole service, POST to AUTHORIZED. */
  readonly service: number;
  /** Processor time of all its parts for one document, the simulator's included, in milliseconds. */
  readonly cpuMs: number;
  /** Documents authorized per second without a database, by signer. */
  readonly pipelines: ReadonlyMap<Peer, number>;
}

/**
 * Documents per second that the same simulator authorizes on this machine: signed, sent and asked for by two processes that
 * write nothing down, with each peer, and issued through the whole service.
 */
export async function measureEndToEnd(peers: readonly Peer[], say: (line: string) => void): Promise<EndToEnd> {
  let running: BenchStack | null = null;
  try {
    const stack = await BenchStack.start((started) => (running = started));
    const rows: string[][] = [];
    const pipelines = new Map<Peer, number>();
    for (const [index, peer] of peers.entries()) {
      say(`without a database, ${peer.name}: ${PROCESSES} processes for ${SECONDS} s`);
      const results = await pipeline(stack, peer, index);
      const sum = (of: (result: PipelineResult) => number): number => results.reduce((total, result) => total + of(result), 0);
      const rate = sum(({ authorized, seconds }) => authorized / seconds);
      pipelines.set(peer, rate);
      const refusals = results.flatMap(({ refused }) => Object.entries(refused));
      const refused = refusals.reduce((total, [, count]) => total + count, 0);
      const p50 = results[0]?.p50 ?? null;
      rows.push([`${peer.name}, no database`, rate.toFixed(1), p50 === null ? '' : p50.toFixed(0), refused === 0 ? '' : `${refused}: ${refusals[0]![0].slice(0, 70)}`]);
    }
    const service = await ofService(stack, say);
    printTable(
      `Invoices of ${LINES} lines authorized by the simulated SRI, everything on this machine`,
      ['what', 'AUTHORIZED/s', 'p50 ms', 'refused'],
      [...rows, ['the whole service, POST to AUTHORIZED', service.rate.toFixed(1), service.p50.toFixed(0), '']],
    );
    process.stdout.write(`processor time of a document of the service, all parts: ${service.cpuMs.toFixed(1)} ms\n`);
    return { service: service.rate, cpuMs: service.cpuMs, pipelines };
  } finally {
    await (running as BenchStack | null)?.stop();
  }
}

async function pipeline(stack: BenchStack, peer: Peer, index: number): Promise<PipelineResult[]> {
  const container = containerOf();
  const signers = await Signer.open(peer, container, PROCESSES);
  const urls = sriUrls(stack.simulatorUrl);
  const order = { receptionUrl: urls.SRI_RECEPTION_URL, authorizationUrl: urls.SRI_AUTHORIZATION_URL, seconds: SECONDS, concurrency: CONCURRENCY, lines: LINES };
  try {
    return await Promise.all(signers.map((signer, at) => signer.pipeline({ ...order, emissionPoint: String(100 + index * PROCESSES + at) })));
  } finally {
    for (const signer of signers) signer.stop();
  }
}

async function ofService(stack: BenchStack, say: (line: string) => void): Promise<{ rate: number; p50: number; cpuMs: number }> {
  await stack.startApi();
  await stack.startWorker();
  const requests = await createRequests(stack.ownerUrl, stack.apiUrls[0]!, TENANTS, POINTS);
  const database = await BenchDatabase.open(stack.ownerUrl);
  const phases = new Phases(stack, database, say);
  await phases.run('warm-up of the service', { requests, clients: CLIENTS, seconds: 2 });
  const { authorizedRate, cpuMs, passage } = await phases.run('the whole service', { requests, clients: CLIENTS, seconds: SECONDS });
  const steady = await phases.run('the whole service at half of that', { requests, clients: CLIENTS, seconds: SECONDS / 2, rate: authorizedRate / 2 });
  const problems = await database.problems(phases.accepted);
  await database.close();
  if (problems.length > 0 || phases.failures.size > 0) throw new Error([...problems, ...phases.failures.keys()].join('\n'));
  const spent = [...cpuMs.values()].reduce((sum, value) => sum + value, 0);
  return { rate: authorizedRate, p50: steady.passage.toAuthorizedP50, cpuMs: spent / passage.authorized };
}
