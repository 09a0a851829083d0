import { beginningOf } from '../../shared/text.js';
import {
  childrenNamed,
  heard,
  messagesOf,
  NoEvidence,
  responseElement,
  single,
  textOf,
  type Element,
  type SriMessage,
} from './message.js';
import { ask, envelopeOf } from './exchange.js';
import { DEFAULT_SOAP_LIMITS, type SoapLimits, type SoapTransport } from './transport.js';
import type { Unanswered } from './unanswered.js';

const NAMESPACE = 'http://ec.gob.sri.ws.recepcion';

/** What is known after a document was sent. */
export type ReceptionAnswer =
  /** RECIBIDA: accepted for processing; nothing is authorized yet. */
  | { readonly kind: 'received'; readonly messages: readonly SriMessage[] }
  /** DEVUELTA: not stored by the SRI (ficha técnica §11), unless a message says that it holds the key already. */
  | { readonly kind: 'returned'; readonly messages: readonly SriMessage[] }
  | Unanswered;

/**
 * The SRI's reception service, `validarComprobante` (ficha técnica §7).
 * Only an `estado` of RECIBIDA or DEVUELTA counts; whatever else comes back
 * says nothing about whether the document was accepted.
 */
export class ReceptionClient {
  constructor(
    private readonly transport: SoapTransport,
    private readonly url: string,
    private readonly limits: SoapLimits = DEFAULT_SOAP_LIMITS,
  ) {}

  /**
   * Sends a signed document once. Never rejects for what the network or the SRI does.
   * @param signed the signed bytes, exactly as stored
   * @param accessKey its access key, to recognise an answer to another document
   */
  async submit(signed: Uint8Array, accessKey: string): Promise<ReceptionAnswer> {
    return ask(this.transport, this.url, receptionEnvelope(signed), this.limits, (body) => readReception(body, accessKey));
  }
}

/** The question of `validarComprobante`, with the signed document in base64. */
function receptionEnvelope(signed: Uint8Array): string {
  const base64 = Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength).toString('base64');
  return envelopeOf(NAMESPACE, 'validarComprobante', `<xml>${base64}</xml>`);
}

function readReception(body: string, accessKey: string): ReceptionAnswer {
  const response = responseElement(body, NAMESPACE, 'validarComprobanteResponse', 'RespuestaRecepcionComprobante');
  // The service took the document and looked at it: what it says of one in a way that proves nothing must not close it for all others.
  return heard(() => verdictIn(response, accessKey));
}

function verdictIn(response: Element, accessKey: string): ReceptionAnswer {
  const estado = textOf(response, 'estado')?.toUpperCase() ?? null;
  const documents = documentsOf(response);
  for (const document of documents) {
    // "N/A" and the like name no document; the key of another one makes the answer worthless.
    const echoed = textOf(document, 'claveAcceso');
    if (echoed !== null && /^\d{10,}$/.test(echoed) && echoed !== accessKey) {
      throw new NoEvidence('the answer names another access key');
    }
  }
  const messages = documents.flatMap(messagesOf);
  switch (estado) {
    case 'RECIBIDA':
      return { kind: 'received', messages };
    case 'DEVUELTA':
      return { kind: 'returned', messages };
    default: {
      const codes = messages.map(({ identifier }) => identifier).filter((code) => code !== null);
      const said = codes.length > 0 ? `, messages ${codes.join(', ')}` : '';
      throw new NoEvidence(`${estado === null ? 'no estado' : `unknown estado ${beginningOf(estado, 40)}`}${said}`, { codes });
    }
  }
}

function documentsOf(response: Element): readonly Element[] {
  const list = single(response, 'comprobantes');
  return list === null ? [] : childrenNamed(list, 'comprobante');
}
