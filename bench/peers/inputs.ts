import { invoicesOf } from './invoices.js';

/** What a signer is handed, and what must be found in it afterwards. */
export interface Input {
  readonly label: string;
  /** The buyer's name and an attribute's value after a parser has read them. */
  readonly text: string;
  /** `text`: what our own XML holds. `form`: XML in a form in which ours is never written. */
  readonly kind: 'text' | 'form';
  readonly lines?: number;
  readonly rewrite?: (xml: string) => string;
}

const PLAIN = 'CLIENTE FICTICIO';
const text = (label: string, value: string): Input => ({ label, text: value, kind: 'text' });
const form = (label: string, rewrite: (xml: string) => string, value = PLAIN): Input => ({ label, text: value, kind: 'form', rewrite });

/** Invoices on which public signers were seen to break. */
export const INPUTS: readonly Input[] = [
  text('an ordinary invoice', PLAIN),
  { label: 'an invoice of 100 lines', text: PLAIN, kind: 'text', lines: 100 },
  text('accents and symbols', 'Ñandú € 😀'),
  text('entities and character references', '&amp; &#x41; <b> &'),
  text('quotes', '"O\'Higgins" & Cía.'),
  text('tabs, a carriage return', 'A\tB\rC'),
  text('blanks at the ends, two inside', '  Ana  Mora  '),
  text('only blanks', '   '),
  text('U+2028', 'A\u2028B'),
  text('$& and $` of replacements', "$& $` $' $$ $1"),
  text('like a CDATA section', '<![CDATA[x]]> ]]>'),
  text('like a comment', '<!-- x --> <?pi?>'),
  text('300 characters beyond ASCII', 'ñ😀 '.repeat(75)),
  // An element without content may hold no line end either.
  form('pretty-printed, CRLF', (xml) => xml.replace(/><(?!\/detAdicional)/g, '>\r\n  <')),
  form('attributes not sorted', (xml) => xml.replace(/<factura id="comprobante" version="([^"]+)">/, '<factura version="$1" id="comprobante">')),
  form('single-quoted attributes', (xml) => xml.replace(/id="comprobante" version="([^"]+)"/, "id='comprobante' version='$1'")),
  form('blanks in tags', (xml) => xml.replaceAll('<razonSocialComprador>', '<razonSocialComprador >').replaceAll('</razonSocialComprador>', '</razonSocialComprador\n>')),
  form('a comment', (xml) => xml.replace('<infoTributaria>', '<!-- factura --><infoTributaria>')),
  form('a CDATA section', (xml) => xml.replace(`<razonSocialComprador>${PLAIN}`, `<razonSocialComprador><![CDATA[${PLAIN}]]>`)),
  form('character references', (xml) => xml.replace(`<razonSocialComprador>${PLAIN}`, `<razonSocialComprador>${PLAIN.replace('C', '&#67;')}`)),
];

/** Numbers of documents: no two inputs share one. */
export function documentOf(input: Input, sequential: number): { readonly xml: string; readonly accessKey: string } {
  const { xml, accessKey } = invoicesOf(input.lines ?? 2, '001', input.text)(sequential);
  const rewritten = input.rewrite?.(xml) ?? xml;
  if (input.rewrite !== undefined && rewritten === xml) throw new Error(`${input.label}: nothing was rewritten`);
  return { xml: rewritten, accessKey };
}
