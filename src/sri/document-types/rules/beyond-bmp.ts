import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import { defineRules, finding } from './rule.js';
import { wireName } from './structure.js';
import { checkUtf16Length } from './texts.js';

const RULES = defineRules({
  'text.beyond_bmp': {
    severity: 'warning',
    es: 'El texto lleva caracteres (emojis, ideogramas poco comunes) que el SRI puede leer de otra manera al comprobar la firma, y devolver el documento por ella (mensaje 39): quítelos o reemplácelos',
    en: 'The text holds characters (emoji, rare ideographs) that the SRI may read differently when it checks the signature, and refuse the document for it (message 39): remove or replace them',
    reference: 'Ficha técnica 2.32, mensaje 39',
  },
});

/** What Java keeps as two characters. */
const BEYOND_BMP = /[\u{10000}-\u{10ffff}]/u;

/** Most characters of each text of the issuer in the SRI's schemas. */
const LONGEST_OF_ISSUER = 300;

/** What ends a text in XML, and what stands around an escaped character. */
const MARKUP = '<>"&;';

/** From the first such character of a text to where it ends in XML. */
const FROM_FIRST = /[\u{10000}-\u{10ffff}][^<>"&;]*/gu;

/**
 * Warns of characters beyond U+FFFF: by XML's own rules they are good, but the signature check of the SRI is Java's, where such a
 * character is two. The issuer's texts, which were taken by code points, are held against their bound as Java counts, too.
 *
 * @param xml what is sent: which fields get into it depends on the type
 */
export function* checkBeyondBmp(content: DocumentContent, issuer: IssuerSnapshot, xml: string): Generator<Finding> {
  if (!BEYOND_BMP.test(xml)) return;
  const sent = new Set(piecesOf(xml));
  const isSent = ([, text]: Text): boolean => piecesOf(text).some((piece) => sent.has(piece));
  const ofIssuer = [...textsOfIssuer(issuer)].filter(isSent);
  for (const [pointer, value] of ofIssuer) yield* checkUtf16Length({ pointer, value, max: LONGEST_OF_ISSUER });
  for (const [pointer, text] of [...textsIn(content).filter(isSent), ...ofIssuer]) yield finding(RULES['text.beyond_bmp'], pointer, null, BEYOND_BMP.exec(text)?.[0]);
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

function* textsOfIssuer({ legalName, tradeName, headOfficeAddress, largeTaxpayer, establishmentAddress }: IssuerSnapshot): Generator<Text> {
  for (const text of [legalName, tradeName, headOfficeAddress, largeTaxpayer]) yield ['/issuer_id', text ?? ''];
  yield ['/establishment_id', establishmentAddress ?? ''];
}
