import type { Name, NameAttribute } from './certificate.js';
import { TAG } from './der.js';

/** Keywords that survive Java's canonical form: their values are compared as text. */
const COMPARED_AS_TEXT: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  S: '2.5.4.8',
  STREET: '2.5.4.9',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  DC: '0.9.2342.19200300.100.1.25',
  UID: '0.9.2342.19200300.100.1.1',
};

/** Keywords that Java only parses: the value is encoded again and compared byte by byte. */
const COMPARED_AS_DER: Readonly<Record<string, string>> = {
  EMAILADDRESS: '1.2.840.113549.1.9.1',
  SERIALNUMBER: '2.5.4.5',
  T: '2.5.4.12',
  DNQ: '2.5.4.46',
  DNQUALIFIER: '2.5.4.46',
  SURNAME: '2.5.4.4',
  GIVENNAME: '2.5.4.42',
  INITIALS: '2.5.4.43',
  GENERATION: '2.5.4.44',
};

const EMAIL = '1.2.840.113549.1.9.1';
const TEXT_OIDS = new Set(Object.values(COMPARED_AS_TEXT));

interface WrittenAttribute {
  readonly oid: string;
  readonly text: string | null;
  /** Hexadecimal after `#`. */
  readonly der: string | null;
}

/**
 * Whether an X509IssuerName names the issuer of the certificate, judged as
 * Java's `X500Principal` does: RFC 2253 order, unknown keywords refused,
 * directory strings compared without regard to case and inner spaces, all
 * else compared by its DER.
 */
export function namesIssuer(written: string, issuer: Name): boolean {
  const parsed = parseName(written);
  if (parsed === null || parsed.length !== issuer.length) return false;
  const fromCertificate = [...issuer].reverse();
  return parsed.every((rdn, index) => {
    const expected = fromCertificate[index] ?? [];
    return (
      rdn.length === expected.length &&
      rdn.every((attribute) => expected.some((candidate) => sameAttribute(attribute, candidate)))
    );
  });
}

function sameAttribute(written: WrittenAttribute, expected: NameAttribute): boolean {
  if (written.oid !== expected.oid) return false;
  if (written.der !== null) return written.der === expected.der;
  const text = written.text ?? '';
  if (TEXT_OIDS.has(written.oid)) return canonicalText(text) === canonicalText(expected.text);
  return javaEncoding(written.oid, text) === expected.der;
}

function canonicalText(text: string): string {
  return text.normalize('NFKD').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** How Java encodes the text of a parsed keyword: IA5String for e-mail, else PrintableString or UTF8String. */
function javaEncoding(oid: string, text: string): string {
  const contents = Buffer.from(text, 'utf8');
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text);
  const tag = oid === EMAIL ? 0x16 : printable ? TAG.printableString : 0x0c;
  const length =
    contents.length < 0x80
      ? [contents.length]
      : contents.length < 0x100
        ? [0x81, contents.length]
        : [0x82, contents.length >> 8, contents.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), contents]).toString('hex');
}

function parseName(written: string): WrittenAttribute[][] | null {
  const rdns: WrittenAttribute[][] = [];
  for (const rdn of splitUnescaped(written, ',')) {
    const attributes: WrittenAttribute[] = [];
    for (const part of splitUnescaped(rdn, '+')) {
      const attribute = parseAttribute(part);
      if (attribute === null) return null;
      attributes.push(attribute);
    }
    rdns.push(attributes);
  }
  return rdns;
}

function parseAttribute(part: string): WrittenAttribute | null {
  const equals = part.indexOf('=');
  if (equals < 1) return null;
  const keyword = part.slice(0, equals).trim();
  const oid = oidOf(keyword);
  if (oid === null) return null;
  const value = part.slice(equals + 1).replace(/^ +/, '');
  if (value.startsWith('#')) {
    return /^#([0-9a-fA-F]{2})+$/.test(value) ? { oid, text: null, der: value.slice(1).toLowerCase() } : null;
  }
  const text = unescapeValue(value);
  return text === null ? null : { oid, text, der: null };
}

function oidOf(keyword: string): string | null {
  const dotted = /^(?:OID\.)?(\d+(?:\.\d+)+)$/i.exec(keyword);
  if (dotted) return dotted[1] ?? null;
  const upper = keyword.toUpperCase();
  return COMPARED_AS_TEXT[upper] ?? COMPARED_AS_DER[upper] ?? null;
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = '';
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (char === '\\') {
      part += char + text.charAt(index + 1);
      index += 1;
      continue;
    }
    if (char === '"') quoted = !quoted;
    if (char === separator && !quoted) {
      parts.push(part);
      part = '';
    } else {
      part += char;
    }
  }
  parts.push(part);
  return parts;
}

function unescapeValue(value: string): string | null {
  const bare = value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value;
  const octets: Buffer[] = [];
  for (let index = 0; index < bare.length; index += 1) {
    const char = bare.charAt(index);
    if (char !== '\\') {
      const whole = String.fromCodePoint(bare.codePointAt(index) ?? 0);
      octets.push(Buffer.from(whole, 'utf8'));
      index += whole.length - 1;
      continue;
    }
    const hex = /^[0-9a-fA-F]{2}/.exec(bare.slice(index + 1))?.[0];
    if (hex !== undefined) {
      octets.push(Buffer.from(hex, 'hex'));
      index += 2;
    } else if (index + 1 < bare.length) {
      octets.push(Buffer.from(bare.charAt(index + 1), 'utf8'));
      index += 1;
    } else {
      return null;
    }
  }
  return Buffer.concat(octets).toString('utf8');
}
