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
export const isPortFree = async (port: number, host?: string): Promise<boolean> => (await bindingProblem(port, host)) === null;

/** True when somebody has `port` of `host`; false also where it cannot be bound for another reason, such as a host that is none of this machine. */
export const isPortTaken = async (port: number, host?: string): Promise<boolean> => (await bindingProblem(port, host)) === 'EADDRINUSE';

function bindingProblem(port: number, host = '127.0.0.1'): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    probe.listen(port, host, () => {
      probe.close(() => resolve(null));
    });
  });
}
