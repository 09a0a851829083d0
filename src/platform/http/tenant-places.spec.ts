import { TenantPlaces } from './tenant-places.js';

describe('places of a tenant', () => {
  it('are taken up to their number by each tenant, and free again once they are given back', () => {
    const places = new TenantPlaces(2);
    const [first, second, third] = [places.take('a'), places.take('a'), places.take('a')];
    expect([first === null, second === null, third, places.take('b') === null]).toEqual([false, false, null, false]);
    first?.();
    expect([places.take('a') === null, places.take('a')]).toEqual([false, null]);
  });
});
