import { z } from 'zod';
import { SriBrain } from './brain/brain.js';
import { defaultSettings, type SimulatorSettings } from './brain/settings.js';
import { serve } from './http/server.js';
import { Journal, UnreadableJournal } from './journal.js';
import { schemaFiles, schemaFolders } from './schema-files.js';
import { VirtualClock } from './virtual-clock.js';

const DEFAULT_PORT = 8089;

const environmentSettings = z.object({
  SIMULATOR_HOST: z.string().default('127.0.0.1'),
  SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(DEFAULT_PORT),
  /** `min-max` milliseconds between RECIBIDA and the decision. */
  SIMULATOR_PROCESSING_MS: z
    .string()
    .regex(/^\d+(-\d+)?$/, 'milliseconds, or a range such as 0-300')
    .default('0-300'),
  /** 1 or 2 to serve one environment; both by default. */
  SIMULATOR_ENVIRONMENT: z.enum(['1', '2']).optional(),
  SIMULATOR_ISSUE_WINDOW_DAYS: z.coerce.number().int().min(0).default(90),
  SIMULATOR_LEDGER_LIMIT: z.coerce.number().int().min(1).optional(),
  SIMULATOR_STORED_DOCUMENTS: z.coerce.number().int().min(1).optional(),
  /** File that keeps what it received and decided for the next start; without one it all ends with the process. */
  SIMULATOR_JOURNAL: z.string().optional().transform((path) => (path === '' ? undefined : path)),
  SIMULATOR_SIGNATURE_ENGINE: z.enum(['xml-crypto', 'libxml2']).default('xml-crypto'),
  /** Folder with the official schemas under `xsd/`. */
  SRI_REFERENCE_DIR: z.string().optional(),
});

type EnvironmentSettings = z.infer<typeof environmentSettings>;

async function main(): Promise<void> {
  const environment = environmentSettings.parse(process.env);
  const clock = new VirtualClock({ now: () => new Date() });
  const brain = brainOf(environment, clock);
  const simulator = await serve(brain, clock, {
    host: environment.SIMULATOR_HOST,
    port: environment.SIMULATOR_PORT,
  });
  const stop = (): void => {
    simulator.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
  console.log(`simulator listening on ${simulator.url}`);
  process.send?.({ type: 'ready', url: simulator.url });
}

/** The simulator as the journal left it, which goes on with the journal. @throws UnreadableJournal */
function brainOf(environment: EnvironmentSettings, clock: VirtualClock): SriBrain {
  const path = environment.SIMULATOR_JOURNAL;
  if (path === undefined) return new SriBrain(clock, settingsFrom(environment));
  const journal = new Journal(path);
  const brain = new SriBrain(clock, settingsFrom(environment), (change) => journal.append(change));
  journal.replay(clock.now(), (change) => brain.apply(change));
  return brain;
}

function settingsFrom(environment: EnvironmentSettings): SimulatorSettings {
  const [min = 0, max = min] = environment.SIMULATOR_PROCESSING_MS.split('-').map(Number);
  const schemas = schemaFiles(schemaFolders(environment.SRI_REFERENCE_DIR));
  return {
    ...defaultSettings(schemas),
    environments: environment.SIMULATOR_ENVIRONMENT ? [environment.SIMULATOR_ENVIRONMENT] : ['1', '2'],
    processingMs: { min: Math.min(min, max), max: Math.max(min, max) },
    issueWindowDays: environment.SIMULATOR_ISSUE_WINDOW_DAYS,
    signatureEngine: environment.SIMULATOR_SIGNATURE_ENGINE,
    ledgerLimit: environment.SIMULATOR_LEDGER_LIMIT ?? null,
    storedDocumentLimit: environment.SIMULATOR_STORED_DOCUMENTS ?? null,
  };
}

await main().catch((error: unknown) => {
  if (!(error instanceof UnreadableJournal)) throw error;
  // What to do stands in the message; a stack would push it out of what `npm start` shows.
  console.error(error.message);
  process.exitCode = 1;
});
