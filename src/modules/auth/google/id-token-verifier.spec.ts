import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JwtService } from '@nestjs/jwt';
import { IdTokenVerifier } from './id-token-verifier.js';

const START = Date.parse('2026-11-22T15:00:00Z');
const HOUR_S = 3_600;
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('the keys of an identity provider', () => {
  let server: Server;
  let fetched: number;
  let now: number;
  let verifier: IdTokenVerifier;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      fetched += 1;
      response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  beforeEach(() => {
    [fetched, now] = [0, START];
    const { port } = server.address() as AddressInfo;
    const settings = { GOOGLE_CLIENT_ID: 'client', GOOGLE_ISSUER: 'https://provider.test', GOOGLE_JWKS_URL: `http://127.0.0.1:${port}/` };
    verifier = new IdTokenVerifier(settings as never, { now: () => new Date(now) });
  });

  /** How often the keys have been fetched once a token of then was verified. */
  const fetchedAt = async (seconds: number): Promise<number> => {
    now = START + seconds * 1_000;
    const iat = now / 1_000;
    const claims = { iss: 'https://provider.test', aud: 'client', sub: 's', email: 'a@b.test', nonce: 'n', iat, exp: iat + 60 };
    const token = new JwtService({}).sign(claims, { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }), algorithm: 'RS256', keyid: 'k' });
    expect(await verifier.verify(token, 'n')).toMatchObject({ subject: 's' });
    return fetched;
  };

  it('are fetched anew after an hour, and where the clock is put back', async () => {
    const times: number[] = [];
    for (const seconds of [0, HOUR_S, HOUR_S + 1, 0, HOUR_S, HOUR_S + 1]) times.push(await fetchedAt(seconds));
    expect(times).toEqual([1, 1, 2, 3, 3, 4]);
  });
});
