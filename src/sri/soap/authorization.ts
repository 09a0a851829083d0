import { authorizationState } from './classification.js';
import { ask, envelopeOf } from './exchange.js';
import {
  childrenNamed,
  heard,
  messagesOf,
  NoEvidence,
  responseElement,
  single,
  textOf,
  unescapeXml,
  type Element,
  type SriMessage,
} from './message.js';
import { DEFAULT_SOAP_LIMITS, type SoapLimits, type SoapTransport } from './transport.js';
import type { Unanswered } from './unanswered.js';

const NAMESPACE = 'http://ec.gob.sri.ws.autorizacion';

/** One `autorizacion` node; a key may have several refusals and at most one authorization (ficha técnica §5.11). */
export interface AuthorizationEntry {
  /** As sent, upper case and trimmed: AUTORIZADO, NO AUTORIZADO, EN PROCESO, ...; empty when missing. */
  readonly estado: string;
  readonly numeroAutorizacion: string | null;
  readonly fechaAutorizacion: string | null;
  readonly ambiente: string | null;
  /** The signed document as the SRI holds it, prolog included. */
  readonly comprobante: string | null;
  readonly messages: readonly SriMessage[];
}

export type AuthorizationAnswer =
  | {
      readonly kind: 'entries';
      /** In the SRI's order, without those of another number; none means unknown there or not processed yet, never refused. */
      readonly entries: readonly AuthorizationEntry[];
    }
  | Unanswered;

/** The SRI's authorization service, `autorizacionComprobante` (ficha técnica §8). */
export class AuthorizationClient {
  constructor(
    private readonly transport: SoapTransport,
    private readonly url: string,
    private readonly limits: SoapLimits = DEFAULT_SOAP_LIMITS,
  ) {}

  /** Asks what became of a key. Never rejects for what the network or the SRI does. */
  async query(accessKey: string): Promise<AuthorizationAnswer> {
    return ask(this.transport, this.url, authorizationEnvelope(accessKey), this.limits, (body) => readAuthorization(body, accessKey));
  }
}

/** The question of `autorizacionComprobante`. */
function authorizationEnvelope(accessKey: string): string {
  if (!/^\d{49}$/.test(accessKey)) throw new TypeError('an access key has 49 digits');
  return envelopeOf(NAMESPACE, 'autorizacionComprobante', `<claveAccesoComprobante>${accessKey}</claveAccesoComprobante>`);
}

function readAuthorization(body: string, accessKey: string): AuthorizationAnswer {
  const response = responseElement(
    body,
    NAMESPACE,
    'autorizacionComprobanteResponse',
    'RespuestaAutorizacionComprobante',
  );
  const consultedKey = textOf(response, 'claveAccesoConsultada');
  if (consultedKey === null) {
    const listed = listedIn(response) ?? [];
    throw new NoEvidence(`no key echoed${said(listed)}`, { codes: codesOf(listed) });
  }
  if (consultedKey !== accessKey) throw new NoEvidence('the answer is for another access key');
  const entries = heard(() => ownEntries(response, accessKey));
  // RECHAZADA is how the service refuses the query itself (codes 80 and 99), not a document: it is as if it were away.
  if (entries.length > 0 && entries.every(({ estado }) => estado === 'RECHAZADA')) {
    throw new NoEvidence(`the query was refused${said(entries)}`, { codes: codesOf(entries) });
  }
  return { kind: 'entries', entries };
}

function listedIn(response: Element): readonly AuthorizationEntry[] | null {
  const list = single(response, 'autorizaciones');
  return list === null ? null : childrenNamed(list, 'autorizacion').map(entryOf);
}

/**
 * The entries that are not of another number: refusals may have one, such as 0, beside the authorization, and say nothing.
 *
 * @throws NoEvidence when none is left of those that are listed or announced, or an authorization is another's
 */
function ownEntries(response: Element, accessKey: string): readonly AuthorizationEntry[] {
  const listed = listedIn(response);
  const isOther = ({ numeroAutorizacion }: AuthorizationEntry): boolean => numeroAutorizacion !== null && numeroAutorizacion !== accessKey;
  const own = (listed ?? []).filter((entry) => !isOther(entry));
  const others = (listed ?? []).filter(isOther);
  if (others.length > 0 && (own.length === 0 || others.some(({ estado }) => authorizationState(estado) === 'authorized'))) {
    throw new NoEvidence('an entry carries another authorization number');
  }
  const announced = textOf(response, 'numeroComprobantes');
  if (own.length === 0 && announced !== '0' && (announced !== null || listed === null)) throw new NoEvidence('the entries are missing');
  return own;
}

function entryOf(node: Element): AuthorizationEntry {
  return {
    estado: (textOf(node, 'estado') ?? '').replace(/\s+/g, ' ').toUpperCase(),
    numeroAutorizacion: textOf(node, 'numeroAutorizacion'),
    fechaAutorizacion: textOf(node, 'fechaAutorizacion'),
    ambiente: textOf(node, 'ambiente'),
    comprobante: documentOf(node),
    messages: messagesOf(node),
  };
}

/** In CDATA, as escaped text, or (some gateways) escaped once more inside the CDATA. */
function documentOf(node: Element): string | null {
  const text = single(node, 'comprobante')?.text.trim() ?? '';
  if (text === '') return null;
  return text.startsWith('&lt;') ? unescapeXml(text) : text;
}

const codesOf = (entries: readonly AuthorizationEntry[]): string[] => entries.flatMap(({ messages }) => messages.map(({ identifier }) => identifier ?? '?'));

function said(entries: readonly AuthorizationEntry[]): string {
  const codes = codesOf(entries);
  return codes.length === 0 ? '' : ` (messages ${codes.join(', ')})`;
}
