import 'reflect-metadata';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { allMoves } from '../../src/modules/documents/domain/lifecycle.js';
import { lighten, runCampaign } from './campaign.js';
import { runHistory } from './history.js';
import { BUGS } from './mutants.js';
import type { Violation } from './oracle.js';
import type { PlantedBug } from './planted-bug.js';
import { decodeTape } from './tape.js';

/**
 * Simulates the service: `npm run simulate -- --histories 10000 --from 1`.
 * With HISTORY_SEED (and TAPE) in the environment it replays that one history and
 * prints every step; `--mutants` shows that each planted bug is found, with `--early`
 * those alone that some dozens of histories find.
 */
const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    threads: { type: 'string', default: String(Math.max(1, availableParallelism())) },
    mutants: { type: 'boolean', default: false },
    early: { type: 'boolean', default: false },
    bug: { type: 'string' },
  },
});

const from = Number(values.from);
const histories = Number(values.histories);
const threads = Number(values.threads);
Logger.overrideLogger(false);

const seed = process.env['HISTORY_SEED'];
if (seed !== undefined) process.exitCode = await replay(Number(seed), process.env['TAPE']);
else if (values.mutants) process.exitCode = await hunt();
else process.exitCode = await simulate();

async function replay(of: number, tape: string | undefined): Promise<number> {
  const result = await runHistory({ seed: of, trace: true, ...(tape !== undefined && { tape: decodeTape(tape) }) });
  console.log(result.trace.join('\n'));
  console.log(result.violation ? `VIOLATION ${result.violation.message}` : 'all invariants hold');
  return result.violation ? 1 : 0;
}

async function simulate(): Promise<number> {
  const result = await runCampaign({ from, histories, threads, bug: values.bug ?? null }, (done, failures) => {
    if (done % 500 < 25) console.log(`  ${done} of ${histories} histories, ${failures} violations`);
  });
  for (const failure of result.failures) {
    console.log(`VIOLATION ${failure.message}\nHISTORY_SEED=${failure.seed} TAPE=${failure.tape}`);
  }
  const seconds = (result.milliseconds / 1000).toFixed(1);
  console.log(`${result.histories} histories, ${result.documents} documents, ${result.steps} steps in ${seconds} s on ${threads} threads: ${result.failures.length} violations`);
  const missed = allMoves().map(({ from: status, trigger }) => `${status} ${trigger}`).filter((move) => !result.moves.has(move));
  console.log(`moves of the lifecycle never made: ${missed.join(', ') || 'none'}`);
  return result.failures.length === 0 ? 0 : 1;
}

async function hunt(): Promise<number> {
  lighten();
  let escaped = 0;
  console.log('planted bug                                                   histories until found, and by what');
  for (const bug of BUGS.filter(({ name, isRare }) => name.startsWith(values.bug ?? '') && !(values.early && isRare))) {
    const found = await firstSeedThatFinds(bug);
    if (found === null) escaped += 1;
    console.log(`${bug.name.padEnd(60)} ${found === null ? 'ESCAPED' : `${String(found.seed - from + 1).padStart(5)}  ${found.violation.message.slice(0, 110)}`}`);
  }
  return escaped === 0 ? 0 : 1;
}

async function firstSeedThatFinds(bug: PlantedBug): Promise<{ seed: number; violation: Violation } | null> {
  for (let seed = from; seed < from + Math.min(histories, 2_000); seed += 1) {
    const { violation } = await runHistory({ seed, bug });
    if (violation) return { seed, violation };
  }
  return null;
}
