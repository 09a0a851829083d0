import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { MAX_ANSWER_BYTES } from './transport.js';

/** One message of the SRI, as the API shows it. */
export interface SriMessage {
  /** Code such as `43`; the text varies, the code does not. */
  readonly identifier: string | null;
  readonly message: string;
  readonly additionalInfo: string | null;
  /** ERROR, ADVERTENCIA or INFORMATIVO, in upper case; empty when the SRI sent none. */
  readonly messageType: string;
}

/** An answer that proves nothing: not XML, a fault, another service's, ... */
export class NoEvidence extends Error {
  override readonly name = 'NoEvidence';
  /** Codes of the messages that came with it. */
  readonly codes: readonly string[];
  /** The service answered the question that it was asked: it is not away. */
  readonly isHeard: boolean;

  constructor(message: string, { codes, isHeard, ...options }: ErrorOptions & { readonly codes?: readonly string[]; readonly isHeard?: boolean } = {}) {
    super(message, options);
    this.codes = codes ?? [];
    this.isHeard = isHeard ?? false;
  }
}

/** An element without its prefix; attributes are dropped. */
export interface Element {
  readonly name: string;
  readonly namespace: string;
  readonly children: readonly Element[];
  /** Own text and CDATA in order, references resolved. */
  readonly text: string;
}

const SOAP_NAMESPACES = ['http://schemas.xmlsoap.org/soap/envelope/', 'http://www.w3.org/2003/05/soap-envelope'];
const MAX_DEPTH = 64;
/** Real answers have some dozens; the document they carry is text. */
const MAX_TAGS = 20_000;
const MAX_TAG_LENGTH = 8 * 1024;
const EXCERPT_LENGTH = 2_000;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  cdataPropName: '#cdata',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
});

/**
 * The response element of an answer, e.g. `RespuestaRecepcionComprobante`.
 * The answer is treated as hostile: size first, no document type, no entities
 * but the five of XML, well-formed to its last byte.
 *
 * @param namespace of the operation's wrapper; everything below it goes by local name
 * @throws NoEvidence
 */
export function responseElement(body: string, namespace: string, wrapper: string, response: string): Element {
  const envelope = parseXml(body);
  if (envelope.name !== 'Envelope' || !SOAP_NAMESPACES.includes(envelope.namespace)) {
    throw new NoEvidence('not a SOAP answer');
  }
  const content = single(envelope, 'Body');
  if (content === null) throw new NoEvidence('a SOAP answer without body');
  if (childrenNamed(content, 'Fault').length > 0) throw new NoEvidence('SOAP fault');
  const operation = single(content, wrapper);
  if (operation?.namespace !== namespace) throw new NoEvidence('the answer of another service');
  const found = single(operation, response);
  if (found === null) throw new NoEvidence('an empty answer');
  return found;
}

/** What is read of an answer to the question at hand: where it proves nothing, it may never prove more. */
export function heard<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof NoEvidence ? new NoEvidence(error.message, { codes: error.codes, isHeard: true }) : error;
  }
}

/** Every `mensaje` of the `mensajes` lists directly below an element. */
export function messagesOf(parent: Element): SriMessage[] {
  return childrenNamed(parent, 'mensajes')
    .flatMap((list) => childrenNamed(list, 'mensaje'))
    .map((message) => ({
      identifier: textOf(message, 'identificador'),
      message: textOf(message, 'mensaje') ?? '',
      additionalInfo: textOf(message, 'informacionAdicional'),
      messageType: (textOf(message, 'tipo') ?? '').toUpperCase(),
    }));
}

/** Trimmed text of a child, null when it is missing or empty. */
export function textOf(parent: Element, name: string): string | null {
  const text = single(parent, name)?.text.trim() ?? '';
  return text === '' ? null : text;
}

/** The direct children of that name, of whichever namespace. */
export function childrenNamed(parent: Element, name: string): readonly Element[] {
  return parent.children.filter((child) => child.name === name);
}

/** The one child of that name, or null. @throws NoEvidence when there are several */
export function single(parent: Element, name: string): Element | null {
  const [found, ...others] = childrenNamed(parent, name);
  if (others.length > 0) throw new NoEvidence(`${name} occurs more than once`);
  return found ?? null;
}

/** Start of a body for the attempt log: bounded, printable, without long encoded content. */
export function excerptOf(body: string): string {
  return body
    .slice(0, EXCERPT_LENGTH * 4)
    .replace(/[A-Za-z0-9+/=]{120,}/g, '[...]')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, EXCERPT_LENGTH)
    .replace(/[\ud800-\udbff]$/, '');
}

