/**
 * What all files of a test run have in common, kept by the process that runs them (`global-setup.ts`) and asked for by HTTP: each file is a
 * world of its own and forgets everything, even how its code was compiled.
 */
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Settings } from '../../src/config/settings.js';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { Envelope } from '../../src/platform/secrets/envelope.js';
import { LocalKeyring } from '../../src/platform/secrets/local-keyring.js';
import { readMasterKeys } from '../../src/platform/secrets/master-key.js';
import { AccessTokens } from '../../src/platform/security/access-tokens.js';
import { readTokenKeys } from '../../src/platform/security/token-keys.js';
import { describeCertificate } from '../../src/sri/signing/certificate.js';
import { keyAndCertificate } from './business-certificate.js';
import { fromSetup } from './database.js';
import type { CertificateWanted, SharedStackAddresses, StoredCertificate } from './keeper.js';
import { startStack, type Stack } from './stack.js';

export interface RunKeeper {
  readonly url: string;
  stop(): Promise<void>;
}

/** No Jest worker has it (`nextRedisUrl`). */
const REDIS_DATABASE = 63;

export async function startRunKeeper(): Promise<RunKeeper> {
  let starting: Promise<Stack> | null = null;
  let files = 0;
  const chance = new CryptoChance();
  const envelope = new Envelope(new LocalKeyring(readMasterKeys({ MASTER_KEY: fromSetup('TEST_MASTER_KEY'), MASTER_KEY_FILE: undefined }), chance), chance);

  /** The stack that files share is started for the first one. */
  const sharedStack = async (): Promise<SharedStackAddresses> => {
    starting ??= startStack({ redisUrl: `${fromSetup('TEST_REDIS_URL')}/${REDIS_DATABASE}` });
    const file = files++;
    const { apiUrl, simulatorUrl, database, redisUrl, logFolder, settings } = await starting;
    return { file, apiUrl, simulatorUrl, databaseName: database.name, redisUrl, logFolder, settings, logFiles: readdirSync(logFolder).map((name) => join(logFolder, name)) };
  };
  /** What the upload of a business's certificate would store. */
  const certificate = async ({ ruc, ...owner }: CertificateWanted): Promise<StoredCertificate> => {
    const { key, leaf } = keyAndCertificate(ruc);
    const { validFrom, validTo, ...described } = describeCertificate(leaf);
    const { subject, issuerName, serialNumber, fingerprintSha256 } = described;
    const sealed = await envelope.seal(key.privateKey.export({ type: 'pkcs8', format: 'der' }), owner);
    return {
      subject, issuerName, serialNumber, fingerprintSha256, validFrom: validFrom.toISOString(), validTo: validTo.toISOString(),
      certificateDer: leaf.toString('base64'), sealedKey: sealed.toString('base64'),
    };
  };
  const settings = { APP_ENV: 'local', TOKEN_KEYS: fromSetup('TEST_TOKEN_KEYS'), TOKEN_KEYS_FILE: undefined } as const;
  const tokens = new AccessTokens(settings as unknown as Settings, new SystemClock(), readTokenKeys(settings));
  /** Of a session that exists, as signing in would issue it. */
  const token = (claims: Parameters<AccessTokens['issue']>[0]): string => tokens.issue(claims);

  const answer = async (request: IncomingMessage): Promise<unknown> => {
    const body = await text(request);
    switch (request.url) {
      case '/stack':
        return sharedStack();
      case '/certificate':
        return certificate(JSON.parse(body) as CertificateWanted);
      case '/token':
        return token(JSON.parse(body) as Parameters<typeof token>[0]);
      default:
        throw new Error(`Nothing of the kind is kept: ${request.url}`);
    }
  };

  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await (await starting?.catch(() => null))?.stop();
    },
  };
}
