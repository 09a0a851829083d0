import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { openBox, sealBox } from '../../src/platform/secrets/sealed-box.js';

/** The token that it takes, and no other. */
export const TRANSIT_TOKEN = 's.token';

/** The part of Vault's HTTP interface that the service uses, with real encryption behind it. */
export class TransitEngine {
  readonly versions = [randomBytes(32)];
  /** Older ones are not opened any more, as its `min_decryption_version`. */
  oldest = 1;
  isSealed = false;
  /** It takes questions and answers none. */
  isSilent = false;
  private readonly server: Server;
  private readonly chance = new CryptoChance();

  private constructor() {
    this.server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        if (this.isSilent) return;
        const [status, data] = this.isSealed ? [503, 'Vault is sealed'] as const : request.headers['x-vault-token'] === TRANSIT_TOKEN ? this.answer(request.url ?? '', text) : [403, null];
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(status === 200 ? { data } : { errors: data === null ? [] : [data] }));
      });
    });
  }

  static async start(): Promise<TransitEngine> {
    const engine = new TransitEngine();
    await new Promise<void>((listening) => engine.server.listen(0, '127.0.0.1', listening));
    return engine;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Address of its key. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/transit/keys/sello`;
  }

  private answer(path: string, text: string): [number, unknown] {
    if (path === '/v1/transit/keys/sello') return [200, { latest_version: this.versions.length }];
    const body = JSON.parse(text) as { plaintext: string; ciphertext: string; associated_data: string };
    const associated = Buffer.from(body.associated_data, 'base64');
    if (path === '/v1/transit/encrypt/sello') {
      const box = sealBox(this.versions.at(-1)!, Buffer.from(body.plaintext, 'base64'), associated, this.chance);
      return [200, { ciphertext: `vault:v${this.versions.length}:${box.toString('base64')}` }];
    }
    if (path !== '/v1/transit/decrypt/sello') return [400, 'encryption key not found'];
    const [, named, box] = body.ciphertext.split(':');
    const version = Number(named?.slice(1));
    if (version < this.oldest) return [400, 'ciphertext or signature version is disallowed by policy (too old)'];
    const key = this.versions[version - 1];
    if (key === undefined) return [400, 'invalid ciphertext: version is too new'];
    try {
      return [200, { plaintext: openBox(key, Buffer.from(box ?? '', 'base64'), associated).toString('base64') }];
    } catch {
      return [400, 'cipher: message authentication failed'];
    }
  }
}
