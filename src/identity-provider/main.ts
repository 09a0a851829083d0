import { z } from 'zod';
import { serveProvider } from './server.js';

const environmentSettings = z.object({
  IDENTITY_PROVIDER_HOST: z.string().default('127.0.0.1'),
  IDENTITY_PROVIDER_PORT: z.coerce.number().int().min(0).max(65_535).default(8090),
  IDENTITY_PROVIDER_CLIENT_ID: z.string().default('sello-local'),
  IDENTITY_PROVIDER_CLIENT_SECRET: z.string().default('sello-local-secret'),
});

/** Stands in for Google on one machine: whoever signs in is who they say. */
async function main(): Promise<void> {
  const settings = environmentSettings.parse(process.env);
  const provider = await serveProvider({
    host: settings.IDENTITY_PROVIDER_HOST,
    port: settings.IDENTITY_PROVIDER_PORT,
    clientId: settings.IDENTITY_PROVIDER_CLIENT_ID,
    clientSecret: settings.IDENTITY_PROVIDER_CLIENT_SECRET,
    now: () => Date.now(),
  });
  const stop = (): void => {
    void provider.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
  console.log(`identity provider listening on ${provider.url}`);
  process.send?.({ type: 'ready', url: provider.url });
}

await main();
