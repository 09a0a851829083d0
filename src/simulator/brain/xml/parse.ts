import { type ErrorDetail, ParseOption, XmlCData, XmlDocument, XmlElement, XmlLibError, XmlText } from 'libxml2-wasm';
import type { Element } from './element.js';

/** The bytes are not XML that the SRI would read. */
export class UnreadableXml extends Error {}

const DOCTYPE = Buffer.from('<!DOCTYPE');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** No external entity is ever loaded; the WebAssembly build has no network to begin with. */
export const HARDENED = ParseOption.XML_PARSE_NO_XXE;

/**
 * Parses bytes and hands the libxml2 document to `use`, disposing it afterwards.
 * No network, no external entity, no document type declaration, UTF-8 only.
 *
 * @throws UnreadableXml when the bytes are not well-formed or not allowed
 */
export function withDocument<Result>(bytes: Uint8Array, use: (document: XmlDocument) => Result): Result {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.subarray(0, 3).equals(BYTE_ORDER_MARK)) throw new UnreadableXml('byte order mark before the prolog');
  if (buffer.includes(DOCTYPE)) throw new UnreadableXml('document type declarations are not read');
  const document = parse(buffer);
  try {
    if (document.dtd !== null) throw new UnreadableXml('document type declarations are not read');
    if (!/^utf-?8$/i.test(document.encoding ?? 'UTF-8')) throw new UnreadableXml('the encoding is not UTF-8');
    return use(document);
  } finally {
    document.dispose();
  }
}

function parse(buffer: Buffer): XmlDocument {
  try {
    return XmlDocument.fromBuffer(buffer, { option: HARDENED });
  } catch (error) {
    if (error instanceof XmlLibError) throw new UnreadableXml(describe(error));
    throw error;
  }
}

/** The first complaint of libxml2 on one line. */
export function describe(error: XmlLibError): string {
  const details: readonly ErrorDetail[] = error.details;
  return (details[0]?.message ?? error.message).trim().replaceAll(/\s+/g, ' ');
}

/** Copies a libxml2 element into plain objects, so that the document can be disposed. */
export function readElement(node: XmlElement): Element {
  const attributes = new Map<string, string>();
  for (const attribute of node.attrs) attributes.set(attribute.name, attribute.content);
  const children: Element[] = [];
  let text = '';
  for (let at = node.firstChild; at !== null; at = at.next) {
    if (at instanceof XmlElement) children.push(readElement(at));
    else if (at instanceof XmlText || at instanceof XmlCData) text += at.content;
  }
  return { name: node.name, namespace: node.namespaceUri, attributes, children, text };
}
