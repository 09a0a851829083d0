import { httpServer, type LocalServer } from '../../../test/support/local-server.js';
import { ReceptionClient, type ReceptionAnswer } from './reception.js';
import { UndiciSoapTransport } from './transport.js';
import { isAway, isHeard } from './unanswered.js';

const KEY = '1509202601179001234500110010020000001011234567812';
const OTHER = KEY.replace(/^15/, '16');

const envelope = (inner: string, namespace = 'http://ec.gob.sri.ws.recepcion'): string =>
  '<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
  `<ns2:validarComprobanteResponse xmlns:ns2="${namespace}"><RespuestaRecepcionComprobante>${inner}` +
  '</RespuestaRecepcionComprobante></ns2:validarComprobanteResponse></soap:Body></soap:Envelope>';
const message = (code: string, text = 'TEXTO', type = 'ERROR'): string =>
  `<mensaje><identificador>${code}</identificador><mensaje>${text}</mensaje><informacionAdicional>más</informacionAdicional><tipo>${type}</tipo></mensaje>`;
const returned = (messages: string, key: string | null = KEY, estado = '<estado>DEVUELTA</estado>'): string =>
  envelope(
    `${estado}<comprobantes><comprobante>${key === null ? '' : `<claveAcceso>${key}</claveAcceso>`}<mensajes>${messages}</mensajes></comprobante></comprobantes>`,
  );
const RECEIVED = envelope('<estado>RECIBIDA</estado><comprobantes/>');

