import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SETTINGS_SCHEMA } from '../config/settings.js';

/** What one start of the local service was asked to do. */
export interface LocalOptions {
  /** Issue one invoice on data to throw away, then end. */
  readonly demo: boolean;
  /** Everything that the service keeps. */
  readonly dataDir: string;
  /** Where XML and PDF of documents are written; kept even when the data is thrown away. */
  readonly documentsDir: string;
  readonly host: string;
  /** Port of the API; 0 picks a free one. */
  readonly port: number;
  /** Preferred port of the simulator; another is taken when it is busy. 0 picks a free one. */
  readonly simulatorPort: number;
  /** Preferred ports of the mailbox's page and of the identity provider; others are taken when they are busy. */
  readonly mailboxPort: number;
  readonly identityProviderPort: number;
  /** Settings of the service that the caller gave; they go to its processes. */
  readonly given: Readonly<Record<string, string>>;
}

/** A start that cannot be: the message says what to change. */
export class LocalError extends Error {}

const DATA_DIR = '.sello';
const PORT = 3000;
const SIMULATOR_PORT = 8089;
const IDENTITY_PROVIDER_PORT = 8090;
const MAILBOX_PORT = 8091;

/**
 * Reads the command line and the environment of `npm start` and `npm run demo`.
 * @throws LocalError
 */
export function readLocalOptions(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  workingFolder: string,
): LocalOptions {
  const unknown = argv.filter((argument) => argument !== '--demo');
  if (unknown.length > 0) throw new LocalError(`Unknown argument ${unknown.join(' ')}; the only one is --demo`);
  const demo = argv.includes('--demo');
  const given = Object.fromEntries(
    Object.keys(SETTINGS_SCHEMA.shape)
      .map((name) => [name, environment[name]] as const)
      .filter((entry): entry is readonly [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
  if (given['APP_ENV'] !== undefined && given['APP_ENV'] !== 'local') {
    throw new LocalError(
      `APP_ENV=${given['APP_ENV']}: this command makes a demo tenant and runs everything on one machine. ` +
        'For other environments run the parts: npm run migrate, npm run start:api, npm run start:worker',
    );
  }
  for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL', 'REDIS_URL', 'METRICS_PORT'] as const) {
    const [wrong] = given[name] === undefined ? [] : (SETTINGS_SCHEMA.shape[name].safeParse(given[name]).error?.issues ?? []);
    if (wrong !== undefined) throw new LocalError(`${name}: ${wrong.message}`);
  }
  if (Number(given['METRICS_PORT']) === 65_535) throw new LocalError('METRICS_PORT: 65534 at most, for the worker takes the port behind it');
  const onlyOneOfTwo = (given['SRI_RECEPTION_URL'] === undefined) !== (given['SRI_AUTHORIZATION_URL'] === undefined);
  if (onlyOneOfTwo) throw new LocalError('SRI_RECEPTION_URL and SRI_AUTHORIZATION_URL: set both, or none for the simulator');
  const kept = resolve(workingFolder, environment['SELLO_DATA_DIR'] || DATA_DIR);
  return {
    demo,
    dataDir: demo ? mkdtempSync(join(tmpdir(), 'sello-demo-')) : kept,
    documentsDir: join(kept, demo ? 'demonstration' : 'documents'),
    host: given['HOST'] ?? '127.0.0.1',
    port: demo ? 0 : portOf('PORT', given['PORT'], PORT),
    simulatorPort: demo ? 0 : portOf('SIMULATOR_PORT', environment['SIMULATOR_PORT'], SIMULATOR_PORT),
    mailboxPort: portOf('MAILBOX_PORT', environment['MAILBOX_PORT'], MAILBOX_PORT),
    identityProviderPort: portOf('IDENTITY_PROVIDER_PORT', environment['IDENTITY_PROVIDER_PORT'], IDENTITY_PROVIDER_PORT),
    given,
  };
}

function portOf(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined || value === '') return fallback;
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new LocalError(`${name}=${value} is not a port number`);
  return port;
}
