import { generator } from './tape.js';

/** How often each kind of fault strikes while a history is generated; a replay takes the faults from its tape. */
export interface Swarm {
  readonly storeNotExecuted: number;
  readonly storeAckLost: number;
  readonly storeLate: number;
  readonly queueFault: number;
  readonly networkFault: number;
  /** Commands by weight; 0: not in this history. */
  readonly commands: readonly number[];
}

/** Draws which faults are on: most histories have a few kinds, often; some have none, some all. */
export function swarmOf(seed: number, commandWeights: readonly number[], always: readonly number[]): Swarm {
  const random = generator(seed * 2 + 1);
  const rate = (often: number): number => (random() < 0.5 ? 0 : often * random());
  return {
    storeNotExecuted: rate(0.06),
    storeAckLost: rate(0.06),
    storeLate: rate(0.3),
    queueFault: rate(0.3),
    networkFault: rate(0.5),
    commands: commandWeights.map((weight, index) => (always.includes(index) || random() < 0.5 ? weight * (0.3 + random()) : 0)),
  };
}