describe('the reception client', () => {
  const transport = new UndiciSoapTransport();
  let server: LocalServer;
  let reply: { status: number; type: string | null; body: string | Buffer; headers?: Record<string, string> };
  let received: string;

  beforeAll(async () => {
    server = await httpServer((_request, response, body) => {
      received = body.toString('utf8');
      response.writeHead(reply.status, {
        ...(reply.type === null ? {} : { 'content-type': reply.type }),
        ...reply.headers,
      });
      response.end(reply.body);
    });
  });
  afterAll(async () => {
    await server.close();
    await transport.close();
  });

  const submit = (
    body: string | Buffer,
    status = 200,
    type: string | null = 'text/xml;charset=UTF-8',
    headers?: Record<string, string>,
  ): Promise<ReceptionAnswer> => {
    reply = { status, type, body, ...(headers === undefined ? {} : { headers }) };
    return new ReceptionClient(transport, server.url, { timeoutMs: 5_000, maxBytes: 2 * 1024 * 1024 }).submit(
      Buffer.from('<factura>ñ</factura>'),
      KEY,
    );
  };

  it('sends the bytes in base64 in the qualified wrapper, the parameter unqualified', async () => {
    await submit(RECEIVED);
    expect(received).toContain('<ec:validarComprobante><xml>');
    expect(received).toContain('xmlns:ec="http://ec.gob.sri.ws.recepcion"');
    const base64 = /<xml>(.*)<\/xml>/.exec(received)?.[1] ?? '';
    expect(Buffer.from(base64, 'base64').toString('utf8')).toBe('<factura>ñ</factura>');
  });

  it('sends only the view it was given, not the buffer behind it', async () => {
    const whole = Buffer.from('secretos<a/>secretos');
    reply = { status: 200, type: 'text/xml', body: RECEIVED };
    await new ReceptionClient(transport, server.url).submit(whole.subarray(8, 12), KEY);
    expect(Buffer.from(/<xml>(.*)<\/xml>/.exec(received)?.[1] ?? '', 'base64').toString()).toBe('<a/>');
  });

  it('reads RECIBIDA', async () => {
    expect(await submit(RECEIVED)).toEqual({ kind: 'received', messages: [] });
  });

  it('reads DEVUELTA with its messages', async () => {
    expect(await submit(returned(message('43', 'CLAVE ACCESO REGISTRADA')))).toMatchObject({
      kind: 'returned',
      messages: [{ identifier: '43', message: 'CLAVE ACCESO REGISTRADA', additionalInfo: 'más', messageType: 'ERROR' }],
    });
  });

  it.each([
    ['several messages', returned(message('59', 'a', 'ADVERTENCIA') + message('65')), ['59', '65']],
    ['lower-case types', returned(message('65', 'x', 'error')), ['65']],
    ['no messages', returned(''), []],
    ['no key', returned(message('35'), null), ['35']],
    ['the key N/A', returned(message('35'), 'N/A'), ['35']],
    ['a message without code', returned('<mensaje><mensaje>solo texto</mensaje></mensaje>'), [null]],
    ['an empty comprobantes', envelope('<estado>DEVUELTA</estado><comprobantes/>'), []],
    ['no comprobantes', envelope('<estado>DEVUELTA</estado>'), []],
    [
      'white space and qualified children',
      envelope(`\n <x:estado xmlns:x="u"> devuelta </x:estado>\n<comprobantes>\n</comprobantes>`),
      [],
    ],
    ['a byte order mark', `\ufeff${returned(message('39'))}`, ['39']],
    ['no declaration', returned(message('39')).replace(/^<\?xml.*?\?>/, ''), ['39']],
    [
      'SOAP 1.2',
      returned(message('39')).replace(
        'http://schemas.xmlsoap.org/soap/envelope/',
        'http://www.w3.org/2003/05/soap-envelope',
      ),
      ['39'],
    ],
    ['a header', returned(message('39')).replace('<soap:Body>', '<soap:Header><a/></soap:Header><soap:Body>'), ['39']],
  ])('reads DEVUELTA with %s', async (_name, body, codes) => {
    const answer = await submit(body);
    expect(answer.kind).toBe('returned');
    expect(answer.kind === 'returned' && answer.messages.map(({ identifier }) => identifier)).toEqual(codes);
  });

  it('resolves references in texts', async () => {
    const answer = await submit(returned(message('35', 'A &amp; B &lt;c&gt; &#241;&#xF1; &quot;&apos; &nada;')));
    expect(answer.kind === 'returned' && answer.messages[0]?.message).toBe('A & B <c> ññ "\' &nada;');
  });

  const fault =
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode>soap:Server</faultcode><faultstring>Error</faultstring></soap:Fault></soap:Body></soap:Envelope>';
  const laughs = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ja">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i] ?? ''} "${`&${'abcdefghi'[i] ?? ''};`.repeat(10)}">`).join('')}]>${RECEIVED.replace(/^<\?xml.*?\?>/, '').replace('RECIBIDA', '&j;')}`;

  it.each([
    ['a missing estado', returned(message('35'), 'N/A', ''), 'no estado, messages 35'],
    ['an empty estado', returned(message('35'), KEY, '<estado> </estado>'), 'no estado'],
    ['an unknown estado', envelope('<estado>ACEPTADA</estado>'), 'unknown estado ACEPTADA'],
    ['two estados', envelope('<estado>RECIBIDA</estado><estado>DEVUELTA</estado>'), 'estado occurs more than once'],
    ['the key of another document', returned(message('43'), OTHER), 'the answer names another access key'],
    [
      'another key beside RECIBIDA',
      envelope(
        `<estado>RECIBIDA</estado><comprobantes><comprobante><claveAcceso>${OTHER}</claveAcceso></comprobante></comprobantes>`,
      ),
      'the answer names another access key',
    ],
    ['a SOAP fault', fault, 'SOAP fault'],
    [
      'the answer of another service',
      envelope('<estado>RECIBIDA</estado>', 'http://ec.gob.sri.ws.autorizacion'),
      'the answer of another service',
    ],
    [
      'a foreign envelope',
      RECEIVED.replace('http://schemas.xmlsoap.org/soap/envelope/', 'http://example.com/'),
      'not a SOAP answer',
    ],
    [
      'an empty response',
      RECEIVED.replace(/<RespuestaRecepcionComprobante>.*<\/RespuestaRecepcionComprobante>/, ''),
      'an empty answer',
    ],
    ['nothing', '', 'an empty answer'],
    ['text', 'RECIBIDA', 'not XML'],
    ['HTML that is XML', '<html><body><estado>RECIBIDA</estado></body></html>', 'not a SOAP answer'],
    ['two documents', RECEIVED + RECEIVED.replace(/^<\?xml.*?\?>/, ''), 'not well-formed XML'],
    [
      'an external entity',
      RECEIVED.replace('<soap:Envelope', '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x"><soap:Envelope'),
      'a document type declaration is refused',
    ],
    ['a billion laughs', laughs, 'a document type declaration is refused'],
    ['UTF-16 called UTF-8', Buffer.from(RECEIVED, 'utf16le'), 'not well-formed XML'],
  ])('finds no evidence in %s', async (_name, body, reason) => {
    expect(await submit(body)).toMatchObject({ kind: 'no_evidence', reason: expect.stringContaining(reason) });
  });

  it.each<[string, boolean, string]>([
    ['without estado', true, returned(message('35'), 'N/A', '')],
    ['with an unknown estado', true, envelope('<estado>ACEPTADA</estado>')],
    ['with two estados', true, envelope('<estado>RECIBIDA</estado><estado>DEVUELTA</estado>')],
    ['with the key of another document', true, returned(message('43'), OTHER)],
    ['that is a fault', false, fault],
    ['of another service', false, envelope('<estado>RECIBIDA</estado>', 'http://ec.gob.sri.ws.autorizacion')],
    ['without content', false, RECEIVED.replace(/<RespuestaRecepcionComprobante>.*<\/RespuestaRecepcionComprobante>/, '')],
    ['of another kind', false, '<html></html>'],
  ])('an answer %s proves nothing; that it is one of this service: %p', async (_name, isOurs, answer) => {
    const found = await submit(answer);
    expect([found.kind, isHeard(found)]).toEqual(['no_evidence', isOurs]);
  });

  it('tells the codes of an answer that proves nothing', async () => {
    expect(await submit(returned(message('35'), 'N/A', ''))).toMatchObject({ codes: ['35'] });
  });

  it.each([
    ['500 with a fault', 500, 'text/xml', fault, false],
    ['500 with an acceptance', 500, 'text/xml', RECEIVED, false],
    ['500 with a page', 500, 'text/html', '<html>500</html>', true],
    ['200 with a fault', 200, 'text/xml', fault, false],
    ['503 HTML', 503, 'text/html', '<html>503 Service Unavailable</html>', true],
    ['502 empty', 502, null, '', true],
    ['302', 302, null, '', true],
    ['200 HTML page', 200, 'text/html', '<!doctype html><html><body>Mantenimiento</body></html>', true],
    ['200 called HTML', 200, 'text/html', RECEIVED, true],
    ['204', 204, null, '', true],
  ])('finds no evidence in HTTP %s and tells whether the service is away', async (_name, status, type, body, isPlainlyAway) => {
    const found = await submit(body, status, type);
    expect([found.kind, isAway(found)]).toEqual(['no_evidence', isPlainlyAway]);
  });

  it('takes an answer without content type', async () => {
    expect((await submit(RECEIVED, 200, null)).kind).toBe('received');
  });

  it('passes on how long to wait, bounded', async () => {
    expect(await submit('', 503, null, { 'retry-after': '120' })).toMatchObject({
      kind: 'no_evidence',
      retryAfterSeconds: 120,
    });
    expect(await submit('', 429, null, { 'retry-after': '999999' })).toMatchObject({ retryAfterSeconds: 3600 });
    expect(await submit('', 503, null, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' })).not.toHaveProperty(
      'retryAfterSeconds',
    );
  });

  it('finds no evidence in any cut answer', async () => {
    const whole = returned(message('43'));
    for (let length = 0; length < whole.length; length += 3)
      expect((await submit(whole.slice(0, length))).kind).toBe('no_evidence');
  });

  it('bounds nesting and size in little time', async () => {
    const deep = envelope('<a>'.repeat(20_000) + '</a>'.repeat(20_000) + '<estado>RECIBIDA</estado>');
    const wide = envelope(`<estado>RECIBIDA</estado>${'<a b="c"/>'.repeat(180_000)}`);
    const huge = envelope(`<estado>RECIBIDA</estado><x>${'y'.repeat(3 * 1024 * 1024)}</x>`);
    expect((await submit(deep)).kind).toBe('no_evidence');
    expect(await submit(huge)).toMatchObject({ kind: 'no_evidence', reason: expect.stringContaining('exceeds') });
    expect(await submit(wide)).toMatchObject({ kind: 'no_evidence', reason: 'too many elements' });
  });

  it('keeps a clean, short excerpt', async () => {
    const answer = await submit(
      `<html>\u0000\u001b[31m${'QUJD'.repeat(200)} fin${'x '.repeat(5_000)}</html>`,
      503,
      'text/html',
    );
    expect(answer.kind).toBe('no_evidence');
    const excerpt = answer.kind === 'no_evidence' ? answer.excerpt : '';
    expect(excerpt).toContain('[...]');
    expect(excerpt).not.toMatch(/QUJDQUJD|\p{Cc}/u);
    expect(excerpt.length).toBeLessThanOrEqual(2_000);
  });

  it('tells a refused connection from a lost answer', async () => {
    const gone = await httpServer((_request, response) => response.end());
    await gone.close();
    expect(await new ReceptionClient(transport, gone.url).submit(Buffer.from('x'), KEY)).toEqual({
      kind: 'not_delivered',
      reason: 'connection refused (ECONNREFUSED)',
    });
    const cutting = await httpServer((request) => request.socket.destroy());
    expect(await new ReceptionClient(transport, cutting.url).submit(Buffer.from('x'), KEY)).toMatchObject({
      kind: 'no_evidence',
      excerpt: '',
    });
    await cutting.close();
  });

  it('does not hide a programming error', async () => {
    const broken = { post: () => Promise.reject(new RangeError('bug')) };
    await expect(new ReceptionClient(broken, server.url).submit(Buffer.from('x'), KEY)).rejects.toThrow(RangeError);
  });
});
