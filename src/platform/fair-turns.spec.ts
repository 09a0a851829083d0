import { FairTurns } from './fair-turns.js';

const full = (): Error => new Error('full');
const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};

describe('turns', () => {
  /** Whoever is let in, in order; `end` ends the first that is still in. */
  function served(turns: FairTurns): { ask: (tenant: string, name?: string) => Promise<void>; order: string[]; end: () => Promise<void> } {
    const order: string[] = [];
    const ends: (() => void)[] = [];
    return {
      order,
      ask: async (tenant, name = tenant) => {
        const end = await turns.enter(tenant, full);
        order.push(name);
        ends.push(end);
      },
      end: async () => {
        ends.shift()!();
        await settle();
      },
    };
  }

  it('go round the tenants, whoever asked for much before', async () => {
    const { ask, order, end } = served(new FairTurns({ atOnce: 1, atOnceOfTenant: 1, waiting: 10, waitingOfTenant: 5 }));
    const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1'), ask('b', 'b2')];
    for (let i = 0; i < 6; i += 1) {
      await settle();
      await end();
    }
    await Promise.all(asked);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('are one at a time for a tenant, though there is room for others', async () => {
    const { ask, order, end } = served(new FairTurns({ atOnce: 2, atOnceOfTenant: 1, waiting: 10, waitingOfTenant: 5 }));
    void ask('a', 'a1');
    void ask('a', 'a2');
    await settle();
    void ask('b', 'b1');
    await settle();
    expect(order).toEqual(['a1', 'b1']);
    await end();
    expect(order).toEqual(['a1', 'b1', 'a2']);
    await end();
    await end();
    void ask('a', 'a3');
    void ask('c', 'c1');
    await settle();
    expect(order.slice(3)).toEqual(['a3', 'c1']);
  });

  it('are refused to a tenant of which enough wait, and to all when one of each does', async () => {
    const turns = new FairTurns({ atOnce: 1, atOnceOfTenant: 1, waiting: 3, waitingOfTenant: 2 });
    const { ask, order, end } = served(turns);
    void ask('d');
    void ask('a');
    void ask('a');
    await expect(turns.enter('a', full)).rejects.toThrow('full');
    await end();
    void ask('b');
    void ask('d');
    await expect(turns.enter('c', full)).rejects.toThrow('full');
    await settle();
    for (let i = 0; i < 4; i += 1) await end();
    expect(order).toEqual(['d', 'a', 'b', 'd', 'a']);
    await expect(turns.enter('c', full)).resolves.toBeInstanceOf(Function);
  });

  it('are for who asks for little, also when others have filled the room: the last one of who asks for most is refused', async () => {
    const turns = new FairTurns({ atOnce: 1, atOnceOfTenant: 1, waiting: 6, waitingOfTenant: 4 });
    const { ask, order, end } = served(turns);
    const refused: string[] = [];
    const tryFor = (tenant: string, name: string): void => void ask(tenant, name).catch(() => refused.push(name));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2']) tryFor(name[0]!, name);
    tryFor('c', 'c1');
    await settle();
    expect(refused).toEqual(['a5']);
    // Three of one, two of another and one of the third wait: nobody is better off by one more for the second or the first.
    tryFor('b', 'b3');
    tryFor('a', 'a6');
    await settle();
    expect(refused).toEqual(['a5', 'b3', 'a6']);
    tryFor('c', 'c2');
    await settle();
    expect(refused).toEqual(['a5', 'b3', 'a6', 'a4']);
    for (let i = 0; i < 7; i += 1) await end();
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3']);
    await expect(turns.enter('d', full)).resolves.toBeInstanceOf(Function);
  });
});
