import { ask, envelopeOf } from './exchange.js';
import { messagesOf, NoEvidence, responseElement, textOf, type Element, type SriMessage } from './message.js';
import { DEFAULT_SOAP_LIMITS, type SoapLimits, type SoapTransport } from './transport.js';
import type { Unanswered } from './unanswered.js';

const NAMESPACE = 'http://ec.gob.sri.ws.consultas';
const NO_DATA = '99';

/** What the consultation says about a document; `unknown_state` is a word that no text of the SRI lists. */
export type ConsultedState = 'authorized' | 'refused' | 'pending_annulment' | 'annulled' | 'unknown_state';

export type ConsultationAnswer =
  | {
      readonly kind: 'state';
      readonly state: ConsultedState;
      /** As sent, upper case and trimmed. */
      readonly estado: string;
      readonly messages: readonly SriMessage[];
    }
  /**
   * Message 99: no data, or a document of neither this month nor the last. It
   * says nothing about the document: neither annulled nor still valid.
   */
  | { readonly kind: 'unknown'; readonly messages: readonly SriMessage[] }
  | Unanswered;

const STATES: Readonly<Record<string, ConsultedState>> = {
  AUTORIZADO: 'authorized',
  'NO AUTORIZADO': 'refused',
  'PENDIENTE DE ANULAR': 'pending_annulment',
  ANULADO: 'annulled',
};

/**
 * The SRI's consultation service, `consultarEstadoAutorizacionComprobante`
 * (ficha técnica §8): the only machine evidence of an annulment, which people
 * make in the portal.
 */
export class ConsultationClient {
  constructor(
    private readonly transport: SoapTransport,
    private readonly url: string,
    private readonly limits: SoapLimits = DEFAULT_SOAP_LIMITS,
  ) {}

  /** Asks for the state of a key after its authorization. Never rejects for what the network or the SRI does. */
  async query(accessKey: string): Promise<ConsultationAnswer> {
    return ask(this.transport, this.url, consultationEnvelope(accessKey), this.limits, (body) => readConsultation(body, accessKey));
  }
}

/** The question of `consultarEstadoAutorizacionComprobante`. */
function consultationEnvelope(accessKey: string): string {
  if (!/^\d{49}$/.test(accessKey)) throw new TypeError('an access key has 49 digits');
  return envelopeOf(NAMESPACE, 'consultarEstadoAutorizacionComprobante', `<claveAcceso>${accessKey}</claveAcceso>`);
}

function readConsultation(body: string, accessKey: string): ConsultationAnswer {
  const response = responseElement(
    body,
    NAMESPACE,
    'consultarEstadoAutorizacionComprobanteResponse',
    'EstadoAutorizacionComprobante',
  );
  const messages = messagesOf(response);
  const echoed = textOf(response, 'claveAcceso');
  const estado = wordsOf(response, 'estadoAutorizacion');
  const refusal = wordsOf(response, 'estadoConsulta');
  if (echoed !== null && echoed !== accessKey) throw new NoEvidence('the answer is for another access key');
  if (refusal !== '' || messages.some(({ identifier }) => identifier === NO_DATA)) {
    if (estado !== '') throw new NoEvidence('a refused question with an answer');
    if (messages.some(({ identifier }) => identifier === NO_DATA)) return { kind: 'unknown', messages };
    throw new NoEvidence(`the question was refused${said(messages)}`, { codes: codesOf(messages) });
  }
  if (echoed === null) throw new NoEvidence(`no key echoed${said(messages)}`, { codes: codesOf(messages) });
  if (estado === '') throw new NoEvidence(`the state is missing${said(messages)}`, { codes: codesOf(messages) });
  return {
    kind: 'state',
    state: STATES[estado] ?? 'unknown_state',
    estado,
    messages,
  };
}

/** A state's text in one form; empty when missing. */
function wordsOf(parent: Element, name: string): string {
  return (textOf(parent, name) ?? '').replace(/\s+/g, ' ').toUpperCase();
}

const codesOf = (messages: readonly SriMessage[]): string[] => messages.map(({ identifier }) => identifier ?? '?');

function said(messages: readonly SriMessage[]): string {
  return messages.length === 0 ? '' : ` (messages ${codesOf(messages).join(', ')})`;
}
