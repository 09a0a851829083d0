import { BodyRoom } from './body-room.js';

const MB = 1_048_576;
const FULL = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', detail: { reason: 'too_many_bodies' } });

describe('room for bodies on their way in', () => {
  it('is 16 MB for one sender, over all of its bodies, and given back', () => {
    const room = new BodyRoom();
    const [first, second] = [room.enter('a'), room.enter('a')];
    expect(first.take(10 * MB)).toBeNull();
    expect(second.take(6 * MB)).toBeNull();
    expect(second.take(MB)).toEqual(FULL);
    expect(room.enter('b').take(16 * MB)).toBeNull();
    first.leave();
    expect(second.take(9 * MB)).toBeNull();
    expect(second.take(2 * MB)).toEqual(FULL);
  });

  it('is left for the next, however many take what they can', () => {
    const room = new BodyRoom();
    for (let who = 0; who < 8; who += 1) while (room.enter(String(who)).take(MB) === null);
    // One sender's eight are 60 MB; of the next, an ordinary body goes in whatever is left.
    const next = room.enter('next');
    expect([next.take(200_000), next.take(64 * MB)]).toEqual([null, FULL]);
  });

  it('is not needed for the beginning of a body, in whatever pieces it comes', () => {
    const room = new BodyRoom();
    const bodies = Array.from({ length: 2_000 }, () => room.enter('a'));
    for (const body of bodies) expect([body.take(30_000), body.take(30_000)]).toEqual([null, null]);
    expect(room.enter('a').take(16 * MB)).toBeNull();
  });
});
