import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import * as der from '../../../test/support/der-writer.js';
import { httpServer, rawServer, tlsServer, type LocalServer } from '../../../test/support/local-server.js';
import { certificate, name, OID, rsaPair } from '../../../test/support/pki.js';
import { TransportFailure, UndiciSoapTransport, type SoapLimits, type SoapResponse } from './transport.js';

const LIMITS: SoapLimits = { timeoutMs: 30_000, maxBytes: 64 * 1024 };
const opened: { close(): Promise<void> }[] = [];
const use = async (server: Promise<LocalServer>): Promise<LocalServer> => {
  const running = await server;
  opened.push(running);
  return running;
};
const transportWith = (options: ConstructorParameters<typeof UndiciSoapTransport>[0] = {}): UndiciSoapTransport => {
  const transport = new UndiciSoapTransport(options);
  opened.push(transport);
  return transport;
};
afterEach(async () => {
  // Servers first: a transport waits for the answers it still expects.
  for (const part of opened.splice(0).reverse()) await part.close();
});

async function failureOf(exchange: Promise<SoapResponse>): Promise<{ kind: string; reason: string }> {
  try {
    const { status } = await exchange;
    return { kind: 'answered', reason: String(status) };
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    return { kind: error.kind, reason: error.reason };
  }
}

