import { createServer } from 'node:net';

/**
 * A TCP port on 127.0.0.1 that nobody listens on right now. Another process may
 * take it before its user binds it: callers retry with a new one.
 */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      if (address === null || typeof address === 'string') {
        probe.close(() => reject(new Error('The system gave no TCP port')));
        return;
      }
      probe.close(() => resolve(address.port));
    });
  });
}

/** True when `port` of `host` can be bound now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => {
      probe.close(() => resolve(true));
    });
  });
}
