import { keyWasLost, whyKeyWouldBeLost } from '../platform/run-command.js';
import { CliFailure, EXIT, tellFailure } from './failure.js';

/** Before a key is made. @throws CliFailure where nobody would ever see it */
export function refuseLostKey(): void {
  const lost = whyKeyWouldBeLost();
  if (lost !== null) throw new CliFailure('usage', lost);
}

/**
 * Once a key is made and is still to be printed: has the command fail and say what was made where that cannot be done, as on a full
 * disk, or where whoever should read it has gone.
 * @param made as in `keyWasLost`
 */
export function tellLostKey(made: string): void {
  process.stdout.prependListener('error', () => {
    tellFailure(new CliFailure('refused', keyWasLost(made)));
    process.exit(EXIT.refused.code);
  });
}
