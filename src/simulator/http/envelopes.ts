import { guayaquilDateTime } from '../brain/guayaquil-time.js';
import type { SriMessage } from '../brain/messages.js';
import type { AuthorizationEntry, AuthorizationOutcome, ConsultationOutcome, ReceptionOutcome } from '../brain/outcome.js';
import { OPERATIONS } from './soap-request.js';

const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const ENVIRONMENT_NAMES = { '1': 'PRUEBAS', '2': 'PRODUCCIÓN' } as const;

/** Answer of reception. Only the wrapper is qualified, as in the real service. */
export function receptionEnvelope({ estado, accessKey, messages }: ReceptionOutcome): string {
  const documents =
    messages.length === 0
      ? '<comprobantes/>'
      : `<comprobantes><comprobante>${tag('claveAcceso', accessKey)}${messageList(messages)}</comprobante></comprobantes>`;
  return envelope(
    OPERATIONS.reception.namespace,
    'validarComprobanteResponse',
    'RespuestaRecepcionComprobante',
    `${optional('estado', estado)}${documents}`,
  );
}

/** Answer of authorization; without echo and count when the key was malformed. */
export function authorizationEnvelope({ consultedKey, entries }: AuthorizationOutcome): string {
  const echo =
    consultedKey === null
      ? ''
      : `${tag('claveAccesoConsultada', consultedKey)}${tag('numeroComprobantes', String(entries.length))}`;
  const list =
    entries.length === 0
      ? '<autorizaciones/>'
      : `<autorizaciones>${entries.map(authorization).join('')}</autorizaciones>`;
  return envelope(
    OPERATIONS.authorization.namespace,
    'autorizacionComprobanteResponse',
    'RespuestaAutorizacionComprobante',
    `${echo}${list}`,
  );
}

/** Answer of the consultation service. */
export function consultationEnvelope(outcome: ConsultationOutcome): string {
  return envelope(
    OPERATIONS.consultation.namespace,
    'consultarEstadoAutorizacionComprobanteResponse',
    'EstadoAutorizacionComprobante',
    [
      optional('estadoConsulta', outcome.refusal),
      tag('claveAcceso', outcome.accessKey),
      messageList(outcome.messages),
      optional('estadoAutorizacion', outcome.estado),
      optional('tipoComprobante', outcome.documentType),
      optional('rucEmisor', outcome.issuerRuc),
      optional('fechaAutorizacion', outcome.authorizedAt && guayaquilDateTime(outcome.authorizedAt)),
    ].join(''),
  );
}

/** A SOAP 1.1 fault; the services send it with status 500. */
export function faultEnvelope(code: 'Client' | 'Server', text: string): string {
  const fault = `<soap:Fault><faultcode>soap:${code}</faultcode>${tag('faultstring', text)}</soap:Fault>`;
  return `${PROLOG}<soap:Envelope xmlns:soap="${SOAP}"><soap:Body>${fault}</soap:Body></soap:Envelope>`;
}

function envelope(namespace: string, operation: string, answer: string, content: string): string {
  return (
    `${PROLOG}<soap:Envelope xmlns:soap="${SOAP}"><soap:Body><ns2:${operation} xmlns:ns2="${namespace}">` +
    `<${answer}>${content}</${answer}></ns2:${operation}></soap:Body></soap:Envelope>`
  );
}

function authorization(entry: AuthorizationEntry): string {
  return [
    '<autorizacion>',
    tag('estado', entry.estado),
    optional('numeroAutorizacion', entry.authorizationNumber),
    optional('fechaAutorizacion', entry.authorizedAt && guayaquilDateTime(entry.authorizedAt)),
    optional('ambiente', entry.environment && ENVIRONMENT_NAMES[entry.environment]),
    entry.document === null ? '' : `<comprobante>${cdata(entry.document)}</comprobante>`,
    messageList(entry.messages),
    '</autorizacion>',
  ].join('');
}

function messageList(messages: readonly SriMessage[]): string {
  if (messages.length === 0) return '<mensajes/>';
  const items = messages.map(
    ({ identifier, message, additionalInfo, type }) =>
      `<mensaje>${tag('identificador', identifier)}${tag('mensaje', message)}` +
      `${optional('informacionAdicional', additionalInfo)}${optional('tipo', type)}</mensaje>`,
  );
  return `<mensajes>${items.join('')}</mensajes>`;
}

function optional(name: string, text: string | null): string {
  return text === null ? '' : tag(name, text);
}

function tag(name: string, text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<${name}>${escaped}</${name}>`;
}

/** A document may hold CDATA sections of its own: their ends are split over two sections. */
function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}
