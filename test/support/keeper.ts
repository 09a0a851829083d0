import type { KeyOfCertificate } from '../../src/platform/secrets/envelope.js';
import { fromSetup } from './database.js';

/** Where the shared stack is. */
export interface SharedStackAddresses {
  /** How many files asked before. */
  readonly file: number;
  readonly apiUrl: string;
  readonly simulatorUrl: string;
  readonly databaseName: string;
  readonly redisUrl: string;
  readonly logFolder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly logFiles: readonly string[];
}

export interface CertificateWanted extends KeyOfCertificate {
  readonly ruc: string;
}

/** A row of `certificates`; bytes in base64. */
export interface StoredCertificate {
  readonly subject: string;
  readonly issuerName: string;
  readonly serialNumber: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly fingerprintSha256: string;
  readonly certificateDer: string;
  readonly sealedKey: string;
}

/** A test may put another in its place. */
const { fetch } = globalThis;

/** Asks the run's keeper (`run-keeper.ts`), from a test file. */
export async function askKeeper<Kept>(path: '/stack' | '/certificate' | '/token', body?: unknown): Promise<Kept> {
  const response = await fetch(fromSetup('TEST_RUN_KEEPER_URL') + path, { method: 'POST', ...(body !== undefined && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Kept;
}
