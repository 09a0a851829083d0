import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { VirtualClock } from '../virtual-clock.js';
import type { Exchange, SriBrain } from '../brain/brain.js';
import type { DocumentService, TransportAction } from '../brain/fault-actions.js';
import type { ControlAnswer } from './control/answer.js';
import { control } from './control/control.js';
import { authorizationEnvelope, consultationEnvelope, faultEnvelope, receptionEnvelope } from './envelopes.js';
import { serveRegistry } from './registry.js';
import { BodyTooLarge, readBody } from './request-body.js';
import { SERVICES } from './services.js';
import { decodeBase64, readCall, UnreadableCall } from './soap-request.js';
import { deliver, send, XML_TYPE } from './transport.js';
import { describeService } from './wsdl.js';

const CONTROL = '/control/';
const MAX_BODY_BYTES = 2 * 1024 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';
const PLAIN_TYPE = 'text/plain; charset=utf-8';
/** Stands before paths, so that they are read as URLs. */
const ORIGIN = 'http://simulator';

export interface RunningSimulator {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves a brain over HTTP at the paths of the real services, plus `/control/`. */
export async function serve(
  brain: SriBrain,
  clock: VirtualClock,
  address: { host: string; port: number },
): Promise<RunningSimulator> {
  const server = createServer((request, response) => {
    response.setHeader('date', clock.now().toUTCString());
    handle(brain, clock, request, response).catch((error: unknown) => {
      fail(response, error);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return { url: `http://${host}:${port}`, stop: () => stop(server) };
}

async function handle(
  brain: SriBrain,
  clock: VirtualClock,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '/';
  if (!URL.canParse(target, ORIGIN)) {
    sendText(response, 400, PLAIN_TYPE, 'the path is none of a URL\n');
    return;
  }
  const url = new URL(target, ORIGIN);
  const service = SERVICES[url.pathname];
  if (service !== undefined) return serveSoap(brain, service, url, request, response);
  if (await serveRegistry(brain, url, request, response)) return;
  if (url.pathname.startsWith(CONTROL)) return serveControl(brain, clock, url, request, response);
  sendText(response, 404, PLAIN_TYPE, 'not found\n');
}

async function serveControl(
  brain: SriBrain,
  clock: VirtualClock,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: ControlAnswer;
  try {
    const body = parseJson((await readBody(request, MAX_BODY_BYTES)).toString('utf8'));
    const path = url.pathname.slice(CONTROL.length);
    answer =
      body === undefined
        ? { status: 400, body: { error: 'the body is not JSON' } }
        : control(brain, clock, request.method ?? 'GET', path, url.searchParams, body);
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    response.setHeader('connection', 'close');
    answer = { status: 413, body: { error: `the body has more than ${MAX_BODY_BYTES} bytes` } };
  }
  sendText(response, answer.status, JSON_TYPE, `${JSON.stringify(answer.body)}\n`);
}

async function serveSoap(
  brain: SriBrain,
  service: DocumentService,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET' && url.searchParams.has('wsdl')) {
    const address = `http://${request.headers.host ?? 'localhost'}${url.pathname}`;
    sendText(response, 200, XML_TYPE, describeService(service, address));
    return;
  }
  if (request.method !== 'POST') {
    sendText(response, 405, XML_TYPE, faultEnvelope('Client', 'Solo POST'));
    return;
  }
  try {
    const argument = readCall(service, await readBody(request, MAX_BODY_BYTES));
    const { envelope, delayMs, transport } = call(brain, service, argument);
    if (delayMs > 0) await wait(delayMs);
    await deliver(request, response, envelope, transport);
  } catch (error) {
    if (error instanceof UnreadableCall) {
      brain.noteUnreadable(service);
      sendText(response, 500, XML_TYPE, faultEnvelope('Client', error.message));
    } else if (error instanceof BodyTooLarge) {
      brain.noteUnreadable(service);
      response.setHeader('connection', 'close');
      sendText(response, 413, XML_TYPE, faultEnvelope('Client', 'Mensaje demasiado grande'));
    } else {
      throw error;
    }
  }
}

interface Called {
  /** Empty when the request was not processed. */
  readonly envelope: string;
  readonly delayMs: number;
  readonly transport: TransportAction | null;
}

function call(brain: SriBrain, service: DocumentService, argument: string): Called {
  switch (service) {
    case 'reception':
      return enveloped(brain.submit(decodeBase64(argument)), receptionEnvelope);
    case 'authorization':
      return enveloped(brain.authorize(argument), authorizationEnvelope);
    case 'consultation':
      return enveloped(brain.consult(argument), consultationEnvelope);
  }
}

function enveloped<Outcome>({ outcome, delayMs, transport }: Exchange<Outcome>, write: (outcome: Outcome) => string): Called {
  return { envelope: outcome === null ? '' : write(outcome), delayMs, transport };
}

function sendText(response: ServerResponse, status: number, contentType: string, text: string): void {
  send(response, { status, contentType, body: Buffer.from(text) });
}

/** Undefined when the text is no JSON; null for an empty text. */
function parseJson(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The caller answers 400; the parser's words would not help more than that.
    return undefined;
  }
}

/** A defect of the simulator itself: visible on its console, a fault to the client. */
function fail(response: ServerResponse, error: unknown): void {
  console.error(error);
  if (!response.headersSent) sendText(response, 500, XML_TYPE, faultEnvelope('Server', 'Error del simulador'));
  else response.destroy();
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => {
      if (error) reject(error);
      else resolve();
    });
    // Hanging answers and idle keep-alive connections would hold the server open for ever.
    server.closeAllConnections();
  });
}
