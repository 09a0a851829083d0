import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expectEnvelope, expectUnspent, type Refusal, WITHOUT_SRI, withinTime } from '../../support/bad-input.js';
import { Business } from '../../support/business.js';
import { type Answer, call } from '../../support/http.js';
import { ASKED_FOR_POLLUTION, expectUnpolluted } from '../../support/prototype.js';
import { type Stack, startStack } from '../../support/stack.js';

const LARGE_HEAD = 'La dirección y las cabeceras son demasiado grandes en conjunto. Acórtelas; las cookies cuentan.';

describe('the transport', () => {
  let stack: Stack;
  let business: Business;
  /** Goes on while the other tests run. */
  let slow: Promise<{ text: string; sent: number }>;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: { ...WITHOUT_SRI, ...ASKED_FOR_POLLUTION } });
    business = await Business.open(stack);
    slow = slowly();
  });
  afterAll(() => stack.stop());

  /** Bytes to an address, with headers as told. */
  const send = (body: string | Uint8Array, headers: Record<string, string> = {}, path = '/documents'): Promise<Answer<Refusal>> =>
    call<Refusal>(stack.apiUrl, 'POST', path, { apiKey: business.apiKey, body, headers });

  /**
   * Raw bytes on a socket of their own; answers all that came back until the server closed or fell silent. The patience is
   * less than the service's with a request, which ends any connection.
   */
  const raw = (text: string | Buffer, silenceMs = 20_000): Promise<{ text: string; closed: boolean }> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(stack.apiUrl);
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.setTimeout(silenceMs, () => {
        socket.destroy();
        resolve({ text: answer, closed: false });
      });
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
      socket.on('close', () => resolve({ text: answer, closed: true }));
      socket.on('error', () => resolve({ text: answer, closed: true }));
      socket.write(text);
    });

  const head = (lines: string[], first = 'POST /documents HTTP/1.1'): string =>
    [first, 'Host: localhost', `X-API-Key: ${business.apiKey}`, ...lines, '', ''].join('\r\n');

  /** The error of an answer as it came over the wire: whole, with its id in header and envelope. */
  const expectRawEnvelope = (text: string): Refusal['error'] => {
    const [top = '', body = ''] = text.split('\r\n\r\n');
    expect(top).toMatch(/^Content-Type: application\/json/im);
    const { error } = JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as Refusal;
    expect(error.request_id).toBe(/^X-Request-Id: (.+)$/im.exec(top)?.[1]?.trim());
    return error;
  };

  /** A request whose body comes one byte a second, without end: what came back until the server closed, and how many were sent. */
  const slowly = (): Promise<{ text: string; sent: number }> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(stack.apiUrl);
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.write(head(['Content-Type: application/json', 'Content-Length: 1000']));
      let sent = 0;
      const drip = setInterval(() => {
        sent += 1;
        socket.write(' ');
      }, 1_000);
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(drip);
        resolve({ text, sent });
      });
    });

  describe('bodies', () => {
    const invoice = (): string => JSON.stringify(business.invoice());
    const deep = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

    const cases: [name: string, body: () => string | Uint8Array, headers: Record<string, string>, status: number, code: string][] = [
      ['B1 empty', () => '', {}, 400, 'MALFORMED_REQUEST'],
      ['B2 no JSON', () => 'hello', {}, 400, 'MALFORMED_REQUEST'],
      ['B2 truncated', () => invoice().slice(0, -10), {}, 400, 'MALFORMED_REQUEST'],
      ['B2 a trailing comma', () => '{"a":1,}', {}, 400, 'MALFORMED_REQUEST'],
      ['B2 a comment', () => '{"a":1} // x', {}, 400, 'MALFORMED_REQUEST'],
      ['B2 NaN', () => '{"total":NaN}', {}, 400, 'MALFORMED_REQUEST'],
      ['B3 a list', () => `[${invoice()}]`, {}, 422, 'VALIDATION_FAILED'],
      ['B3 a text', () => '"x"', {}, 422, 'VALIDATION_FAILED'],
      ['B3 a number', () => '7', {}, 422, 'VALIDATION_FAILED'],
      ['B3 null', () => 'null', {}, 422, 'VALIDATION_FAILED'],
      ['B4 plain text', invoice, { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B4 XML', () => '<a/>', { 'content-type': 'application/xml' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B4 a form', () => 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B4 multipart where no file belongs', () => '--x--', { 'content-type': 'multipart/form-data; boundary=x' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B4 JSON of another kind', invoice, { 'content-type': 'application/json-patch+json' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B5 UTF-16 declared', invoice, { 'content-type': 'application/json; charset=utf-16' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B5 Latin-1 declared', invoice, { 'content-type': 'application/json; charset=iso-8859-1' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B5 UTF-16 undeclared', () => Buffer.from(invoice(), 'utf16le'), {}, 400, 'MALFORMED_REQUEST'],
      ['B6 a byte order mark', () => `\ufeff${invoice()}`, {}, 400, 'MALFORMED_REQUEST'],
      ['B7 invalid UTF-8', () => Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')]), {}, 400, 'MALFORMED_REQUEST'],
      ['B7 an overlong sequence', () => Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]), {}, 400, 'MALFORMED_REQUEST'],
      ['B7 a surrogate in UTF-8', () => Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]), {}, 400, 'MALFORMED_REQUEST'],
      ['B9 gzip', () => gzipSync(invoice()), { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B9 a gzip bomb', () => gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['B10 10,000 levels', () => deep(10_000), {}, 400, 'MALFORMED_REQUEST'],
      ['B10 21 levels', () => deep(20), {}, 400, 'MALFORMED_REQUEST'],
      ['B11 a key given twice', () => '{"total":"1","total":"2"}', {}, 400, 'MALFORMED_REQUEST'],
      ['B11 a key given twice in a line', () => '{"lines":[{"subtotal":"1","subt\\u006ftal":"2"}]}', {}, 400, 'MALFORMED_REQUEST'],
      ['B12 __proto__', () => invoice().replace('{', '{"__proto__":{"polluted":true},'), {}, 422, 'VALIDATION_FAILED'],
      ['B12 constructor', () => invoice().replace('{', '{"constructor":{"prototype":{"polluted":true}},'), {}, 422, 'VALIDATION_FAILED'],
      ['B12 prototype in a line', () => invoice().replace('[{', '[{"prototype":{},'), {}, 422, 'VALIDATION_FAILED'],
      ['B12 constructor in the place of a text', () => JSON.stringify(business.invoice({ buyer_email: { constructor: { prototype: { polluted: true } } } })), {}, 422, 'VALIDATION_FAILED'],
      ['B12 __proto__ in the place of an id', () => invoice().replace(/"issuer_id":"[^"]*"/, '"issuer_id":{"__proto__":{"polluted":true}}'), {}, 422, 'VALIDATION_FAILED'],
      ['B13 10,000 unknown keys', () => JSON.stringify({ ...business.invoice(), ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 1])) }), {}, 422, 'VALIDATION_FAILED'],
    ];

    it.each(cases)('%s', async (_name, body, headers, status, code) => {
      const answer = await withinTime(send(body(), headers));
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expectEnvelope(answer);
    });

    it('B12 leave the objects of the service as they were', async () => {
      await expectUnpolluted(stack);
    });

    it('B4 without a content type are refused', async () => {
      const answer = await withinTime(raw(head(['Content-Length: 2', 'Connection: close']) + '{}'));
      expect(answer.text).toMatch(/^HTTP\/1\.1 415/);
      expect(answer.text).toContain('UNSUPPORTED_MEDIA_TYPE');
    });

    it.each(['status', 'sequential', 'access_key', 'tenant_id', 'authorization_number', 'id', 'created_at', 'version', 'error'])('B14 do not set %s of a document', async (field) => {
      const answer = await business.call<Refusal>('POST', '/documents', { ...business.invoice(), [field]: 'x' });
      expect([answer.status, answer.body.detail?.map(({ type }) => type)]).toEqual([422, ['extra_forbidden']]);
    });

    it.each(['PATCH /issuers/{id}', 'POST /issuers', 'POST /documents/drafts', 'POST /documents/validate', 'POST /auth/api-keys', 'POST /tenant/members/invite', 'POST /auth/login', 'POST /auth/signup'])(
      'B14 do not set what is not listed: %s',
      async (route) => {
        const [method = '', path = ''] = route.split(' ');
        for (const field of ['id', 'tenant_id', 'created_at', 'is_platform_admin', 'role_', '__proto__']) {
          const answer = await business.call<Refusal>(method, path.replace('{id}', business.issuerId), `{"${field}":"x"}`);
          expect([field, answer.body.detail?.filter(({ type }) => type === 'extra_forbidden').map(({ loc }) => loc)]).toEqual([field, [['body', field]]]);
        }
      },
    );

    it('B1 of a retry-like call without body need no content type', async () => {
      const answer = await business.call<Refusal>('POST', `/issuers/${business.issuerId}/certificates/${randomUUID()}/activate`);
      expect(answer.status).toBe(404);
    });

    it('B8 over the limit are refused and the connection ends: declared', async () => {
      const { text, closed } = await raw(head(['Content-Type: application/json', 'Content-Length: 2000000']) + '{"a":1');
      expect(text).toContain('HTTP/1.1 413');
      expect(text).toContain('PAYLOAD_TOO_LARGE');
      expect(closed).toBe(true);
    });

    it('B8 over the limit, endlessly, are refused before they end', async () => {
      const chunk = `100000\r\n${'x'.repeat(1_048_576)}\r\n`;
      const { text, closed } = await raw(head(['Content-Type: application/json', 'Transfer-Encoding: chunked']) + chunk.repeat(12));
      expect(closed).toBe(true);
      // The answer may be lost where the sender goes on regardless; what may not happen is that the service reads on.
      expect(text === '' || text.startsWith('HTTP/1.1 413')).toBe(true);
      expect((await business.call('GET', '/issuers')).status).toBe(200);
    });

    it('B8 that the sender breaks off harm nobody', async () => {
      const { hostname, port } = new URL(stack.apiUrl);
      for (let index = 0; index < 20; index += 1) {
        const socket = connect(Number(port), hostname);
        socket.write(head(['Content-Type: application/json', 'Content-Length: 1000']) + '{"a":');
        await new Promise((resolve) => setTimeout(resolve, 5));
        socket.destroy();
      }
      expect((await business.call('GET', '/issuers')).status).toBe(200);
    });

    it('B8 over the limit are refused and the connection ends: in chunks', async () => {
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      const { text, closed } = await raw(head(['Content-Type: application/json', 'Transfer-Encoding: chunked']) + chunk.repeat(17));
      expect(text).toContain('HTTP/1.1 413');
      expect(closed).toBe(true);
    });

    it('B8 of exactly the limit are read', async () => {
      const padded = `{"a":"${'x'.repeat(1_048_576 - 8)}"}`;
      expect(Buffer.byteLength(padded)).toBe(1_048_576);
      expect((await send(padded)).status).toBe(400); // required fields are missing; the size is none of the findings
      expect((await send(`${padded} `)).status).toBe(413);
    });

    it('B13 of as many members as may be are judged, of more refused', async () => {
      const keys = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":1`).join(',')}}`;
      expect((await withinTime(send(keys(100_000)))).status).toBe(400); // required fields are missing
      const answer = await withinTime(send(keys(100_001)));
      expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'MALFORMED_REQUEST', detail: { reason: 'too_many_members', max_members: 100_000 } }]);
    });

    it('are judged behind the count of calls', async () => {
      const answer = await send('hello');
      expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([400, expect.stringMatching(/^[0-9]+$/)]);
    });
  });

  describe('bodies of whoever has proved nothing', () => {
    const large = `{${Array.from({ length: 130_000 }, (_, index) => `"${index.toString(36)}":1`).join(',')}}`;
    const bodies: [name: string, body: string | Uint8Array, headers: Record<string, string>][] = [
      ['no JSON', 'hello', {}],
      ['130,000 keys', large, {}],
      ['too large', 'x'.repeat(2_000_000), {}],
      ['plain text', 'hello', { 'content-type': 'text/plain' }],
      ['gzip', gzipSync('{}'), { 'content-encoding': 'gzip' }],
      ['a form', '--x--', { 'content-type': 'multipart/form-data; boundary=x' }],
    ];

    it.each(bodies)('%s are not looked at', async (_name, body, headers) => {
      const bad = { ...headers, 'x-api-key': `${business.apiKey.slice(0, -1)}!` };
      for (const path of ['/documents', '/products/import', `/issuers/${business.issuerId}/certificates`, '/auth/api-keys']) expect([path, (await send(body, bad, path)).body.error.code]).toEqual([path, 'UNAUTHENTICATED']);
      for (const path of ['/nothing', '/documents/', '/']) expect([path, (await send(body, bad, path)).body.error.code]).toEqual([path, 'NOT_FOUND']);
    });

    const stranger = (lines: string[], first = 'POST /documents HTTP/1.1'): string => [first, 'Host: localhost', 'Content-Type: application/json', ...lines, '', ''].join('\r\n');

    it('B8 are not waited for', async () => {
      const startedAt = performance.now();
      const { text, closed } = await raw(`${stranger(['Content-Length: 1000000'])}{"a":1`, 10_000);
      expect(text).toMatch(/^HTTP\/1\.1 401/);
      expect(expectRawEnvelope(text)).toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(closed).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(8_000);
    });

    it('B8 are not read without end', async () => {
      const chunk = `100000\r\n${'x'.repeat(1_048_576)}\r\n`;
      const { text, closed } = await raw(stranger(['Transfer-Encoding: chunked']) + chunk.repeat(20));
      expect(closed).toBe(true);
      // The answer may be lost where the sender goes on regardless.
      expect(text === '' || text.startsWith('HTTP/1.1 401')).toBe(true);
    });

    it('that are whole leave the connection to the next call', async () => {
      const refused = (path: string): string => `${stranger(['Content-Length: 9'], `POST ${path} HTTP/1.1`)}{"a":"b"}`;
      const { text } = await raw(`${refused('/documents')}${refused('/nothing')}${head(['Connection: close'], 'GET /issuers HTTP/1.1')}`);
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    });

    it.each(['/auth/login', '/auth/signup', '/auth/logout', '/auth/invitations/accept', '/auth/password/forgot'])('B8 may be of 16 KB at %s', async (path) => {
      const padded = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
      const sent = await Promise.all([16_384, 16_385].map((bytes) => call(stack.apiUrl, 'POST', path, { body: padded(bytes) })));
      expect(sent.map(({ status }) => String(status))).toEqual([expect.not.stringContaining('413'), '413']);
      expect(sent[1]?.body.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', detail: { max_bytes: 16_384 } });
    });
  });

  it('B8 bodies that a caller leaves half sent take no room from others', async () => {
    const other = await Business.open(stack, { certificate: null });
    const { hostname, port } = new URL(stack.apiUrl);
    const sockets = Array.from({ length: 17 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`${head(['Content-Type: application/json', 'Content-Length: 1048576'])}"${'x'.repeat(1_047_999)}`);
      return socket;
    });
    const post = (caller: Business): Promise<Answer<Refusal>> => caller.call<Refusal>('POST', '/documents/validate', { padding: 'x'.repeat(300_000) });
    let answer = await post(business);
    for (const until = performance.now() + 60_000; answer.status !== 503 && performance.now() < until;) answer = await post(business);
    expect([answer.status, answer.body.error, answer.headers.get('retry-after')]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE', detail: { reason: 'too_many_bodies' } }, '5']);
    expect((await post(other)).status).toBe(400);
    for (const socket of sockets) socket.destroy();
    for (const until = performance.now() + 60_000; answer.status === 503 && performance.now() < until;) answer = await post(business);
    expect(answer.status).toBe(400);
  });

  describe('the wire', () => {
    it.each([
      ['B15 both lengths', () => head(['Content-Type: application/json', 'Content-Length: 5', 'Transfer-Encoding: chunked']) + '0\r\n\r\nX'],
      ['B15 two lengths', () => head(['Content-Type: application/json', 'Content-Length: 5', 'Content-Length: 6']) + '{"a":1'],
      ['B15 an obscure transfer encoding', () => head(['Content-Type: application/json', 'Transfer-Encoding: xchunked']) + '0\r\n\r\n'],
      ['B15 a bad chunk', () => head(['Content-Type: application/json', 'Transfer-Encoding: chunked']) + 'zz\r\n'],
      ['B16 a bare CR in a header', () => head(['X-Thing: a\rb'], 'GET /issuers HTTP/1.1')],
      ['B16 64 KB of header', () => head([`X-Thing: ${'x'.repeat(65_536)}`], 'GET /issuers HTTP/1.1')],
    ])('%s is refused and the connection ends', async (_name, text) => {
      const answer = await raw(text());
      expect(answer.text).toMatch(/^HTTP\/1\.1 4(?:00|31)/);
      expect(answer.closed).toBe(true);
      expectRawEnvelope(answer.text);
    });

    it.each([
      [400, 'invalid_http', 'La petición no es HTTP válido. Revise el cliente.', () => 'nonsense\r\n\r\n'],
      [400, 'invalid_http', 'La petición no es HTTP válido. Revise el cliente.', () => head([], 'GET /issuers HTTP/9.9')],
      [431, 'headers_too_large', LARGE_HEAD, () => head([`X-Thing: ${'x'.repeat(65_536)}`], 'GET /issuers HTTP/1.1')],
      [431, 'headers_too_large', LARGE_HEAD, () => head([], `GET /issuers?q=${'x'.repeat(65_536)} HTTP/1.1`)],
      [431, 'headers_too_large', LARGE_HEAD, () => head([], `GET /documents/${'x'.repeat(20_000)} HTTP/1.1`)],
    ])('what is no request is answered %d with reason %s', async (status, reason, message, text) => {
      const answer = await raw(text());
      expect([Number(answer.text.slice(9, 12)), answer.closed]).toEqual([status, true]);
      expect(expectRawEnvelope(answer.text)).toMatchObject({ code: 'MALFORMED_REQUEST', message, detail: { reason } });
    });

    it.each([
      ['host_missing', 'La petición no trae la cabecera Host. Envíela.', () => `GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n`],
      ['unknown_expectation', 'La cabecera Expect pide algo que no se puede cumplir. Quítela, o envíe 100-continue.', () => `${head(['Expect: foo', 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close'])}{}`],
    ])('what Node would refuse in bare words is answered with reason %s', async (reason, message, text) => {
      const answer = await raw(text());
      expect([answer.text.slice(0, 12), answer.closed]).toEqual(['HTTP/1.1 400', true]);
      expect(expectRawEnvelope(answer.text)).toMatchObject({ code: 'MALFORMED_REQUEST', message, detail: { reason } });
    });

    it('a body that waits for 100 Continue is asked for and read', async () => {
      const { hostname, port } = new URL(stack.apiUrl);
      const socket = connect(Number(port), hostname);
      const body = JSON.stringify({ legal_name: 'Waits' });
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        if (text === '') socket.write(body);
        text += chunk.toString('latin1');
      });
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.write(head(['Expect: 100-continue', 'Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'], 'POST /buyers HTTP/1.1'));
      await closed;
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 400']);
      expect(expectRawEnvelope(text.slice(text.indexOf('HTTP/1.1 400')))).toMatchObject({ code: 'INVALID_PAYLOAD' });
    });

    it('HTTP/1.0 needs no Host', async () => {
      expect((await raw('GET /health/live HTTP/1.0\r\n\r\n')).text).toMatch(/^HTTP\/1\.1 200/);
    });

    it('what breaks off being one keeps its request id and its language', async () => {
      const lines = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'X-Request-Id: order-78', 'Accept-Language: en'];
      const { text } = await raw(head(lines) + 'zz\r\n');
      expect(expectRawEnvelope(text)).toMatchObject({ message: 'The request is not valid HTTP. Check the client.', request_id: 'order-78' });
    });

    it('what is sent behind a whole request takes nothing from its answer', async () => {
      const body = JSON.stringify({ legal_name: 'Behind' });
      const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      const answer = await raw(`${head(lines, 'POST /buyers HTTP/1.1')}${body}garbage that is no request\r\n\r\n`);
      expect(expectRawEnvelope(answer.text)).toMatchObject({ code: 'INVALID_PAYLOAD' });
      expect(answer.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(answer.closed).toBe(true);
    });

    it('B16 a thousand headers are refused, not cut', async () => {
      const answer = await raw(head([...Array.from({ length: 1_000 }, (_, index) => `X-${index}: y`), 'Connection: close'], 'GET /issuers HTTP/1.1'));
      expect(answer.text).toMatch(/^HTTP\/1\.1 4(?:00|31)/);
    });

    it('B16 a line break in a value makes headers, not answers', async () => {
      const { text } = await raw(head(['X-Request-Id: a\r\nX-Evil: 1', 'Connection: close'], 'GET /issuers HTTP/1.1'));
      expect(text).toMatch(/^HTTP\/1\.1 200/);
      expect(text.toLowerCase()).not.toContain('x-evil');
    });

    it('B18 CONNECT is refused and the connection ends', async () => {
      const answer = await raw(head([], 'CONNECT example.com:443 HTTP/1.1'));
      expect(answer.text).not.toMatch(/^HTTP\/1\.1 2/);
      expect(answer.closed).toBe(true);
    });

    it('B18 HEAD of a list has no body', async () => {
      const { text } = await raw(head(['Connection: close'], 'HEAD /issuers HTTP/1.1'));
      expect(text).toMatch(/^HTTP\/1\.1 (?:200|404)/);
      expect(text).not.toContain('razon_social');
    });

    it('B20 another host and forwarding headers change nothing that is answered', async () => {
      for (const path of ['/issuers', '/tenant', '/openapi.json', `/issuers/${randomUUID()}`]) {
        const { text } = await raw(
          [`GET ${path} HTTP/1.1`, 'Host: evil.example', `X-API-Key: ${business.apiKey}`, 'X-Forwarded-Host: evil.example', 'X-Forwarded-For: 10.9.8.7', 'Forwarded: host=evil.example', 'X-Forwarded-Proto: gopher', 'X-Original-URL: /docs', 'Connection: close', '', ''].join('\r\n'),
        );
        expect(text).toMatch(/^HTTP\/1\.1 (?:200|404)/);
        expect(text).not.toMatch(/evil\.example|10\.9\.8\.7|gopher/);
      }
    });

    it('B22 two keys, even the same one, are refused', async () => {
      const { text } = await raw(head([`X-API-Key: ${business.apiKey}`, 'Connection: close'], 'GET /issuers HTTP/1.1'));
      expect(text).toMatch(/^HTTP\/1\.1 401/);
    });

    it.each(['//issuers', '/issuers/', '/ISSUERS', '/issuers/%2e%2e/issuers', '/issuers%00', '/issuers.', '/issuers/%', '/api/issuers', '/issuers;x=1'])('B19 %s is no route', async (path) => {
      const { text } = await raw(head(['Connection: close'], `GET ${path} HTTP/1.1`));
      expect(text).toMatch(/^HTTP\/1\.1 4(?:04|22|00)/);
      expect(text).not.toContain('razon_social');
    });

    it.each(['TRACE', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'])('B18 %s is no method of a list', async (method) => {
      const { text } = await raw(head(['Connection: close', 'Content-Length: 0'], `${method} /issuers HTTP/1.1`));
      expect(text).toMatch(/^HTTP\/1\.1 (?:404|405|200)/);
      expect(text).not.toContain('razon_social');
      if (method !== 'OPTIONS') expect(text).toContain('NOT_FOUND');
    });

    it('B18 a method override is ignored', async () => {
      expect((await business.call('GET', `/issuers/${business.issuerId}`, undefined, { 'x-http-method-override': 'DELETE' })).status).toBe(200);
    });

    it('B18 a body of a DELETE is read like any other, and need not be there', async () => {
      const nothing = `/webhooks/${randomUUID()}`;
      const remove = (body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Refusal>> => call<Refusal>(stack.apiUrl, 'DELETE', nothing, { apiKey: business.apiKey, body, headers });
      for (const [answer, status, code] of [
        [await remove(), 404, 'NOT_FOUND'], [await remove('{'), 400, 'MALFORMED_REQUEST'], [await remove('{}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
        [await remove({ revoke_keys: true }), 422, 'VALIDATION_FAILED'], [await remove({}), 404, 'NOT_FOUND'],
      ] as const) expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      for (const lines of [['Content-Length: 0'], ['Content-Type: application/json', 'Content-Length: 0'], ['Content-Type: application/json']]) {
        expect((await raw(head(['Connection: close', ...lines], `DELETE ${nothing} HTTP/1.1`))).text).toMatch(/^HTTP\/1\.1 404/);
      }
    });

    it('B18 a body of a GET is ignored', async () => {
      const { text } = await raw(head(['Connection: close', 'Content-Type: application/json', 'Content-Length: 9'], 'GET /issuers HTTP/1.1') + '{"a":"b"}');
      expect(text).toMatch(/^HTTP\/1\.1 200/);
    });

    it.each(['x'.repeat(10_240), '<script>alert(1)</script>', 'a b', '', '-'])('B21 the request id %p is replaced', async (id) => {
      const answer = await business.call('GET', '/issuers', undefined, { 'x-request-id': id });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('B21 a sound request id is kept, in header and envelope', async () => {
      const answer = await business.call<Refusal>('GET', `/issuers/${randomUUID()}`, undefined, { 'x-request-id': 'order-77.a:b_c' });
      expect([answer.headers.get('x-request-id'), answer.body.error.request_id]).toEqual(['order-77.a:b_c', 'order-77.a:b_c']);
    });
  });

  it('B17 a body that would come byte by byte for a quarter of an hour is cut off within its first bytes', async () => {
    const { text, sent } = await slow;
    expect(text.slice(0, 12)).toBe('HTTP/1.1 408');
    expect(expectRawEnvelope(text)).toMatchObject({ code: 'MALFORMED_REQUEST', detail: { reason: 'too_slow' } });
    expect(sent).toBeLessThan(45);
  });

  it('B8 forms that the sender breaks off are not our fault', async () => {
    const { hostname, port } = new URL(stack.apiUrl);
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.p12"\r\n\r\n';
    for (const begun of ['', part, `${part}some bytes`]) {
      const socket = connect(Number(port), hostname);
      socket.write(head(['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 1000', 'X-Request-Id: broken-form'], `POST /issuers/${business.issuerId}/certificates HTTP/1.1`) + begun);
      await new Promise((resolve) => setTimeout(resolve, 300));
      socket.destroy();
    }
    const told = (): string[] => readFileSync(stack.apis[0]!.logFile, 'utf8').split('\n').filter((line) => line.includes('broken-form'));
    for (const until = Date.now() + 30_000; told().length < 6 && Date.now() < until;) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(told().length).toBeGreaterThanOrEqual(6);
    expect(told().filter((line) => !line.includes('"level":"info"'))).toEqual([]);
  });

  it('and all that cost neither number nor key', async () => {
    await expectUnspent(stack, business, 0, 'first');
  });
});
