import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { Redis } from 'ioredis';
import { type EmbeddedRedis, findRedis, startEmbeddedRedis } from '../../src/platform/embedded/redis.js';
import { Business } from '../support/business.js';
import * as der from '../support/der-writer.js';
import { describeWhere } from '../support/describe-where.js';
import { certificate, ecPair, name, OID } from '../support/pki.js';
import { type Stack, startStack } from '../support/stack.js';

const PASSWORD = 'p@ss/wörd%1:?';
const YEAR_MS = 365 * 24 * 3_600_000;

/** What an authority of its own would issue to a server by the name of localhost. */
function identity(): { readonly key: string; readonly cert: string } {
  const key = ecPair('redis');
  const called = name([OID.cn, der.utf8('localhost')]);
  const san = der.sequence(der.tlv(0x82, Buffer.from('localhost')));
  const made = certificate({
    key, issuerKey: key, issuer: called, subject: called, ca: true, keyUsage: null, ruc: null, extensions: [['2.5.29.17', san]],
    validFrom: new Date(Date.now() - YEAR_MS), validTo: new Date(Date.now() + YEAR_MS),
  });
  return {
    key: key.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${made.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

const isReal = findRedis(process.env['PATH'] ?? '').kind !== 'js-redis-server';

describeWhere(isReal ? null : 'no redis-server or valkey-server on PATH', 'over a Redis that speaks TLS alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sello-redis-tls-'));
  const open = new Set<Socket>();
  /** What came that was no TLS. */
  const inClear: string[] = [];
  let redis: EmbeddedRedis;
  let front: Server;
  let admin: Redis;
  let stack: Stack;

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    admin = new Redis(redis.url);
    await admin.call('ACL', 'SETUSER', 'sello', 'on', `>${PASSWORD}`, '~*', '&*', '+@all');
    // With a user's name too, everybody else is kept out but this test, which is in already.
    await admin.call('ACL', 'SETUSER', 'default', 'off');
    const self = identity();
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, self.cert);
    front = createServer(self, (client) => {
      const server = connect(Number(new URL(redis.url).port), '127.0.0.1');
      for (const socket of [client, server]) {
        open.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => [client, server].forEach((one) => one.destroy()));
      }
      client.pipe(server).pipe(client);
    });
    front.on('tlsClientError', ({ message }) => inClear.push(message));
    await new Promise<void>((resolve) => front.listen(0, 'localhost', resolve));
    const url = `rediss://sello:${encodeURIComponent(PASSWORD)}@localhost:${(front.address() as AddressInfo).port}/3?connectionName=sello`;
    stack = await startStack({ env: { REDIS_URL: url, NODE_EXTRA_CA_CERTS: authority } });
  });
  afterAll(async () => {
    await stack.stop();
    admin.disconnect();
    for (const socket of open) socket.destroy();
    front.close();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('brings documents to the SRI by its jobs, and says nothing in clear', async () => {
    const business = await Business.open(stack);
    expect(await business.settled((await business.accepted()).document_id)).toMatchObject({ status: 'AUTHORIZED' });
    const ready = await fetch(`${stack.apiUrl}/health/ready`);
    expect([ready.status, ((await ready.json()) as { checks: { redis: string } }).checks.redis]).toEqual([200, 'ok']);
    expect(inClear).toEqual([]);
    expect(await admin.info('commandstats')).toMatch(/cmdstat_brpoplpush:calls=[1-9]/);
  });

  it('takes user, database and options from the address, for limits and the queue alike', async () => {
    const clients = ((await admin.client('LIST')) as string).trim().split('\n').filter((line) => !line.includes('user=default'));
    // Of limits and of the queue in either process, and the one of the worker that waits for jobs.
    expect(clients.length).toBeGreaterThan(4);
    for (const line of clients) expect(line).toMatch(/ db=3 .* user=sello/);
    // But where Bull gives a name of its own.
    expect(clients.filter((line) => line.includes(' name=sello ')).length).toBeGreaterThan(2);
  });
});
