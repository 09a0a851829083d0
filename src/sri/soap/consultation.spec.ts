import { httpServer, type LocalServer } from '../../../test/support/local-server.js';
import { ConsultationClient, type ConsultationAnswer } from './consultation.js';
import { UndiciSoapTransport } from './transport.js';

const KEY = '1509202601179001234500110010020000001011234567812';
const OTHER = KEY.replace(/^15/, '16');

const envelope = (inner: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
  '<ns2:consultarEstadoAutorizacionComprobanteResponse xmlns:ns2="http://ec.gob.sri.ws.consultas"><EstadoAutorizacionComprobante>' +
  `${inner}</EstadoAutorizacionComprobante></ns2:consultarEstadoAutorizacionComprobanteResponse></soap:Body></soap:Envelope>`;
const message = (code: string, info = 'No existen datos'): string =>
  `<mensaje><identificador>${code}</identificador><mensaje>ERROR AL CONSULTAR</mensaje><informacionAdicional>${info}</informacionAdicional><tipo>ERROR</tipo></mensaje>`;
const answerOf = (estado: string | null, over: { key?: string | null; refusal?: string; messages?: string } = {}): string =>
  envelope(
    (over.refusal === undefined ? '' : `<estadoConsulta>${over.refusal}</estadoConsulta>`) +
      (over.key === null ? '' : `<claveAcceso>${over.key ?? KEY}</claveAcceso>`) +
      `<mensajes>${over.messages ?? ''}</mensajes>` +
      (estado === null ? '' : `<estadoAutorizacion>${estado}</estadoAutorizacion>`) +
      '<tipoComprobante>Factura</tipoComprobante><rucEmisor>1790012345001</rucEmisor><fechaAutorizacion>2026-09-15T10:15:36-05:00</fechaAutorizacion>',
  );

describe('the consultation client', () => {
  const transport = new UndiciSoapTransport();
  let server: LocalServer;
  let body: string;
  let status: number;
  let received: string;

  beforeAll(async () => {
    server = await httpServer((_request, response, sent) => {
      received = sent.toString('utf8');
      response.writeHead(status, { 'content-type': 'text/xml' });
      response.end(body);
    });
  });
  afterAll(async () => {
    await server.close();
    await transport.close();
  });

  const query = (answer: string, code = 200): Promise<ConsultationAnswer> => {
    body = answer;
    status = code;
    return new ConsultationClient(transport, server.url).query(KEY);
  };

  it('asks by key, the parameter unqualified', async () => {
    await query(answerOf('AUTORIZADO'));
    expect(received).toContain(
      `<ec:consultarEstadoAutorizacionComprobante><claveAcceso>${KEY}</claveAcceso></ec:consultarEstadoAutorizacionComprobante>`,
    );
  });

  it('refuses to ask for what is no access key', async () => {
    await expect(new ConsultationClient(transport, server.url).query('1')).rejects.toThrow(TypeError);
  });

  it.each([
    ['AUTORIZADO', 'authorized'],
    ['NO AUTORIZADO', 'refused'],
    [' Pendiente  de\nanular ', 'pending_annulment'],
    ['ANULADO', 'annulled'],
    ['QUIZAS', 'unknown_state'],
  ])('reads %j as %s', async (estado, state) => {
    expect(await query(answerOf(estado))).toMatchObject({
      kind: 'state',
      state,
      estado: estado.trim().replace(/\s+/g, ' ').toUpperCase(),
      messages: [],
    });
  });

  it('knows no more from message 99, with or without echo', async () => {
    for (const key of [KEY, null]) {
      const answer = envelope(
        `<estadoConsulta>RECHAZADA</estadoConsulta>${key === null ? '' : `<claveAcceso>${key}</claveAcceso>`}<mensajes>${message('99')}</mensajes>`,
      );
      expect(await query(answer)).toMatchObject({
        kind: 'unknown',
        messages: [{ identifier: '99', additionalInfo: 'No existen datos', messageType: 'ERROR' }],
      });
    }
  });

  it.each([
    ['another key', answerOf('ANULADO', { key: OTHER }), 'the answer is for another access key'],
    ['no key', answerOf('ANULADO', { key: null }), 'no key echoed'],
    ['no state', answerOf(null), 'the state is missing'],
    ['two states', answerOf('ANULADO</estadoAutorizacion><estadoAutorizacion>AUTORIZADO'), 'more than once'],
    ['99 about another key', answerOf(null, { key: OTHER, refusal: 'RECHAZADA', messages: message('99') }), 'another access key'],
    ['a refusal with a state', answerOf('ANULADO', { refusal: 'RECHAZADA', messages: message('99') }), 'a refused question with an answer'],
    ['a refusal for another reason', answerOf(null, { refusal: 'RECHAZADA', messages: message('50') }), 'refused (messages 50)'],
    ['another service', answerOf('ANULADO').replaceAll('ws.consultas', 'ws.autorizacion'), 'another service'],
    ['entities', `<!DOCTYPE a [<!ENTITY e "ANULADO">]>${answerOf('&e;').slice(38)}`, 'document type declaration'],
    ['HTML', '<html></html>', 'not a SOAP answer'],
    ['an empty answer', '', 'an empty answer'],
  ])('finds no evidence in %s', async (_name, answer, reason) => {
    expect(await query(answer)).toMatchObject({ kind: 'no_evidence', reason: expect.stringContaining(reason) });
  });

  it('finds no evidence in any cut answer', async () => {
    const whole = answerOf('ANULADO');
    for (let length = 0; length < whole.length; length += 3) expect((await query(whole.slice(0, length))).kind).toBe('no_evidence');
  });

  it('finds no evidence in an error page, and nothing delivered where nobody listens', async () => {
    expect(await query(answerOf('ANULADO'), 503)).toMatchObject({ kind: 'no_evidence', reason: 'HTTP 503' });
    expect(await new ConsultationClient(transport, 'http://127.0.0.1:1/').query(KEY)).toMatchObject({ kind: 'not_delivered' });
  });
});