/** Resolves the five predefined references and numeric ones; anything else stays as it is. */
export function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (reference, ...groups) => {
    const [decimal, hexadecimal, name] = groups as (string | undefined)[];
    if (name !== undefined) return PREDEFINED[name] ?? reference;
    const point = decimal !== undefined ? Number(decimal) : parseInt(hexadecimal ?? '', 16);
    return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
      ? String.fromCodePoint(point)
      : reference;
  });
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function parseXml(raw: string): Element {
  if (raw.length > MAX_ANSWER_BYTES) throw new NoEvidence('the answer is too large');
  const body = raw.replace(/^\ufeff/, '').trim();
  if (body === '') throw new NoEvidence('an empty answer');
  if (!body.startsWith('<')) throw new NoEvidence('not XML');
  if (/<!DOCTYPE|<!ENTITY/i.test(body)) throw new NoEvidence('a document type declaration is refused');
  boundWork(body);
  let nodes: unknown;
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the library has moved its checker to a package of its own, unchanged: one dependency more for the same code
    if (XMLValidator.validate(body, { allowBooleanAttributes: false }) !== true)
      throw new NoEvidence('not well-formed XML');
    nodes = parser.parse(body);
  } catch (error) {
    if (error instanceof NoEvidence) throw error;
    throw new NoEvidence('not well-formed XML', { cause: error });
  }
  const [root, ...others] = elementsOf(nodes, new Map(), 0);
  if (root === undefined || others.length > 0) throw new NoEvidence('not one XML document');
  return root;
}

/**
 * Refuses what would be long work to parse, at the price of one scan: too many
 * tags outside CDATA sections, or one without end.
 */
function boundWork(body: string): void {
  let count = 0;
  for (let at = body.indexOf('<'); at >= 0; at = body.indexOf('<', at + 1)) {
    const isCdata = body.startsWith('<![CDATA[', at);
    const end = body.indexOf(isCdata ? ']]>' : '>', at);
    if (end < 0 || (!isCdata && end - at > MAX_TAG_LENGTH)) throw new NoEvidence('not well-formed XML');
    count += 1;
    if (count > MAX_TAGS) throw new NoEvidence('too many elements');
    if (isCdata) at = end;
  }
}

type Scope = ReadonlyMap<string, string>;

/** The parser's ordered nodes (`{ tag: [...], ':@': attributes }`) as elements. */
function elementsOf(nodes: unknown, scope: Scope, depth: number): Element[] {
  if (!Array.isArray(nodes)) throw new NoEvidence('not XML');
  if (depth > MAX_DEPTH) throw new NoEvidence('nested too deeply');
  const elements: Element[] = [];
  for (const node of nodes as Record<string, unknown>[]) {
    const tag = Object.keys(node).find((key) => key !== ':@' && !key.startsWith('#'));
    if (tag === undefined) continue;
    const inner = declaredIn(node[':@'], scope);
    const colon = tag.indexOf(':');
    const content = node[tag];
    elements.push({
      name: tag.slice(colon + 1),
      namespace: inner.get(colon < 0 ? '' : tag.slice(0, colon)) ?? '',
      children: elementsOf(content, inner, depth + 1),
      text: ownText(content),
    });
  }
  return elements;
}

function declaredIn(attributes: unknown, scope: Scope): Scope {
  if (typeof attributes !== 'object' || attributes === null) return scope;
  let inner: Map<string, string> | null = null;
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    inner ??= new Map(scope);
    inner.set(name === 'xmlns' ? '' : name.slice(6), unescapeXml(String(value)));
  }
  return inner ?? scope;
}

/**
 * What XML 1.0 allows in no document and the parser lets through all the same; PostgreSQL stores none of it. It is replaced
 * and not refused: the rest of the answer may be an authorization.
 */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function ownText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  let text = '';
  for (const node of content as Record<string, unknown>[]) {
    if ('#text' in node) text += unescapeXml(String(node['#text']));
    else if ('#cdata' in node) text += literalText(node['#cdata']);
  }
  return text.replace(NOT_XML, '\ufffd');
}

function literalText(nodes: unknown): string {
  if (!Array.isArray(nodes)) return '';
  return (nodes as Record<string, unknown>[])
    .map((node) => (typeof node['#text'] === 'string' ? node['#text'] : ''))
    .join('');
}
