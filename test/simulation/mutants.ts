import type { PlantedBug } from './planted-bug.js';

/** Mistakes that the harness must notice. */
export const BUGS: readonly PlantedBug[] = [];

export function plantedBug(name: string): PlantedBug {
  const bug = BUGS.find((one) => one.name === name);
  if (!bug) throw new Error(`no planted bug is called ${name}`);
  return bug;
}
