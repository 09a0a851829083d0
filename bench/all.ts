/**
 * `npm run bench`: every benchmark after the other, then the goals P1 to P11 in one table and one file of JSON lines.
 * A full run takes half an hour; the machine should have nothing else to do.
 *
 *   --only issue,list   these alone      --out bench-output/figures.jsonl
 *
 * Exits with 1 when a benchmark failed. A missed goal does not fail it: a shared machine may miss it.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printGoals, type Figure } from './table.js';

/** In the order of the goals; those that take long last. */
const BENCHES = ['sign', 'preflight', 'issue', 'peers', 'guards', 'fairness', 'sweep', 'webhooks', 'streams', 'neighbours', 'list', 'soak'] as const;

/** Enough for a slope of memory; `npm run bench:soak` takes half an hour by itself. */
const SHORT_SOAK = ['--minutes', '5', '--warm-up', '1', '--every', '15'];

const { values } = parseArgs({
  options: { only: { type: 'string', default: BENCHES.join(',') }, out: { type: 'string', default: join('bench-output', 'figures.jsonl') } },
});
const wanted = values.only.split(',');
const unknown = wanted.filter((name) => !(BENCHES as readonly string[]).includes(name));
if (unknown.length > 0) throw new Error(`--only ${unknown.join(',')}: known are ${BENCHES.join(', ')}`);

/** Runs one benchmark, shows what it says and keeps its figures. */
async function figuresOf(name: string): Promise<{ figures: Figure[]; skipped: readonly string[]; failed: boolean }> {
  const child = spawn(process.execPath, [join(dirname(fileURLToPath(import.meta.url)), `${name}.js`), ...(name === 'soak' ? SHORT_SOAK : [])], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    process.stdout.write(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = output.split('\n').filter((line) => line.startsWith('{"bench":'));
  const said = lines.map((line) => JSON.parse(line) as Partial<Figure> & { readonly skipped?: string });
  const figures = said.filter((figure): figure is Figure => figure.name !== undefined && figure.value !== undefined);
  return { figures, skipped: said.flatMap(({ skipped }) => skipped ?? []), failed: code !== 0 };
}

const all: Figure[] = [];
const failed: string[] = [];
const skipped: string[] = [];
for (const name of BENCHES.filter((one) => wanted.includes(one))) {
  process.stdout.write(`\n=== ${name}\n`);
  const result = await figuresOf(name);
  all.push(...result.figures);
  skipped.push(...result.skipped.map((reason) => `${name}: ${reason}`));
  if (result.failed) failed.push(name);
}
mkdirSync(dirname(values.out), { recursive: true });
writeFileSync(values.out, all.map((figure) => `${JSON.stringify(figure)}\n`).join(''));
printGoals(all);
for (const reason of skipped) process.stdout.write(`skipped: ${reason}\n`);
process.stdout.write(`every figure: ${values.out}\n`);
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
