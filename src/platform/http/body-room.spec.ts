import { BodyRoom } from './body-room.js';

const MB = 1_048_576;
const FULL = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', detail: { reason: 'too_many_bodies' } });

describe('room for bodies on their way in', () => {
  it('is 16 MB for one sender, over all of its bodies, and given back', () => {
    const room = new BodyRoom();
    const [first, second] = [room.enter('a'), room.enter('a')];
    expect(first.take(10 * MB)).toBeNull();
    expect(second.take(6 * MB)).toBeNull();
    expect(second.take(1)).toEqual(FULL);
    expect(room.enter('b').take(1)).toBeNull();
    first.leave();
    expect(second.take(10 * MB)).toBeNull();
    expect(second.take(1)).toEqual(FULL);
  });

  it('is 64 MB for all together', () => {
    const room = new BodyRoom();
    const places = ['a', 'b', 'c', 'd'].map((who) => room.enter(who));
    expect(places.map((place) => place.take(16 * MB))).toEqual([null, null, null, null]);
    const late = room.enter('e');
    expect(late.take(1)).toEqual(FULL);
    places[0]?.leave();
    expect(late.take(16 * MB)).toBeNull();
    expect(late.take(1)).toEqual(FULL);
  });
});
