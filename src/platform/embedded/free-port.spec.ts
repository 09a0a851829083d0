import { type AddressInfo, createServer } from 'node:net';
import { isPortFree, isPortTaken } from './free-port.js';

it('tells a port that somebody has from one that cannot be bound for another reason', async () => {
  const holder = createServer();
  await new Promise<void>((listening) => holder.listen(0, '127.0.0.1', listening));
  const { port } = holder.address() as AddressInfo;
  expect([await isPortFree(port), await isPortTaken(port)]).toEqual([false, true]);
  // An address for documentation, which no machine has.
  expect([await isPortFree(port, '192.0.2.1'), await isPortTaken(port, '192.0.2.1')]).toEqual([false, false]);
  await new Promise((closed) => holder.close(closed));
  expect([await isPortFree(port), await isPortTaken(port)]).toEqual([true, false]);
});
