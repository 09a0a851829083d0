import type { TestServers } from './global-setup.js';

/** Stops the servers of global-setup; their data is removed with them. */
export default async function globalTeardown(): Promise<void> {
  await (globalThis as { testServers?: TestServers }).testServers?.stop();
}
