import { TenantSlots } from './tenant-slots.js';

describe('slots of a tenant', () => {
  it('are taken up to their number by each tenant, and free again once they are given back', () => {
    const slots = new TenantSlots(2);
    const [first, second, third] = [slots.take('a'), slots.take('a'), slots.take('a')];
    expect([first === null, second === null, third, slots.take('b') === null]).toEqual([false, false, null, false]);
    first?.();
    expect([slots.take('a') === null, slots.take('a')]).toEqual([false, null]);
  });
});
