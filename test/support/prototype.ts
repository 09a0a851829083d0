import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './stack.js';

/** A signal that ends nobody, and that the service does not take for its own. */
const TELL = `process.on('SIGURG', () => console.error('polluted:', ({}).polluted));`;

/** Environment of processes that can be asked whether requests have put `polluted` upon every object of theirs. */
export const ASKED_FOR_POLLUTION = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL)}` } as const;

/** Asks each API of the stack. */
export async function expectUnpolluted({ apis }: Stack): Promise<void> {
  for (const api of apis) {
    const told = (): string[] => readFileSync(api.logFile, 'utf8').match(/^polluted: .*$/gm) ?? [];
    api.kill('SIGURG');
    for (const until = Date.now() + 60_000; told().length === 0 && Date.now() < until;) await sleep(50);
    expect(told()).toEqual(['polluted: undefined']);
  }
}
