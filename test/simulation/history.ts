import { COMMAND_WEIGHTS, ALWAYS_ON } from './commands.js';
import { NO_BUG, type PlantedBug } from './planted-bug.js';
import { Violation } from './oracle.js';
import { swarmOf } from './swarm.js';
import { Tape } from './tape.js';
import { type Ground, memoryGround, World } from './world.js';

export interface HistoryResult {
  readonly seed: number;
  /** Null: everything held. */
  readonly violation: Violation | null;
  readonly tape: number[][];
  readonly steps: number;
  readonly documents: number;
  readonly trace: readonly string[];
  /** Moves of the lifecycle that were made, as `STATE trigger`. */
  readonly moves: ReadonlyMap<string, number>;
}

export interface HistoryOptions {
  readonly seed: number;
  /** Replays these choices instead of drawing new ones. */
  readonly tape?: readonly (readonly number[])[];
  readonly commands?: number;
  readonly bug?: PlantedBug;
  readonly ground?: (start: number) => Ground | Promise<Ground>;
  readonly trace?: boolean;
}

/** Runs one history from its first command through two days of rest. */
export async function runHistory({ seed, tape: recorded, commands = 60, bug = NO_BUG, ground = memoryGround, trace = false }: HistoryOptions): Promise<HistoryResult> {
  const tape = recorded ? Tape.replay(recorded) : Tape.generate(seed);
  const world = await World.create(tape, swarmOf(seed, COMMAND_WEIGHTS, ALWAYS_ON), ground, bug);
  if (trace) world.scheduler.trace = [];
  const result = (violation: Violation | null): HistoryResult => ({
    seed, violation, tape: tape.taken(), steps: world.scheduler.steps, documents: world.oracle.size, trace: world.scheduler.trace ?? [], moves: world.oracle.moves,
  });
  try {
    for (let index = 0; tape.generating ? index < commands : true; index += 1) {
      if (!tape.next()) break;
      await world.command();
    }
    await world.rest();
    return result(null);
  } catch (error) {
    if (error instanceof Violation) return result(error);
    throw error;
  }
}
