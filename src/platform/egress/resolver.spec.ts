import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { NameServerResolver } from './resolver.js';

const [A, AAAA] = [1, 28];
const ADDRESSES: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>> = {
  'both.example': { [A]: [192, 0, 43, 7], [AAAA]: [0x20, 0x01, 0x05, 0, 0, 0x88, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0x10] },
  'four.example': { [A]: [192, 0, 43, 8] },
  'none.example': {},
};

/** Answers a question about a name of `ADDRESSES`; null: says nothing. */
function answerTo(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const known = ADDRESSES[labels.join('.')];
  if (known === undefined) return null;
  const type = query.readUInt16BE(at + 1);
  const address = known[type];
  const record = address === undefined ? [] : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address];
  return Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, address === undefined ? 0 : 1, 0, 0, 0, 0]), query.subarray(12, at + 5), Buffer.from(record)]);
}

describe('names as name servers tell them', () => {
  let server: Socket;
  let resolver: NameServerResolver;

  beforeAll(async () => {
    server = createSocket('udp4', (query, { port, address }) => {
      const answer = answerTo(query);
      if (answer !== null) server.send(answer, port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    resolver = new NameServerResolver([`127.0.0.1:${server.address().port}`]);
  });
  afterAll(() => void server.close());

  it('have all their addresses of both families, or of the one that they have', async () => {
    expect(await resolver.resolve('both.example')).toEqual(['192.0.43.7', '2001:500:88:200::10']);
    expect(await resolver.resolve('four.example')).toEqual(['192.0.43.8']);
  });

  it('end in an error where there is no address', async () => {
    await expect(resolver.resolve('none.example')).rejects.toThrow(/ENODATA/);
  });

  it('hold up no other, however many lead to servers that say nothing, and end', async () => {
    const silent = Array.from({ length: 20 }, (_, index) => resolver.resolve(`silent${index}.example`).catch((error: unknown) => (error as NodeJS.ErrnoException).code));
    let ended = 0;
    for (const one of silent) void one.then(() => (ended += 1));
    expect([await resolver.resolve('four.example'), ended]).toEqual([['192.0.43.8'], 0]);
    for (const code of await Promise.all(silent)) expect(code).toMatch(/^(?:ETIMEOUT|ECANCELLED)$/);
  });
});
