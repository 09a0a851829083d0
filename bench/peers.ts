/**
 * `npm run bench:peers`: this project beside the public packages that users would pick: how fast each signs the same
 * invoices with the same file, what is wrong with what each signs, and how many documents a second the simulated SRI
 * authorizes when each signs, sends and asks without a database, beside the whole service.
 *
 *   --only signing,correctness,end-to-end     these alone
 *
 * The packages are no dependency of the project. They are installed into `bench/peers/node_modules` by this command;
 * where that cannot be, it says why and measures nothing. Exits with 1 when a signature of ours is not good.
 */
import { parseArgs } from 'node:util';
import { compareCorrectness } from './peers/correctness.js';
import { measureEndToEnd, type EndToEnd } from './peers/end-to-end.js';
import { installPeers } from './peers/packages.js';
import { PEERS } from './peers/registry.js';
import { figuresOfRates, printRates, signingRates, type SigningRate } from './peers/signing.js';
import { printFigures, printSkipped, type Figure } from './table.js';

const PARTS = ['signing', 'correctness', 'end-to-end'] as const;
const LINES = [10, 100];
/** Times what the fastest package made for the job signs, with all that the service does besides. */
const GOAL = 8;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The whole service beside what the others do without one. */
function beside(rates: readonly SigningRate[], { service, cpuMs, pipelines }: EndToEnd): Figure[] {
  const signing = (kind: 'job' | 'general'): SigningRate => {
    const of = rates.filter(({ peer, lines }) => peer.kind === kind && lines === LINES[0]);
    return of.reduce((fastest, one) => (one.twoProcesses > fastest.twoProcesses ? one : fastest));
  };
  const against = (name: string, baseline: { readonly name: string; readonly value: number }, goal?: number): Figure => ({
    bench: 'peers',
    name,
    value: service,
    unit: 'doc/s',
    baseline,
    ratio: service / baseline.value,
    ...(goal === undefined ? {} : { goal }),
  });
  const [job, general] = [signing('job'), signing('general')];
  const others = [...pipelines].filter(([{ kind }, rate]) => kind !== 'ours' && rate > 0).sort(([, a], [, b]) => b - a);
  const best = others[0];
  const signature = 1000 / Math.max(...rates.filter(({ peer, lines }) => peer.kind === 'job' && lines === LINES[0]).map(({ perSecond }) => perSecond));
  return [
    against('P5 POST to AUTHORIZED, of the fastest package for the job signing alone', { name: `${job.peer.name}, two processes`, value: job.twoProcesses }, GOAL),
    against('POST to AUTHORIZED, of the fastest general package signing alone', { name: `${general.peer.name}, two processes`, value: general.twoProcesses }),
    {
      bench: 'peers',
      name: 'processor time of a document, POST to AUTHORIZED, of one signature of a package for the job',
      value: cpuMs,
      unit: 'ms',
      baseline: { name: 'one signature', value: signature },
      ratio: cpuMs / signature,
    },
    ...(best === undefined ? [] : [against('POST to AUTHORIZED, of the fastest pipeline without a database', { name: best[0].name, value: best[1] })]),
  ];
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string', default: PARTS.join(',') } } });
  const wanted = values.only.split(',');
  const unknown = wanted.filter((part) => !(PARTS as readonly string[]).includes(part));
  if (unknown.length > 0) throw new Error(`--only ${unknown.join(',')}: known are ${PARTS.join(', ')}`);

  const missing = installPeers();
  if (missing !== null) {
    printSkipped('peers', missing);
    return 0;
  }
  const rates: SigningRate[] = [];
  if (wanted.includes('signing')) {
    for (const lines of LINES) {
      say(`signing invoices of ${lines} lines`);
      const ofLines = await signingRates(PEERS, lines);
      printRates(lines, ofLines);
      rates.push(...ofLines);
    }
  }
  let wrong: readonly string[] = [];
  if (wanted.includes('correctness')) {
    say('signing what signers stumble on');
    wrong = await compareCorrectness(PEERS, process.env['SRI_REFERENCE_DIR']);
  }
  const endToEnd = wanted.includes('end-to-end') ? await measureEndToEnd(PEERS, say) : null;
  printFigures('Beside public packages', [...figuresOfRates(rates), ...(endToEnd === null || rates.length === 0 ? [] : beside(rates, endToEnd))]);
  for (const problem of wrong) process.stderr.write(`WRONG: ours, ${problem}\n`);
  return wrong.length === 0 ? 0 : 1;
}

process.exit(await main());