describe('a proper exchange', () => {
  it('posts the envelope as SOAP 1.1 and brings back status, type and body', async () => {
    let request = {};
    const server = await use(
      httpServer((incoming, response, body) => {
        request = {
          method: incoming.method,
          url: incoming.url,
          type: incoming.headers['content-type'],
          action: incoming.headers['soapaction'],
          body: body.toString('utf8'),
        };
        response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' });
        response.end('<añ/>');
      }),
    );
    const answer = await transportWith().post(`${server.url}?x=1`, '<sobre>ñ</sobre>', LIMITS);
    expect(request).toEqual({
      method: 'POST',
      url: '/service?x=1',
      type: 'text/xml; charset=utf-8',
      action: '""',
      body: '<sobre>ñ</sobre>',
    });
    expect(answer).toMatchObject({
      status: 200,
      contentType: 'text/xml;charset=UTF-8',
      body: '<añ/>',
    });
  });

  it('decodes what the answer declares and drops a byte order mark', async () => {
    const bodies: [string | null, Buffer][] = [
      ['text/xml; charset=iso-8859-1', Buffer.from('<a>ñ</a>', 'latin1')],
      ['text/xml; charset="utf-8"', Buffer.from('\ufeff<a>ñ</a>')],
      ['text/xml; charset=nonsense-9', Buffer.from('<a>ñ</a>')],
      ['text/xml', Buffer.from('<a>ñ</a>')],
    ];
    const server = await use(
      httpServer((incoming, response) => {
        const [type, bytes] = bodies[Number(new URL(incoming.url ?? '', 'http://x').searchParams.get('i'))]!;
        response.writeHead(200, { 'content-type': type ?? '' });
        response.end(bytes);
      }),
    );
    for (let i = 0; i < bodies.length; i++) {
      expect((await transportWith().post(`${server.url}?i=${String(i)}`, '', LIMITS)).body).toBe('<a>ñ</a>');
    }
  });

  it.each<[string, string, BufferEncoding, string]>([
    ['that of the XML declaration', '<?xml version="1.0" encoding="ISO-8859-1"?><a>ñ</a>', 'latin1', 'text/xml'],
    ['that of a declaration in single quotes', "<?xml version='1.0' encoding='windows-1252' standalone='yes'?><a>ñ</a>", 'latin1', 'text/xml'],
    ['that of the header before it', '<?xml version="1.0" encoding="ISO-8859-1"?><a>ñ</a>', 'utf8', 'text/xml;charset=UTF-8'],
    ['that of a byte order mark before it', '\ufeff<?xml version="1.0" encoding="ISO-8859-1"?><a>ñ</a>', 'utf8', 'text/xml'],
    ['UTF-8 where the declared one is unknown', '<?xml version="1.0" encoding="nonsense-9"?><a>ñ</a>', 'utf8', 'text/xml'],
    ['UTF-8 where the declared one cannot be', '<?xml version="1.0" encoding="UTF-16"?><a>ñ</a>', 'utf8', 'text/xml'],
    ['UTF-8 where only the text speaks of one', '<a>ñ encoding="ISO-8859-1"</a>', 'utf8', 'text/xml'],
  ])('decodes by %s', async (_name, text, encoding, type) => {
    const server = await use(
      httpServer((_incoming, response) => {
        response.writeHead(200, { 'content-type': type });
        response.end(Buffer.from(text, encoding));
      }),
    );
    expect((await transportWith().post(server.url, '', LIMITS)).body).toBe(text.replace('\ufeff', ''));
  });

  it('keeps connections', async () => {
    const ports = new Set<number | undefined>();
    const server = await use(
      httpServer((incoming, response) => {
        ports.add(incoming.socket.remotePort);
        response.end('ok');
      }),
    );
    const transport = transportWith();
    for (let i = 0; i < 20; i++) await transport.post(server.url, 'x', LIMITS);
    // A second one opens when a request comes in the very turn in which an answer ends.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('a service that does not answer keeps no connection of another on the same host', async () => {
    let asked = 0;
    const server = await use(
      httpServer((incoming, response) => {
        if (incoming.url !== '/silent') response.end('ok');
        else asked += 1;
      }),
    );
    const { origin } = new URL(server.url);
    const transport = transportWith({ connections: 2 });
    const silent = Array.from({ length: 4 }, () => failureOf(transport.post(`${origin}/silent`, 'x', LIMITS)));
    while (asked < 2) await wait(10);
    expect((await transport.post(`${origin}/other`, 'x', LIMITS)).body).toBe('ok');
    expect(asked).toBe(2);
    await server.close();
    expect(new Set((await Promise.all(silent)).map(({ kind }) => kind))).toEqual(new Set(['no_answer', 'not_delivered']));
  });

  it('follows no redirect', async () => {
    const elsewhere = await use(httpServer((_incoming, response) => response.end('ok')));
    const server = await use(
      httpServer((_incoming, response) => {
        response.writeHead(302, { location: elsewhere.url });
        response.end();
      }),
    );
    expect((await transportWith().post(server.url, 'x', LIMITS)).status).toBe(302);
    expect(elsewhere.seen.count).toBe(0);
  });

  it('passes on Retry-After and error bodies', async () => {
    const server = await use(
      httpServer((_incoming, response) => {
        response.writeHead(503, { 'retry-after': '120', 'content-type': 'text/html' });
        response.end('<html>mantenimiento</html>');
      }),
    );
    expect(await transportWith().post(server.url, 'x', LIMITS)).toMatchObject({
      status: 503,
      retryAfter: '120',
      body: '<html>mantenimiento</html>',
    });
  });
});

