import { httpServer, type LocalServer } from '../../../test/support/local-server.js';
import { AuthorizationClient, type AuthorizationAnswer } from './authorization.js';
import { isHeard } from './unanswered.js';
import { UndiciSoapTransport } from './transport.js';

const KEY = '1509202601179001234500110010020000001011234567812';
const OTHER = KEY.replace(/^15/, '16');
const SIGNED = '<?xml version="1.0" encoding="UTF-8"?><factura id="comprobante"><a>ñ &amp; &lt;b&gt;</a></factura>';

const envelope = (inner: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
  '<ns2:autorizacionComprobanteResponse xmlns:ns2="http://ec.gob.sri.ws.autorizacion"><RespuestaAutorizacionComprobante>' +
  `${inner}</RespuestaAutorizacionComprobante></ns2:autorizacionComprobanteResponse></soap:Body></soap:Envelope>`;
const answerOf = (entries: string, count = 1, key: string | null = KEY): string =>
  envelope(
    `${key === null ? '' : `<claveAccesoConsultada>${key}</claveAccesoConsultada>`}<numeroComprobantes>${String(count)}</numeroComprobantes><autorizaciones>${entries}</autorizaciones>`,
  );
const entry = (estado: string, over: { number?: string | null; document?: string; messages?: string } = {}): string =>
  `<autorizacion>${estado === '' ? '' : `<estado>${estado}</estado>`}` +
  (over.number === null ? '' : `<numeroAutorizacion>${over.number ?? KEY}</numeroAutorizacion>`) +
  `<fechaAutorizacion>2026-09-15T10:15:36-05:00</fechaAutorizacion><ambiente>PRUEBAS</ambiente>` +
  `<comprobante>${over.document ?? `<![CDATA[${SIGNED}]]>`}</comprobante><mensajes>${over.messages ?? ''}</mensajes></autorizacion>`;
const message = (code: string, type: string): string =>
  `<mensaje><identificador>${code}</identificador><mensaje>TEXTO</mensaje><tipo>${type}</tipo></mensaje>`;
const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

describe('the authorization client', () => {
  const transport = new UndiciSoapTransport();
  let server: LocalServer;
  let body: string;
  let received: string;

  beforeAll(async () => {
    server = await httpServer((_request, response, sent) => {
      received = sent.toString('utf8');
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(body);
    });
  });
  afterAll(async () => {
    await server.close();
    await transport.close();
  });

  const query = (answer: string): Promise<AuthorizationAnswer> => {
    body = answer;
    return new AuthorizationClient(transport, server.url).query(KEY);
  };
  const entriesOf = async (answer: string): Promise<readonly { estado: string; comprobante: string | null }[]> => {
    const found = await query(answer);
    if (found.kind !== 'entries') throw new Error(found.reason);
    return found.entries;
  };

  it('asks by key, the parameter unqualified', async () => {
    await query(answerOf('', 0));
    expect(received).toContain(
      `<ec:autorizacionComprobante><claveAccesoComprobante>${KEY}</claveAccesoComprobante></ec:autorizacionComprobante>`,
    );
  });

  it('refuses to ask for what is no access key', async () => {
    await expect(new AuthorizationClient(transport, server.url).query('1')).rejects.toThrow(TypeError);
  });

  it('reads an authorization with its warnings', async () => {
    expect(await query(answerOf(entry('AUTORIZADO', { messages: message('60', 'advertencia') })))).toMatchObject({
      kind: 'entries',
      entries: [
        {
          estado: 'AUTORIZADO',
          numeroAutorizacion: KEY,
          fechaAutorizacion: '2026-09-15T10:15:36-05:00',
          ambiente: 'PRUEBAS',
          comprobante: SIGNED,
          messages: [{ identifier: '60', message: 'TEXTO', additionalInfo: null, messageType: 'ADVERTENCIA' }],
        },
      ],
    });
  });

  it.each([
    ['CDATA', `<![CDATA[${SIGNED}]]>`],
    ['CDATA with white space around', `\n  <![CDATA[${SIGNED}]]>\n`],
    ['escaped text', escape(SIGNED)],
    ['escaped text inside CDATA', `<![CDATA[${escape(SIGNED)}]]>`],
    ['two CDATA sections', `<![CDATA[${SIGNED.slice(0, 50)}]]><![CDATA[${SIGNED.slice(50)}]]>`],
    ['numeric references', SIGNED.replace(/[<>&ñ]/g, (character) => `&#${String(character.codePointAt(0))};`)],
  ])('gives the document back as it was, from %s', async (_name, document) => {
    expect((await entriesOf(answerOf(entry('AUTORIZADO', { document }))))[0]?.comprobante).toBe(SIGNED);
  });

  it.each([
    ['none', ''],
    ['an empty one', '<![CDATA[]]>'],
    ['elements instead of text', '<factura/>'],
  ])('has no document from %s', async (_name, document) => {
    expect((await entriesOf(answerOf(entry('AUTORIZADO', { document }))))[0]?.comprobante).toBeNull();
  });

  it('keeps all entries in order', async () => {
    const entries = await entriesOf(
      answerOf(
        entry('NO AUTORIZADO', { number: null }) +
          entry('AUTORIZADO') +
          entry('EN  PROCESO', { number: null }) +
          entry('', { number: null }),
        4,
      ),
    );
    expect(entries.map(({ estado }) => estado)).toEqual(['NO AUTORIZADO', 'AUTORIZADO', 'EN PROCESO', '']);
  });

  it.each([
    ['before', entry('NO AUTORIZADO', { number: '0' }) + entry('AUTORIZADO')],
    ['after', entry('AUTORIZADO') + entry('NO AUTORIZADO', { number: OTHER, messages: message('39', 'ERROR') })],
  ])('reads the authorization %s a refusal of another number', async (_name, entries) => {
    expect(await entriesOf(answerOf(entries, 2))).toMatchObject([{ estado: 'AUTORIZADO', numeroAutorizacion: KEY, comprobante: SIGNED }]);
  });

  it('takes no refusal of another number for one of the document', async () => {
    const entries = await entriesOf(answerOf(entry('NO AUTORIZADO', { number: '0' }) + entry('EN PROCESO', { number: null }), 2));
    expect(entries.map(({ estado }) => estado)).toEqual(['EN PROCESO']);
  });

  it.each([
    ['count 0', answerOf('', 0)],
    [
      'an empty list without a count',
      envelope(`<claveAccesoConsultada>${KEY}</claveAccesoConsultada><autorizaciones/>`),
    ],
    [
      'count 0 without a list',
      envelope(`<claveAccesoConsultada>${KEY}</claveAccesoConsultada><numeroComprobantes>0</numeroComprobantes>`),
    ],
  ])('reads "unknown or not processed" from %s', async (_name, answer) => {
    expect(await query(answer)).toMatchObject({ kind: 'entries', entries: [] });
  });

  it.each([
    ['another key', answerOf(entry('AUTORIZADO'), 1, OTHER), 'the answer is for another access key'],
    ['no key', answerOf(entry('AUTORIZADO'), 1, null), 'no key echoed'],
    ['another authorization number', answerOf(entry('AUTORIZADO', { number: OTHER })), 'another authorization number'],
    ['an authorization of another number beside ours', answerOf(entry('AUTORIZADO') + entry('AUTORIZADO', { number: OTHER }), 2), 'another authorization number'],
    ['refusals of other numbers only', answerOf(entry('NO AUTORIZADO', { number: '0' }) + entry('NO AUTORIZADO', { number: OTHER }), 2), 'another authorization number'],
    [
      'a malformed key (80)',
      envelope(
        `<autorizaciones><autorizacion><estado>RECHAZADA</estado><mensajes>${message('80', '')}</mensajes></autorizacion></autorizaciones>`,
      ),
      'no key echoed (messages 80)',
    ],
    [
      'a refused query',
      answerOf(entry('RECHAZADA', { number: null, messages: message('99', 'ERROR') })),
      'the query was refused (messages 99)',
    ],
    ['entries that are announced but missing', answerOf('', 1), 'the entries are missing'],
    [
      'nothing but the key',
      envelope(`<claveAccesoConsultada>${KEY}</claveAccesoConsultada>`),
      'the entries are missing',
    ],
    [
      'two lists',
      answerOf(entry('AUTORIZADO')).replace('</autorizaciones>', '</autorizaciones><autorizaciones/>'),
      'more than once',
    ],
    ['two estados', answerOf(entry('AUTORIZADO</estado><estado>NO AUTORIZADO')), 'more than once'],
    ['HTML', '<html></html>', 'not a SOAP answer'],
  ])('finds no evidence in %s', async (_name, answer, reason) => {
    expect(await query(answer)).toMatchObject({ kind: 'no_evidence', reason: expect.stringContaining(reason) });
  });

  it.each<[string, string, boolean]>([
    ['with another authorization number', answerOf(entry('AUTORIZADO', { number: OTHER })), true],
    ['with refusals of other numbers only', answerOf(entry('NO AUTORIZADO', { number: '0' })), true],
    ['without the entries that it announces', answerOf('', 1), true],
    ['with two lists', answerOf(entry('AUTORIZADO')).replace('</autorizaciones>', '</autorizaciones><autorizaciones/>'), true],
    ['with two estados', answerOf(entry('AUTORIZADO</estado><estado>NO AUTORIZADO')), true],
    ['for another key', answerOf(entry('AUTORIZADO'), 1, OTHER), false],
    ['without a key', answerOf(entry('AUTORIZADO'), 1, null), false],
    ['that refuses the question', answerOf(entry('RECHAZADA', { number: null, messages: message('99', 'ERROR') })), false],
    ['of another kind', '<html></html>', false],
  ])('an answer %s proves nothing; that it is one of the document: %p', async (_name, answer, isOurs) => {
    const found = await query(answer);
    expect([found.kind, isHeard(found)]).toEqual(['no_evidence', isOurs]);
  });

  it('finds no evidence in any cut answer', async () => {
    const whole = answerOf(entry('AUTORIZADO'));
    for (let length = 0; length < whole.length; length += 3)
      expect((await query(whole.slice(0, length))).kind).toBe('no_evidence');
  });
});
