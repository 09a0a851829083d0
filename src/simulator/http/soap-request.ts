import { child, children, type Element } from '../brain/xml/element.js';
import { readElement, UnreadableXml, withDocument } from '../brain/xml/parse.js';
import type { DocumentService } from '../brain/fault-actions.js';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

interface Operation {
  readonly namespace: string;
  readonly name: string;
  readonly parameter: string;
}

/** The one operation of each service that is simulated. */
export const OPERATIONS: Readonly<Record<DocumentService, Operation>> = {
  reception: { namespace: 'http://ec.gob.sri.ws.recepcion', name: 'validarComprobante', parameter: 'xml' },
  authorization: {
    namespace: 'http://ec.gob.sri.ws.autorizacion',
    name: 'autorizacionComprobante',
    parameter: 'claveAccesoComprobante',
  },
  consultation: {
    namespace: 'http://ec.gob.sri.ws.consultas',
    name: 'consultarEstadoAutorizacionComprobante',
    parameter: 'claveAcceso',
  },
};

/** The request is no call of the service's operation; the message goes into the fault. */
export class UnreadableCall extends Error {}

/**
 * The parameter of a SOAP 1.1 call, as text; empty when it was left out. Only
 * the operation's wrapper is qualified.
 *
 * @throws UnreadableCall
 */
export function readCall(service: DocumentService, body: Uint8Array): string {
  const { namespace, name, parameter } = OPERATIONS[service];
  const call = children(child(envelope(body), 'Body'), name).find((candidate) => candidate.namespace === namespace);
  if (!call) throw new UnreadableCall(`El mensaje no llama a {${namespace}}${name}`);
  const argument = child(call, parameter);
  if (argument && argument.namespace !== '')
    throw new UnreadableCall(`Unmarshalling Error: elemento ${parameter} calificado`);
  return argument?.text.trim() ?? '';
}

/**
 * Bytes of an xs:base64Binary; line breaks are allowed.
 *
 * @throws UnreadableCall
 */
export function decodeBase64(text: string): Buffer {
  const compact = text.replaceAll(/\s+/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    throw new UnreadableCall('Unmarshalling Error: el contenido no es base64');
  }
  return Buffer.from(compact, 'base64');
}

function envelope(body: Uint8Array): Element {
  try {
    const root = withDocument(body, (document) => readElement(document.root));
    if (root.name === 'Envelope' && root.namespace === SOAP) return root;
  } catch (error) {
    if (!(error instanceof UnreadableXml)) throw error;
    throw new UnreadableCall(`Error reading XMLStreamReader: ${error.message}`);
  }
  throw new UnreadableCall('El mensaje no es un sobre SOAP 1.1');
}
