import { EnvelopeError, KeeperAwayError, KeeperSilentError, KeyUnavailableError, type KeyWrapper } from './key-wrapper.js';
import { RestingKeyWrapper } from './resting-key-wrapper.js';

const RESTING = new KeeperAwayError('the keeper of the master key did not answer a moment ago');
const NOTHING = Buffer.alloc(0);

describe('a keeper of the master key that was silent', () => {
  let now: number;
  let asked: number;
  let failure: Error | null;
  let keeper: RestingKeyWrapper;
  beforeEach(() => {
    [now, asked, failure] = [Date.parse('2026-10-01T12:00:00Z'), 0, new KeeperSilentError('silence')];
    const answer = async <Answer>(what: Answer): Promise<Answer> => {
      asked += 1;
      await Promise.resolve();
      if (failure !== null) throw failure;
      return what;
    };
    const behind: KeyWrapper = { wrap: () => answer({ keyId: 'k', bytes: NOTHING }), unwrap: () => answer(NOTHING), isCurrent: () => answer(true), mayOpen: () => true };
    keeper = new RestingKeyWrapper(behind, { now: () => new Date(now) });
  });

  it('is left in peace, whatever it is asked, until one question is answered again', async () => {
    await expect(keeper.isCurrent('k')).rejects.toThrow('silence');
    await expect(keeper.wrap(NOTHING, NOTHING)).rejects.toThrow(RESTING);
    await expect(keeper.unwrap({ keyId: 'k', bytes: NOTHING }, NOTHING)).rejects.toThrow(RESTING);
    expect(asked).toBe(1);
    now += 5_000;
    failure = null;
    const [first, second] = await Promise.allSettled([keeper.isCurrent('k'), keeper.isCurrent('k')]);
    expect([first.status, second.status, asked]).toEqual(['fulfilled', 'rejected', 2]);
    expect(await keeper.isCurrent('k')).toBe(true);
  });

  it('rests again when it is silent again', async () => {
    await expect(keeper.isCurrent('k')).rejects.toThrow('silence');
    now += 5_000;
    await expect(keeper.isCurrent('k')).rejects.toThrow('silence');
    await expect(keeper.isCurrent('k')).rejects.toThrow(RESTING);
  });

  it('does not rest longer where the clock is put back', async () => {
    await expect(keeper.isCurrent('k')).rejects.toThrow('silence');
    now -= 3_600_000;
    failure = null;
    expect(await keeper.isCurrent('k')).toBe(true);
  });

  it('is not one that refuses: that one is asked again at once', async () => {
    for (failure of [new KeyUnavailableError('no'), new EnvelopeError('damaged')]) {
      await expect(keeper.isCurrent('k')).rejects.toThrow(failure);
      await expect(keeper.isCurrent('k')).rejects.toThrow(failure);
    }
    expect(asked).toBe(4);
  });
});
