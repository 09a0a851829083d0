import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TRANSIT_TOKEN as TOKEN, TransitEngine } from '../../../test/support/transit-engine.js';
import { CryptoChance } from '../adapters/crypto-chance.js';
import { Envelope } from './envelope.js';
import { KeeperAwayError, KeeperSilentError, KeyUnavailableError } from './key-wrapper.js';
import { VaultTransit } from './vault-transit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const chance = new CryptoChance();
const owner = { tenantId: 't-1', issuerId: 'i-1', certificateId: 'c-1' };
const secret = Buffer.from('the private key of somebody');

describe('a master key kept by Vault', () => {
  let engine: TransitEngine;
  let envelope: Envelope;

  beforeAll(async () => {
    engine = await TransitEngine.start();
    envelope = new Envelope(new VaultTransit(engine.url, () => TOKEN), chance);
  });
  afterAll(() => engine.stop());

  it('seals and opens without ever being seen', async () => {
    const sealed = await envelope.seal(secret, owner);
    expect(await envelope.open(sealed, owner)).toEqual(secret);
    await expect(envelope.open(sealed, { ...owner, issuerId: 'i-2' })).rejects.toThrow(KeyUnavailableError);
    expect(sealed.includes(secret.subarray(4, 15))).toBe(false);
  });

  it('is rotated by Vault, and secrets are wrapped anew under the latest version', async () => {
    const sealed = await envelope.seal(secret, owner);
    expect(await envelope.rewrap(sealed, owner)).toBeNull();
    engine.versions.push(randomBytes(32));
    expect(await envelope.open(sealed, owner)).toEqual(secret);
    const anew = await envelope.rewrap(sealed, owner);
    expect(await envelope.open(anew!, owner)).toEqual(secret);
    expect(await envelope.rewrap(anew!, owner)).toBeNull();
  });

  it.each<[string, (url: string) => VaultTransit]>([
    ['a wrong token', (url) => new VaultTransit(url, () => 'other')],
    ['another key', (url) => new VaultTransit(url.replace('sello', 'other'), () => TOKEN)],
    ['nobody at the address', () => new VaultTransit('http://127.0.0.1:9/v1/transit/keys/sello', () => TOKEN)],
  ])('%s leaves the secret for later', async (_name, keeper) => {
    const sealed = await envelope.seal(secret, owner);
    await expect(new Envelope(keeper(engine.url), chance).open(sealed, owner)).rejects.toThrow(KeyUnavailableError);
  });

  it('a version that was retired, or that a restored Vault does not have yet, leaves the secret for later', async () => {
    const sealed = await envelope.seal(secret, owner);
    engine.oldest = engine.versions.length + 1;
    await expect(envelope.open(sealed, owner)).rejects.toMatchObject({ name: 'KeyUnavailableError' });
    engine.oldest = 1;
    const newest = engine.versions.pop()!;
    await expect(envelope.open(sealed, owner)).rejects.toThrow(KeyUnavailableError);
    engine.versions.push(newest);
    expect(await envelope.open(sealed, owner)).toEqual(secret);
  });

  it('another key under the same name leaves the secret for later, for nobody can tell it from damage; a damaged secret is given up', async () => {
    const own = new VaultTransit(engine.url, () => TOKEN);
    const sealed = await envelope.seal(secret, owner);
    const right = engine.versions.pop()!;
    engine.versions.push(randomBytes(32));
    // Also where it has opened what was sealed under the new one.
    expect(await new Envelope(own, chance).open(await envelope.seal(secret, owner), owner)).toEqual(secret);
    await expect(new Envelope(own, chance).open(sealed, owner)).rejects.toMatchObject({ name: 'KeyUnavailableError', message: expect.stringContaining('another key') });
    await expect(envelope.rewrap(sealed, owner)).rejects.toThrow(KeyUnavailableError);
    engine.versions.splice(-1, 1, right);
    sealed[sealed.length - 1]! ^= 1;
    await expect(envelope.open(sealed, owner)).rejects.toMatchObject({ name: 'EnvelopeError' });
  });

  /** A Vault of its own that answers as it is told to. */
  async function standIn(answer: (response: ServerResponse) => void): Promise<{ readonly isCurrent: () => Promise<boolean>; stop(): void }> {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const keeper = new VaultTransit(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/transit/keys/sello`, () => TOKEN);
    return {
      isCurrent: () => keeper.isCurrent('vault:sello:v3'),
      stop: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  it.each<[string, (response: ServerResponse) => void]>([
    ['says nothing', () => undefined],
    ['falls silent in the middle of an answer', (response) => void response.write('{"data":')],
  ])('that %s is told from one that refuses', async (_name, silence) => {
    const vault = await standIn(silence);
    // What watches the time must outlive every collection of garbage.
    const collecting = setInterval(collectGarbage, 20);
    try {
      const asked = Array.from({ length: 20 }, () => vault.isCurrent());
      for (const one of asked) await expect(one).rejects.toThrow(KeeperSilentError);
    } finally {
      clearInterval(collecting);
      vault.stop();
    }
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['is sealed', (response) => void response.writeHead(503).end('{"errors":["Vault is sealed"]}')],
    ['refuses the token', (response) => void response.writeHead(403).end('{"errors":["permission denied"]}')],
    ['is a page of something else', (response) => void response.writeHead(200).end('<html>')],
  ])('that %s is away for every secret', async (_name, answer) => {
    const vault = await standIn(answer);
    try {
      await expect(vault.isCurrent()).rejects.toThrow(KeeperAwayError);
    } finally {
      vault.stop();
    }
  });

  it('that breaks a connection is not taken for silent', async () => {
    const vault = await standIn((response) => response.socket?.destroy());
    try {
      await expect(vault.isCurrent()).rejects.toMatchObject({ name: 'KeeperAwayError', message: expect.stringContaining('does not answer') });
    } finally {
      vault.stop();
    }
  });

  it('needs the address of a key', () => expect(() => new VaultTransit('http://vault/v1/transit', () => TOKEN)).toThrow('/keys/NAME'));
});
