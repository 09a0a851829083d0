import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, Agent } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve, type RunningSimulator } from '../../src/simulator/http/server.js';
import type { Json } from '../support/http.js';
import { AFTERNOON, ManualClock, schemas, signedInvoice } from '../support/simulator/sri.js';
import { SriBrain } from '../../src/simulator/brain/brain.js';
import { defaultSettings } from '../../src/simulator/brain/settings.js';
import { VirtualClock } from '../../src/simulator/virtual-clock.js';

const RECEPTION = '/comprobantes-electronicos-ws/RecepcionComprobantesOffline';
const AUTHORIZATION = '/comprobantes-electronicos-ws/AutorizacionComprobantesOffline';

const CONSULTATION = '/comprobantes-electronicos-ws/ConsultaComprobante';

const receptionCall = (content: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ec="http://ec.gob.sri.ws.recepcion">' +
  `<soapenv:Header/><soapenv:Body><ec:validarComprobante>${content}</ec:validarComprobante></soapenv:Body></soapenv:Envelope>`;
const submission = (bytes: Uint8Array): string => receptionCall(`<xml>${Buffer.from(bytes).toString('base64')}</xml>`);
const query = (key: string): string =>
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><a:autorizacionComprobante xmlns:a="http://ec.gob.sri.ws.autorizacion">' +
  `<claveAccesoComprobante>${key}</claveAccesoComprobante></a:autorizacionComprobante></s:Body></s:Envelope>`;
const consultation = (key: string): string =>
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><c:consultarEstadoAutorizacionComprobante xmlns:c="http://ec.gob.sri.ws.consultas">' +
  `<claveAcceso>${key}</claveAcceso></c:consultarEstadoAutorizacionComprobante></s:Body></s:Envelope>`;

describe('the simulator over HTTP', () => {
  let simulator: RunningSimulator;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock(AFTERNOON);
    const virtual = new VirtualClock(clock);
    const brain = new SriBrain(virtual, { ...defaultSettings(schemas), processingMs: { min: 100, max: 100 } });
    simulator = await serve(brain, virtual, { host: '127.0.0.1', port: 0 });
  });
  afterEach(() => simulator.stop());

  const post = (path: string, body: string, signal?: AbortSignal) =>
    fetch(`${simulator.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
      ...(signal && { signal }),
    });
  const postText = async (path: string, body: string): Promise<string> => (await post(path, body)).text();
  const controlCall = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> => {
    const response = await fetch(`${simulator.url}/control/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const fault = (rule: object) => controlCall('POST', 'faults', rule);

  it('receives, processes and authorizes with the envelopes of the SRI', async () => {
    const { bytes, accessKey } = signedInvoice();
    const received = await post(RECEPTION, submission(bytes));
    expect(received.status).toBe(200);
    expect(received.headers.get('content-type')).toBe('text/xml;charset=UTF-8');
    expect(received.headers.get('date')).toBe(AFTERNOON.toUTCString());
    expect(await received.text()).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><ns2:validarComprobanteResponse xmlns:ns2="http://ec.gob.sri.ws.recepcion">' +
        '<RespuestaRecepcionComprobante><estado>RECIBIDA</estado><comprobantes/></RespuestaRecepcionComprobante></ns2:validarComprobanteResponse></soap:Body></soap:Envelope>',
    );
    const pending = await postText(AUTHORIZATION, query(accessKey));
    expect(pending).toContain(
      '<numeroComprobantes>1</numeroComprobantes><autorizaciones><autorizacion><estado>EN PROCESO</estado><ambiente>PRUEBAS</ambiente><comprobante><![CDATA[',
    );
    expect(await postText(RECEPTION, submission(bytes))).toContain('<identificador>70</identificador>');
    clock.advance(100);
    expect(await postText(AUTHORIZATION, query(accessKey))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><ns2:autorizacionComprobanteResponse xmlns:ns2="http://ec.gob.sri.ws.autorizacion">' +
        `<RespuestaAutorizacionComprobante><claveAccesoConsultada>${accessKey}</claveAccesoConsultada><numeroComprobantes>1</numeroComprobantes><autorizaciones><autorizacion><estado>AUTORIZADO</estado>` +
        `<numeroAutorizacion>${accessKey}</numeroAutorizacion><fechaAutorizacion>2026-08-25T15:00:00-05:00</fechaAutorizacion><ambiente>PRUEBAS</ambiente><comprobante><![CDATA[${bytes.toString()}]]></comprobante>` +
        '<mensajes><mensaje><identificador>60</identificador><mensaje>ESTE PROCESO FUE REALIZADO EN EL AMBIENTE DE PRUEBAS</mensaje><tipo>ADVERTENCIA</tipo></mensaje></mensajes>' +
        '</autorizacion></autorizaciones></RespuestaAutorizacionComprobante></ns2:autorizacionComprobanteResponse></soap:Body></soap:Envelope>',
    );
  });

  it('answers like the SRI to refusals, unknown keys and malformed keys', async () => {
    const { accessKey } = signedInvoice();
    expect(await postText(RECEPTION, submission(Buffer.from('no xml')))).toContain(
      '<RespuestaRecepcionComprobante><comprobantes><comprobante><claveAcceso>N/A</claveAcceso><mensajes><mensaje><identificador>35</identificador>',
    );
    expect(await postText(RECEPTION, receptionCall(''))).toContain('<identificador>49</identificador>');
    expect(await postText(AUTHORIZATION, query(accessKey))).toContain(
      `<claveAccesoConsultada>${accessKey}</claveAccesoConsultada><numeroComprobantes>0</numeroComprobantes><autorizaciones/>`,
    );
    expect(await postText(AUTHORIZATION, query('123'))).toContain(
      '<RespuestaAutorizacionComprobante><autorizaciones><autorizacion><estado>RECHAZADA</estado><mensajes><mensaje><identificador>80</identificador><mensaje>ERROR EN LA ESTRUCTURA DE LA CLAVE DE ACCESO</mensaje></mensaje></mensajes></autorizacion></autorizaciones>',
    );
  });

  it('keeps CDATA sections of a document whole', async () => {
    const { bytes, accessKey } = signedInvoice({ replace: [['Producto ñ', '<![CDATA[Producto ñ]]>']] });
    await post(RECEPTION, submission(bytes));
    const text = await postText(AUTHORIZATION, query(accessKey));
    const inside = text.slice(text.indexOf('<comprobante>') + 13, text.indexOf('</comprobante>'));
    expect(inside.replaceAll(']]]]><![CDATA[>', ']]>')).toBe(`<![CDATA[${bytes.toString()}]]>`);
  });

  it.each([
    ['garbage', 'hello'],
    ['another operation', receptionCall('').replaceAll('validarComprobante', 'otra')],
    ['another namespace', receptionCall('').replace('ws.recepcion', 'ws.otro')],
    ['a qualified parameter', receptionCall('<ec:xml>AAAA</ec:xml>')],
    ['text that is not base64', receptionCall('<xml>%%%</xml>')],
    ['entities', `<!DOCTYPE a [<!ENTITY x "y">]>${receptionCall('<xml>&x;</xml>').slice(38)}`],
  ])('answers a SOAP fault to %s', async (_, body) => {
    const response = await post(RECEPTION, body);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('<faultcode>soap:Client</faultcode>');
    const { body: ledger } = await controlCall('GET', 'ledger');
    expect(ledger.totals).toEqual({ 'reception UNREADABLE': 1 });
  });

  it('caps the body, describes itself, and refuses other methods', async () => {
    expect((await post(RECEPTION, 'x'.repeat(3 * 1024 * 1024))).status).toBe(413);
    const wsdl = await fetch(`${simulator.url}${RECEPTION}?wsdl`);
    expect(await wsdl.text()).toContain(`<soap:address location="${simulator.url}${RECEPTION}"/>`);
    expect((await fetch(`${simulator.url}${RECEPTION}`)).status).toBe(405);
    expect((await fetch(`${simulator.url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${simulator.url}//`)).status).toBe(400);
  });

  it('keeps connections alive', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let count = 0; count < 3; count += 1) {
      await new Promise<void>((resolve, reject) => {
        const call = httpRequest(`${simulator.url}${AUTHORIZATION}`, { method: 'POST', agent }, (response) => {
          ports.add(response.socket.localPort);
          response.resume().once('end', resolve);
        });
        call.once('error', reject);
        call.end(query('123'));
      });
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  describe('faults', () => {
    const document = signedInvoice();
    const states = async (): Promise<string[]> =>
      (await postText(AUTHORIZATION, query(document.accessKey))).match(/<estado>[^<]*/g) ?? [];

    it('time out before or after accepting', async () => {
      await fault({
        rules: [
          { action: { kind: 'hang', phase: 'before' } },
          { match: { service: 'reception' }, action: { kind: 'hang', phase: 'after' } },
        ],
      });
      /** What comes of a request within a while after it has arrived; it is given up then. */
      const answered = async (arrived: number): Promise<unknown> => {
        const giveUp = new AbortController();
        const answer = post(RECEPTION, submission(document.bytes), giveUp.signal).then(() => 'an answer', () => 'given up');
        while ((await controlCall('GET', 'ledger')).body.requests < arrived) await sleep(10);
        const first = await Promise.race([answer, sleep(500, 'silence')]);
        giveUp.abort();
        return first;
      };
      expect(await answered(1)).toBe('silence');
      expect(await states()).toEqual([]);
      expect(await answered(3)).toBe('silence');
      expect(await states()).toEqual(['<estado>EN PROCESO']);
    });

    it('reset the connection before or after accepting', async () => {
      await fault({
        rules: [
          { action: { kind: 'reset', phase: 'before' } },
          { match: { service: 'reception' }, action: { kind: 'reset', phase: 'after' } },
        ],
      });
      await expect(post(RECEPTION, submission(document.bytes))).rejects.toMatchObject({
        cause: { code: 'ECONNRESET' },
      });
      expect(await states()).toEqual([]);
      await expect(post(RECEPTION, submission(document.bytes))).rejects.toMatchObject({
        cause: { code: 'ECONNRESET' },
      });
      expect(await states()).toEqual(['<estado>EN PROCESO']);
    });

    it('answer with pages instead of envelopes', async () => {
      await fault({
        rules: [
          { action: { kind: 'http', status: 503, headers: { 'retry-after': '7' } } },
          { action: { kind: 'http', status: 200, phase: 'after' } },
          { action: { kind: 'http', status: 502, body: '' } },
        ],
      });
      const unavailable = await post(RECEPTION, submission(document.bytes));
      expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '7']);
      expect(await unavailable.text()).toContain('<!DOCTYPE html>');
      const page = await post(RECEPTION, submission(document.bytes));
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const empty = await post(RECEPTION, submission(document.bytes));
      expect([empty.status, await empty.text()]).toEqual([502, '']);
      expect(await states()).toEqual(['<estado>EN PROCESO']);
    });

    it.each([
      ['empty', (text: string) => text === ''],
      ['truncated', (text: string) => text.startsWith('<?xml') && !text.includes('</soap:Envelope>')],
      ['not_xml', (text: string) => text.startsWith('{')],
      ['wrong_namespace', (text: string) => !text.includes('ec.gob.sri')],
      ['soap_fault', (text: string) => text.includes('<soap:Fault>')],
      ['wrong_encoding', (text: string) => text.includes('\u0000')],
      ['entity_bomb', (text: string) => text.includes('&e9;')],
      ['external_entity', (text: string) => text.includes('SYSTEM')],
      ['unknown_root', (text: string) => text.includes('<respuesta>')],
      ['oversized', (text: string) => text.length > 20 * 1024 * 1024],
    ])('spoil the body: %s', async (body, isSpoilt) => {
      await fault({ action: { kind: 'malformed', body } });
      expect(isSpoilt(await postText(RECEPTION, submission(document.bytes)))).toBe(true);
      expect(await states()).toEqual(['<estado>EN PROCESO']);
    });

    it('delay and drip the answer', async () => {
      await fault({
        rules: [{ action: { kind: 'delay', ms: 200 } }, { action: { kind: 'drip', bytes_per_second: 2000 } }],
      });
      const start = performance.now();
      const text = await postText(RECEPTION, submission(document.bytes));
      expect(text).toContain('RECIBIDA');
      expect(performance.now() - start).toBeGreaterThan(300);
    });

    it('can be listed and cleared, and say what is wrong with them', async () => {
      expect(await fault({ action: { kind: 'delay', ms: 'x' } })).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('rules[0].action.ms') as string },
      });
      expect(await fault({ times: null, action: { kind: 'empty' } })).toEqual({ status: 201, body: { ids: [1] } });
      await states();
      expect((await controlCall('GET', 'faults')).body.rules).toMatchObject([
        { id: 1, seen: 1, times: null, action: { kind: 'empty' } },
      ]);
      expect((await controlCall('DELETE', 'faults')).body).toEqual({ rules: [] });
      expect((await fetch(`${simulator.url}/control/faults`, { method: 'POST', body: '{' })).status).toBe(400);
    });

    it('are refused where they could not be played', async () => {
      const refused = { status: 422, body: { error: expect.stringContaining('rules[0].action.headers.Content-Length') as string } };
      expect(await fault({ action: { kind: 'http', status: 503, headers: { 'Content-Length': '7' } } })).toEqual(refused);
      const tooLong = await fault({ action: { kind: 'http', status: 503, body: 'x'.repeat(3 * 1024 * 1024) } });
      expect(tooLong).toEqual({ status: 413, body: { error: 'the body has more than 2097152 bytes' } });
      expect((await controlCall('GET', 'faults')).body).toEqual({ rules: [] });
    });
  });

  it('shows the ledger of a key and the sum of all', async () => {
    const { bytes, accessKey } = signedInvoice();
    await fault({ match: { service: 'reception' }, action: { kind: 'reset', phase: 'after' } });
    await post(RECEPTION, submission(bytes)).catch(() => undefined);
    clock.advance(100);
    await post(RECEPTION, submission(bytes));
    await post(AUTHORIZATION, query(accessKey));
    const { body } = await controlCall('GET', `ledger?access_key=${accessKey}`);
    expect(body).toMatchObject({
      access_key: accessKey,
      state: 'authorized',
      authorized: 1,
      submissions: 2,
      queries: 1,
    });
    expect(body.digests).toEqual(body.stored_digests);
    expect(
      body.entries.map(({ sequence, outcome, codes, fault: applied }: Json) => [
        sequence,
        outcome,
        codes,
        applied?.kind,
      ]),
    ).toEqual([
      [1, 'RECIBIDA', [], 'reset'],
      [2, 'DEVUELTA', ['43'], undefined],
      [3, 'AUTORIZADO', ['60'], undefined],
    ]);
    const summary = (await controlCall('GET', 'ledger?entries=1')).body;
    expect(summary).toMatchObject({
      requests: 3,
      keys: 1,
      documents: { authorized: 1 },
      keys_with_several_digests: [],
      keys_stored_more_than_once: [],
    });
    expect(summary.entries).toHaveLength(1);
    expect((await controlCall('GET', 'health')).body).toMatchObject({ status: 'ok', requests: 3 });
  });

  it('answers consultations, and plays the portal’s part of an annulment', async () => {
    const { bytes, accessKey } = signedInvoice();
    const consult = () => postText(CONSULTATION, consultation(accessKey));
    expect(await consult()).toContain(
      `<EstadoAutorizacionComprobante><estadoConsulta>RECHAZADA</estadoConsulta><claveAcceso>${accessKey}</claveAcceso><mensajes><mensaje><identificador>99</identificador>`,
    );
    await post(RECEPTION, submission(bytes));
    expect(await controlCall('POST', `portal/${accessKey}`, { act: 'annul' })).toEqual({ status: 409, body: { error: 'not_authorized' } });
    clock.advance(100);
    expect(await consult()).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><ns2:consultarEstadoAutorizacionComprobanteResponse xmlns:ns2="http://ec.gob.sri.ws.consultas">' +
        `<EstadoAutorizacionComprobante><claveAcceso>${accessKey}</claveAcceso><mensajes/><estadoAutorizacion>AUTORIZADO</estadoAutorizacion><tipoComprobante>Factura</tipoComprobante><rucEmisor>1790012345001</rucEmisor>` +
        '<fechaAutorizacion>2026-08-25T15:00:00-05:00</fechaAutorizacion></EstadoAutorizacionComprobante></ns2:consultarEstadoAutorizacionComprobanteResponse></soap:Body></soap:Envelope>',
    );
    expect(await controlCall('POST', `portal/${accessKey}`, { act: 'accept' })).toEqual({ status: 409, body: { error: 'nothing_to_accept' } });
    expect(await controlCall('POST', `portal/${accessKey}`, { act: 'annul' })).toEqual({ status: 200, body: { annulment: 'annulled', accept_before: null } });
    expect(await consult()).toContain('<estadoAutorizacion>ANULADO</estadoAutorizacion>');
    const { body } = await controlCall('GET', `ledger?access_key=${accessKey}`);
    expect(body).toMatchObject({ state: 'authorized', annulment: 'annulled', consultations: 3 });
    expect(body.entries.map(({ outcome }: Json) => outcome)).toEqual(['RECHAZADA', 'RECIBIDA', 'AUTORIZADO', 'ANULADO']);
  });

  it('never annuls what went to the final consumer', async () => {
    const { bytes, accessKey } = signedInvoice({ buyerIdType: '07', buyerId: '9999999999999' });
    await post(RECEPTION, submission(bytes));
    clock.advance(100);
    expect(await controlCall('POST', `portal/${accessKey}`, { act: 'annul' })).toEqual({ status: 409, body: { error: 'final_consumer' } });
  });

  it('takes its services down one by one', async () => {
    const { bytes, accessKey } = signedInvoice();
    expect((await controlCall('PUT', 'services/authorization', { up: false })).body).toEqual({
      reception: { up: true },
      authorization: { up: false, how: 'unavailable' },
      consultation: { up: true },
      registry: { up: true },
    });
    expect(await postText(RECEPTION, submission(bytes))).toContain('RECIBIDA');
    expect((await post(AUTHORIZATION, query(accessKey))).status).toBe(503);
    await controlCall('PUT', 'services/reception', { up: false, how: 'unreachable' });
    await expect(post(RECEPTION, submission(bytes))).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    await controlCall('PUT', 'services/authorization', { up: true });
    expect((await post(AUTHORIZATION, query(accessKey))).status).toBe(200);
    expect((await controlCall('PUT', 'services/mail', { up: true })).status).toBe(422);
    expect((await controlCall('GET', `ledger?access_key=${accessKey}`)).body.entries[1].fault).toMatchObject({ kind: 'outage', rule: null });
  });

  it('moves its own time', async () => {
    const { bytes, accessKey } = signedInvoice();
    await post(RECEPTION, submission(bytes));
    expect((await controlCall('POST', 'clock/advance', { seconds: 0.1 })).body).toEqual({ now: '2026-08-25T20:00:00.100Z', ahead_seconds: 0.1 });
    expect(await postText(AUTHORIZATION, query(accessKey))).toContain('<estado>AUTORIZADO</estado>');
    expect((await controlCall('PUT', 'clock', { now: '2026-08-24T15:00:00-05:00' })).body.now).toBe('2026-08-24T20:00:00.000Z');
    const second = signedInvoice({ sequential: 2 });
    expect(await postText(RECEPTION, submission(second.bytes))).toContain('<identificador>65</identificador>');
    expect((await controlCall('PUT', 'clock', { now: 'later' })).status).toBe(422);
    expect((await controlCall('DELETE', 'clock')).body).toEqual({ now: AFTERNOON.toISOString(), ahead_seconds: 0 });
    expect((await controlCall('GET', 'health')).body.now).toBe(AFTERNOON.toISOString());
  });

  it('filters the ledger by operation and time, and removes single rules', async () => {
    const { bytes, accessKey } = signedInvoice();
    const { ids } = (await fault({ rules: [{ action: { kind: 'refuse', code: '50', at: 'reception' }, times: null }] })).body;
    await post(RECEPTION, submission(bytes));
    expect(await controlCall('DELETE', `faults/${ids[0]}`)).toEqual({ status: 200, body: { id: ids[0] } });
    expect((await controlCall('DELETE', `faults/${ids[0]}`)).status).toBe(404);
    clock.advance(1000);
    await post(RECEPTION, submission(bytes));
    await post(AUTHORIZATION, query(accessKey));
    const found = async (filter: string): Promise<string[]> =>
      (await controlCall('GET', `ledger?${filter}`)).body.entries.map(({ outcome }: Json) => outcome);
    expect(await found(`access_key=${accessKey}&operation=reception`)).toEqual(['DEVUELTA', 'RECIBIDA']);
    expect(await found('operation=authorization')).toEqual(['EN PROCESO']);
    expect(await found(`since=${new Date(AFTERNOON.getTime() + 1000).toISOString()}`)).toEqual(['RECIBIDA', 'EN PROCESO']);
    expect(await found('operation=reception&entries=1')).toEqual(['RECIBIDA']);
    expect((await controlCall('GET', 'ledger?operation=mail')).status).toBe(422);
    expect((await controlCall('GET', `ledger?access_key=${accessKey}`)).body.entries[0]).toMatchObject({
      at: AFTERNOON.toISOString(),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      codes: ['50'],
    });
  });

  it('does what a document’s magic value says', async () => {
    const { bytes, accessKey } = signedInvoice({
      replace: [['</detalles>', '</detalles><infoAdicional><campoAdicional nombre="Simulador">50, html-502@authorization</campoAdicional></infoAdicional>']],
    });
    expect(await postText(RECEPTION, submission(bytes))).toContain('<identificador>50</identificador>');
    expect(await postText(RECEPTION, submission(bytes))).toContain('RECIBIDA');
    expect((await post(AUTHORIZATION, query(accessKey))).status).toBe(502);
    expect((await post(AUTHORIZATION, query(accessKey))).status).toBe(200);
    await controlCall('PATCH', 'settings', { magic_values: false });
    expect(await postText(RECEPTION, submission(bytes))).toContain('<identificador>70</identificador>');
  });

  it('changes taxpayers and settings while it runs', async () => {
    const document = signedInvoice();
    expect((await controlCall('PUT', 'taxpayers/1790012345001', { suspended: true })).status).toBe(200);
    expect((await controlCall('PATCH', 'settings', { processing_ms: { min: 0, max: 0 } })).status).toBe(200);
    await post(RECEPTION, submission(document.bytes));
    expect(await postText(AUTHORIZATION, query(document.accessKey))).toContain('<identificador>57</identificador>');
    await controlCall('PUT', 'taxpayers/1790012345001', {});
    await post(RECEPTION, submission(document.bytes));
    expect(await postText(AUTHORIZATION, query(document.accessKey))).toContain('<estado>AUTORIZADO</estado>');
    expect((await controlCall('PATCH', 'settings', { processing_ms: { min: 2, max: 1 } })).body.error).toContain(
      'processing_ms',
    );
    expect((await controlCall('PUT', 'taxpayers/1790012345001', { closed: true })).body.error).toContain('closed');
  });
});

describe('the simulator as a process', () => {
  const start = async (): Promise<{ child: ChildProcess; line: string; url: string }> => {
    const child = fork(join(import.meta.dirname, '..', '..', 'dist', 'src', 'simulator', 'main.js'), {
      env: { ...process.env, SIMULATOR_PORT: '0' },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const ready = once(child, 'message');
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const [message] = (await ready) as [{ type: string; url: string }];
    expect(message.type).toBe('ready');
    return { child, line, url: message.url };
  };

  it('announces itself once, serves, and leaves cleanly on SIGTERM', async () => {
    const { child, line, url } = await start();
    expect(line).toBe(`simulator listening on ${url}`);
    const health = (await (await fetch(`${url}/control/health`)).json()) as { status: string };
    expect(health.status).toBe('ok');
    const { bytes } = signedInvoice();
    const answer = await fetch(`${url}${RECEPTION}`, { method: 'POST', body: submission(bytes) });
    // The process runs on the host's clock: the invoice may be too old for it, but its schema must be known.
    expect(await answer.text()).toMatch(/<estado>RECIBIDA<|<identificador>65</);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('leaves when its parent goes', async () => {
    const { child } = await start();
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
