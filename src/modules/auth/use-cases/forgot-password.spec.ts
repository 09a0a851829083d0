import type { PersonalLetter } from '../../../platform/mail/mailer.js';
import { LetterTurns } from '../letters/letter-turns.js';
import { ForgotPassword, ForgotPasswordHandler } from './forgot-password.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('forgotten passwords', () => {
  /** Asks under way at the database, which answers none until `answer` is called; and what became of letters that were not written. */
  function asking(): { ask: (asker: string, email?: string) => Promise<void>; looks: string[]; answer: () => Promise<void>; refused: string[] } {
    const looks: string[] = [];
    const refused: string[] = [];
    const answers: (() => void)[] = [];
    const people = {
      beginReset: (email: string) => {
        looks.push(email);
        return new Promise<null>((resolve) => answers.push(() => resolve(null)));
      },
      find: () => Promise.resolve(null),
    };
    const mailer = {
      inBackground: (_what: string, write: () => Promise<PersonalLetter | null>) => void write().catch((error: unknown) => refused.push((error as Error).message)),
    };
    const random = { bytes: (length: number) => Buffer.alloc(length) };
    const handler = new ForgotPasswordHandler(people as never, mailer as never, new LetterTurns(), { panel: '' } as never, { now: () => new Date(0) }, random, {} as never);
    return {
      ask: (asker, email = asker) => handler.execute(new ForgotPassword(email, 'es', asker)),
      looks,
      answer: async () => {
        answers.shift()?.();
        await settle();
      },
      refused,
    };
  }

  it('are answered at once, however many are asked for, and a few at a time look for their account', async () => {
    const { ask, looks, answer, refused } = asking();
    for (let n = 0; n < 100; n += 1) await ask('stranger', `${n}@example.com`);
    await settle();
    expect(looks).toHaveLength(2);
    expect(refused).toHaveLength(78);
    await ask('somebody');
    await settle();
    // Whoever asks for one does not wait for those of another.
    expect(looks.slice(2)).toEqual(['somebody']);
    for (let n = 0; n < 23; n += 1) await answer();
    expect(looks).toHaveLength(23);
  });

  it('have the same answer when too many wait of all', async () => {
    const { ask, looks, refused } = asking();
    for (let n = 0; n < 400; n += 1) await ask(`address:${n}`);
    await settle();
    expect(looks).toHaveLength(4);
    expect(refused).toEqual(Array.from({ length: 196 }, () => 'too many letters wait'));
  });
});
