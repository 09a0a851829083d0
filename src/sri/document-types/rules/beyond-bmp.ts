import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import { defineRules, finding } from './rule.js';
import { wireName } from './structure.js';

const RULES = defineRules({
  'text.beyond_bmp': {
    severity: 'warning',
    es: 'El texto lleva caracteres (emojis, ideogramas poco comunes) que el SRI puede contar como dos y leer de otra manera al comprobar la firma, y devolver el documento por su longitud (mensaje 35) o su firma (mensaje 39): quítelos o reemplácelos',
    en: 'The text holds characters (emoji, rare ideographs) that the SRI may count as two and read differently when it checks the signature, and refuse the document for its length (message 35) or its signature (message 39): remove or replace them',
    reference: 'Ficha técnica 2.32, mensajes 35 y 39',
  },
});

/** What Java keeps as two characters. */
const BEYOND_BMP = /[\u{10000}-\u{10ffff}]/u;

/** What ends a text in XML, and what stands around an escaped character. */
const MARKUP = '<>"&;';

/** From the first such character of a text to where it ends in XML. */
const FROM_FIRST = /[\u{10000}-\u{10ffff}][^<>"&;]*/gu;

/**
 * Warns of characters beyond U+FFFF: by XML's own rules they are good, but the schema check and the signature check of the SRI
 * are Java's, where such a character is two.
 *
 * @param xml what is sent: which fields get into it depends on the type
 */
export function* checkBeyondBmp(content: DocumentContent, issuer: IssuerSnapshot, xml: string): Generator<Finding> {
  if (!BEYOND_BMP.test(xml)) return;
  const sent = new Set(piecesOf(xml));
  for (const [pointer, text] of [...textsIn(content), ...textsOfIssuer(issuer)]) {
    if (piecesOf(text).some((piece) => sent.has(piece))) yield finding(RULES['text.beyond_bmp'], pointer, null, BEYOND_BMP.exec(text)?.[0]);
  }
}

/** Runs without anything to escape, so that they are the same in a text and in its XML; only those with such characters, so that the rest of a long XML is not taken apart. */
function piecesOf(text: string): readonly string[] {
  return Array.from(text.matchAll(FROM_FIRST), ({ index, 0: { length } }) => {
    let start = index;
    while (start > 0 && !MARKUP.includes(text.charAt(start - 1))) start -= 1;
    return text.slice(start, index + length);
  });
}

type Text = readonly [pointer: string, text: string];

/** Every text with such characters within a part of the content. One document has thousands of others, so a pointer is put together on the way back from a text that is found. */
function textsIn(part: unknown): readonly Text[] {
  if (typeof part === 'string') return BEYOND_BMP.test(part) ? [['', part]] : [];
  if (typeof part !== 'object' || part === null) return [];
  const found: Text[] = [];
  for (const [name, value] of Object.entries(part)) {
    for (const [pointer, text] of textsIn(value)) found.push([`/${wireName(name)}${pointer}`, text]);
  }
  return found;
}

function* textsOfIssuer({ legalName, tradeName, headOfficeAddress, establishmentAddress }: IssuerSnapshot): Generator<Text> {
  for (const text of [legalName, tradeName, headOfficeAddress]) yield ['/issuer_id', text ?? ''];
  yield ['/establishment_id', establishmentAddress ?? ''];
}
