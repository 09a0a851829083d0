import { childrenOf, childAt, expectTag, oidOf, TAG, textOf, type Asn1 } from './der.js';

/**
 * The attribute types that Java's `X500Principal.getName()` prints by keyword
 * (RFC 2253, section 2.3); every other type is printed as a dotted identifier.
 */
const RFC_2253_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'STREET'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
]);

/** More types by name, for people only (the certificate list of the API). */
const READABLE_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ...RFC_2253_KEYWORDS,
  ['2.5.4.4', 'SURNAME'],
  ['2.5.4.5', 'SERIALNUMBER'],
  ['2.5.4.12', 'T'],
  ['2.5.4.42', 'GIVENNAME'],
  ['2.5.4.97', 'ORGANIZATIONIDENTIFIER'],
  ['1.2.840.113549.1.9.1', 'EMAILADDRESS'],
]);

const DOMAIN_COMPONENT = '0.9.2342.19200300.100.1.25';

/** Control characters and non-characters: XML cannot carry them, or Java's reader trims them. */

const NEEDS_HEXADECIMAL = /[\u0000-\u001f\u007f-\u00a0\u2028\u2029\ufffd-\uffff]/;

interface Attribute {
  readonly type: string;
  readonly value: Asn1;
}

/**
 * `X509IssuerName` as the SRI's validator reads it: the form of Java's
 * `X500Principal.getName()` (RFC 2253), relative names in reverse order.
 *
 * The validator parses this text with `X500Principal` and compares the result
 * with the certificate's issuer; Java compares a value that is not a
 * PrintableString or UTF8String by its encoding. So a value whose text form
 * would come back as another string type is written in the hexadecimal form,
 * also after a keyword. (Ficha técnica §6, Anexo 14.)
 *
 * @param name DER of a `Name`
 */
export function javaIssuerName(name: Asn1): string {
  return relativeNames(name)
    .reverse()
    .map((attributes) => attributes.map(javaAttribute).join('+'))
    .join(',');
}

/** A name in Java's order, with every known keyword and plain text values: to show to people, never to sign. Control characters stand in no text: PostgreSQL refuses NUL. */
export function readableName(name: Asn1): string {
  return relativeNames(name)
    .reverse()
    .map((attributes) => attributes.map(readableAttribute).join('+'))
    .join(', ');
}

/** First textual value of an attribute type in a `Name`, or null. */
export function nameAttribute(name: Asn1, type: string): string | null {
  for (const attribute of relativeNames(name).flat()) {
    if (attribute.type === type) return textOf(attribute.value);
  }
  return null;
}

function relativeNames(name: Asn1): Attribute[][] {
  expectTag(name, TAG.sequence);
  return childrenOf(name).map((relative) =>
    childrenOf(expectTag(relative, TAG.set)).map((pair) => ({
      type: oidOf(childAt(pair, 0)),
      value: childAt(pair, 1),
    })),
  );
}

function javaAttribute({ type, value }: Attribute): string {
  const keyword = RFC_2253_KEYWORDS.get(type);
  const text = keyword === undefined ? null : textThatSurvives(type, value);
  return `${keyword ?? type}=${text === null ? `#${value.encoded.toString('hex')}` : escaped(text)}`;
}

/** The value's text when Java, reading it, builds an equal value again; otherwise null. */
function textThatSurvives(type: string, value: Asn1): string | null {
  const isDomainComponent = type === DOMAIN_COMPONENT;
  const survives = isDomainComponent
    ? value.tag === TAG.ia5String
    : value.tag === TAG.utf8String || value.tag === TAG.printableString;
  if (!survives) return null;
  const text = textOf(value);
  if (text === null || NEEDS_HEXADECIMAL.test(text)) return null;
  // Java reads an empty domain component as another string type.
  return isDomainComponent && text === '' ? null : text;
}

/** Escapes as Java prints: `, = + < > # ; " \` anywhere, spaces at both ends. */
function escaped(text: string): string {
  return text
    .replace(/[,=+<>#;"\\]/g, (character) => `\\${character}`)
    .replace(/^ +|(?<! ) +$/g, (spaces) => '\\ '.repeat(spaces.length));
}

function readableAttribute({ type, value }: Attribute): string {
  const text = textOf(value);
  const isReadable = text !== null && !/[\p{Cc}\p{Cs}]/u.test(text);
  return `${READABLE_KEYWORDS.get(type) ?? type}=${isReadable ? text : `#${value.encoded.toString('hex')}`}`;
}
