/**
 * Writes XML that is already in canonical form (C14N 1.0), so that signing hashes
 * the very bytes that are sent, without a parser in between: no declaration,
 * attributes sorted, empty elements expanded, the escapes of C14N and no others.
 * Elements have no namespace; names are literals of the callers, values are text
 * that passed the text rules.
 */

const TEXT_SPECIAL = /[&<>\r]/;
const TEXT_SPECIALS = /[&<>\r]/g;
const ATTRIBUTE_SPECIAL = /[&<"\t\n\r]/;
const ATTRIBUTE_SPECIALS = /[&<"\t\n\r]/g;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** Looked up by a function: as a replacement string, `$&` in a value would act as a pattern. */
const escapeOf = (character: string): string => ESCAPES[character] ?? character;

/** Character data as C14N writes it. */
export function escapeText(text: string): string {
  return TEXT_SPECIAL.test(text) ? text.replace(TEXT_SPECIALS, escapeOf) : text;
}

/** An attribute value as C14N writes it, without the quotes. */
function escapeAttribute(value: string): string {
  return ATTRIBUTE_SPECIAL.test(value) ? value.replace(ATTRIBUTE_SPECIALS, escapeOf) : value;
}

interface Tags {
  readonly opening: string;
  readonly closing: string;
}

/** As many as there are element names. Put together once, they are a third of what an element costs. */
const tags = new Map<string, Tags>();

function tagsOf(name: string): Tags {
  let known = tags.get(name);
  if (known === undefined) {
    known = { opening: `<${name}>`, closing: `</${name}>` };
    tags.set(name, known);
  }
  return known;
}

/** `<name>text</name>`. */
export function element(name: string, text: string): string {
  const { opening, closing } = tagsOf(name);
  return opening + escapeText(text) + closing;
}

/** An element that is left out when it would be empty: the SRI's schemas refuse empty ones. */
export function optional(name: string, text: string | null): string {
  return text === null || text === '' ? '' : element(name, text);
}

/** Appending is twice as fast as Array.join for these few short parts. */
function joined(parts: readonly string[]): string {
  let whole = '';
  for (const part of parts) whole += part;
  return whole;
}

/** An element around content that is XML already. */
export function group(name: string, ...content: readonly string[]): string {
  const { opening, closing } = tagsOf(name);
  return opening + joined(content) + closing;
}

/** A group that is left out when nothing is in it. */
export function optionalGroup(name: string, ...content: readonly string[]): string {
  const inside = joined(content);
  if (inside === '') return '';
  const { opening, closing } = tagsOf(name);
  return opening + inside + closing;
}

/** An element with attributes (written sorted by name) around content that is XML already. */
export function withAttributes(name: string, attributes: Readonly<Record<string, string>>, content: string): string {
  let written = '';
  for (const key of Object.keys(attributes).sort()) written += ` ${key}="${escapeAttribute(attributes[key] ?? '')}"`;
  return `<${name}${written}>${content}${tagsOf(name).closing}`;
}
