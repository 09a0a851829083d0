import { BEFORE_ALL } from '../event-position.js';
import type { EventsRepository } from '../persistence/events.repository.js';
import { EventLookout } from './event-lookout.js';

const ENDED = new Error('the stream ends');

describe('the look-out for events', () => {
  /** What each question was about: a tenant, or one document of it. */
  let questions: string[][];
  /** Tenants with an event; null: no answer can be had. */
  let news: Set<string> | null;
  let passTime: (() => void)[];
  let lookout: EventLookout;

  beforeEach(() => {
    questions = [];
    news = new Set();
    passTime = [];
    const events: Pick<EventsRepository, 'areBehind'> = {
      areBehind: (watched) => {
        questions.push(watched.map(({ tenantId, documentId }) => (documentId === null ? tenantId : `${tenantId} ${documentId}`)));
        const known = news;
        return known === null ? Promise.reject(new Error('PostgreSQL is away')) : Promise.resolve(watched.map(({ tenantId }) => known.has(tenantId)));
      },
    };
    lookout = new EventLookout(events as EventsRepository, { sleep: () => new Promise((resolve) => passTime.push(resolve)) });
  });

  /** Lets the look-out look once more. */
  const tick = async (): Promise<void> => {
    for (const resolve of passTime.splice(0)) resolve();
    await new Promise(setImmediate);
  };
  const ended = new AbortController();
  /** A stream that waits, and what became of it. */
  const stream = (tenantId: string, ending: AbortSignal = ended.signal, documentId: string | null = null): { result: unknown } => {
    const waiting = { result: undefined as unknown };
    lookout.until({ tenantId, documentId, at: BEFORE_ALL }, ending).then(() => (waiting.result = 'woken'), (error: unknown) => (waiting.result = error));
    return waiting;
  };

  it('asks one question for all who wait, wakes those for whom there is something, and asks nothing when nobody waits', async () => {
    const [first, second, third] = ['a', 'b', 'a'].map((tenant) => stream(tenant));
    news = new Set(['b']);
    await tick();
    expect([first!.result, second!.result, third!.result]).toEqual([undefined, 'woken', undefined]);
    news = new Set(['a']);
    await tick();
    expect([first!.result, third!.result]).toEqual(['woken', 'woken']);
    await tick();
    expect(questions).toEqual([['a', 'b', 'a'], ['a', 'a']]);
    expect(passTime).toHaveLength(0);
    const later = stream('c');
    news = new Set(['c']);
    await tick();
    expect([later.result, questions.at(-1)]).toEqual(['woken', ['c']]);
  });

  it('wakes after a while whoever nothing happened to: a stream asks then whether its credential still stands', async () => {
    const silent = stream('a');
    for (let looks = 1; looks < 16; looks += 1) await tick();
    expect(silent.result).toBeUndefined();
    await tick();
    expect(silent.result).toBe('woken');
  });

  it('asks for each about what it reads: one document, or all of a tenant', async () => {
    stream('a', ended.signal, 'one');
    stream('a');
    await tick();
    expect(questions).toEqual([['a one', 'a']]);
  });

  it('leaves whoever is cut off', async () => {
    const cut = new AbortController();
    const [leaving, staying] = [stream('a', cut.signal), stream('b')];
    cut.abort(ENDED);
    await new Promise(setImmediate);
    expect(leaving.result).toBe(ENDED);
    await tick();
    expect([questions, staying.result]).toEqual([[['b']], undefined]);
    const late = stream('a', cut.signal);
    await tick();
    expect([late.result, questions.at(-1)]).toEqual([ENDED, ['b']]);
  });

  it('lets everybody ask for itself when there is no answer, and goes on', async () => {
    const [first, second] = [stream('a'), stream('b')];
    news = null;
    await tick();
    expect([first.result, second.result]).toEqual(['woken', 'woken']);
    const again = stream('a');
    news = new Set(['a']);
    await tick();
    expect(again.result).toBe('woken');
  });
});