describe('surely not delivered', () => {
  it('connection refused', async () => {
    const server = await httpServer((_incoming, response) => response.end());
    await server.close();
    expect(await failureOf(transportWith().post(server.url, 'x', LIMITS))).toEqual({
      kind: 'not_delivered',
      reason: 'connection refused (ECONNREFUSED)',
    });
  });

  it('a host that does not exist', async () => {
    const failure = await failureOf(transportWith().post('http://no-such-host.invalid/x', 'x', LIMITS));
    expect(failure.kind).toBe('not_delivered');
    expect(failure.reason).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  const identity = (bytes: Buffer, key = rsaPair()): { key: string; cert: string } => ({
    key: key.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    cert: new X509Certificate(bytes).toString(),
  });
  const authorityName = name([OID.cn, der.utf8('RAIZ DE PRUEBA')]);
  const authority = certificate({
    key: rsaPair('authority'),
    issuerKey: rsaPair('authority'),
    issuer: authorityName,
    subject: authorityName,
    ca: true,
    keyUsage: ['keyCertSign'],
    ruc: null,
  });
  const serverCertificate = (over: { validTo?: Date; host?: Buffer } = {}): Buffer =>
    certificate({
      issuer: authorityName,
      subject: name([OID.cn, der.utf8('127.0.0.1')]),
      keyUsage: ['digitalSignature', 'keyEncipherment'],
      ruc: null,
      validFrom: new Date('2020-01-01'),
      validTo: over.validTo ?? new Date('2060-01-01'),
      extensions: [['2.5.29.17', der.sequence(over.host ?? der.tlv(0x87, Buffer.from([127, 0, 0, 1])))]],
    });
  const ca = new X509Certificate(authority).toString();

  it.each([
    ['an unknown authority', {}, undefined],
    ['an expired certificate', { validTo: new Date('2021-01-01') }, ca],
    ['the certificate of another host', { host: der.tlv(0x82, Buffer.from('otro.example')) }, ca],
  ])('TLS with %s', async (_name, over, trusted) => {
    const server = await use(tlsServer(identity(serverCertificate(over)), (_incoming, response) => response.end('ok')));
    const failure = await failureOf(
      transportWith(trusted === undefined ? {} : { ca: trusted }).post(server.url, 'x', LIMITS),
    );
    expect(failure).toEqual({ kind: 'not_delivered', reason: expect.stringContaining('TLS refused') });
    expect(server.seen.count).toBe(0);
  });

  it('but a changed, valid certificate works', async () => {
    for (const key of [rsaPair(), rsaPair('b')]) {
      const bytes = certificate({
        key,
        issuer: authorityName,
        subject: name([OID.cn, der.utf8('x')]),
        keyUsage: ['digitalSignature'],
        ruc: null,
        validTo: new Date('2060-01-01'),
        extensions: [['2.5.29.17', der.sequence(der.tlv(0x87, Buffer.from([127, 0, 0, 1])))]],
      });
      const server = await use(tlsServer(identity(bytes, key), (_incoming, response) => response.end('ok')));
      expect(await transportWith({ ca }).post(server.url, 'x', LIMITS)).toMatchObject({ status: 200, body: 'ok' });
    }
  });

  it('a TLS handshake that never answers, or is cut', async () => {
    const silent = await use(rawServer(() => undefined));
    const failure = await failureOf(
      transportWith({ connectTimeoutMs: 300 }).post(silent.url.replace('http:', 'https:'), 'x', LIMITS),
    );
    expect(failure.kind).toBe('not_delivered');
    const cutting = await use(rawServer((socket) => socket.once('data', () => socket.destroy())));
    expect((await failureOf(transportWith().post(cutting.url.replace('http:', 'https:'), 'x', LIMITS))).kind).toBe(
      'not_delivered',
    );
  });

  it('the deadline passes while all connections are busy; it is not sent later', async () => {
    const bodies: string[] = [];
    let answer: (() => void) | undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let arrive: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const server = await use(
      httpServer((_incoming, response, body) => {
        bodies.push(body.toString());
        arrive?.();
        void answered.then(() => response.end('ok'));
      }),
    );
    const transport = transportWith({ connections: 1 });
    const first = transport.post(server.url, 'first', LIMITS);
    await arrived;
    const second = failureOf(transport.post(server.url, 'second', { ...LIMITS, timeoutMs: 200 }));
    expect(await second).toMatchObject({ kind: 'not_delivered' });
    answer?.();
    expect((await first).body).toBe('ok');
    await wait(200);
    expect(bodies).toEqual(['first']);
    expect((await transport.post(server.url, 'third', LIMITS)).body).toBe('ok');
  });
});

describe('no answer: it may have been delivered', () => {
  it.each([
    ['reset after the request', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['closed after the request', (socket: Socket) => socket.once('data', () => socket.end())],
    [
      'reset in the headers',
      (socket: Socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.resetAndDestroy())),
    ],
    [
      'cut in the body',
      (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<a>')),
    ],
    [
      'cut in a chunked body',
      (socket: Socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<a>')),
    ],
    ['nonsense instead of HTTP', (socket: Socket) => socket.once('data', () => socket.end('no soy HTTP\r\n\r\n'))],
  ])('%s', async (_name, behave) => {
    const server = await use(rawServer(behave));
    expect((await failureOf(transportWith().post(server.url, 'x', LIMITS))).kind).toBe('no_answer');
    await wait(100);
    // Not once more by itself.
    expect(server.seen.count).toBe(1);
  });

  // Over a connection that stands: to make one may take longer than that on a busy machine.
  it('silence until the deadline', async () => {
    const server = await use(
      httpServer((_incoming, response, body) => {
        if (body.toString() === 'first') response.end('ok');
      }),
    );
    const transport = transportWith({ connections: 1 });
    await transport.post(server.url, 'first', LIMITS);
    const failure = await failureOf(transport.post(server.url, 'x', { ...LIMITS, timeoutMs: 300 }));
    expect(failure).toEqual({ kind: 'no_answer', reason: 'no complete answer within 300 ms' });
  });

  it('one byte at a time: the total counts, not the pauses', async () => {
    const server = await use(
      rawServer((socket) => {
        let requests = 0;
        socket.on('data', (data) => {
          if (!data.includes('POST ')) return;
          requests += 1;
          if (requests === 1) return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
          const timer = setInterval(() => socket.write('x'), 50);
          socket.on('close', () => clearInterval(timer));
        });
      }),
    );
    const transport = transportWith({ connections: 1 });
    await transport.post(server.url, 'first', LIMITS);
    const failure = await failureOf(transport.post(server.url, 'x', { ...LIMITS, timeoutMs: 700 }));
    expect(failure).toEqual({ kind: 'no_answer', reason: 'no complete answer within 700 ms' });
  });

  it.each(['with its length', 'without'])('a huge body %s is not read to its end', async (announced) => {
    let written = 0;
    const server = await use(
      httpServer((_incoming, response) => {
        response.writeHead(200, announced === 'with its length' ? { 'content-length': String(20 * 1024 * 1024) } : {});
        const more = (): void => {
          while (written < 20 * 1024 * 1024) {
            written += 65_536;
            if (!response.write(Buffer.alloc(65_536, 0x20))) return void response.once('drain', more);
          }
          response.end();
        };
        response.on('close', () => (written = Math.max(written, 0)));
        more();
      }),
    );
    const failure = await failureOf(transportWith().post(server.url, 'x', LIMITS));
    expect(failure).toEqual({ kind: 'no_answer', reason: 'the answer exceeds 65536 bytes' });
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  it('a kept connection that the peer closes just as we send', async () => {
    let requests = 0;
    const server = await use(
      rawServer((socket) => {
        socket.on('data', () => {
          requests += 1;
          if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          else socket.resetAndDestroy();
        });
      }),
    );
    const transport = transportWith();
    expect((await transport.post(server.url, 'x', LIMITS)).body).toBe('ok');
    expect((await failureOf(transport.post(server.url, 'x', LIMITS))).kind).toBe('no_answer');
    await wait(100);
    expect(requests).toBe(2);
  });

  it('an idle connection that the peer closed is not used', async () => {
    let closed = Promise.resolve();
    const server = await use(
      rawServer((socket) => {
        // Once the other side has ended it too.
        closed = new Promise((resolve) => socket.once('close', () => resolve()));
        socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', () => socket.end()));
      }),
    );
    const transport = transportWith();
    for (let i = 0; i < 3; i++) {
      expect((await transport.post(server.url, 'x', LIMITS)).body).toBe('ok');
      await closed;
    }
    expect(server.seen.count).toBe(3);
  });
});
