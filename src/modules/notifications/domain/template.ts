/** Texts of a tenant's own with places that each document fills: `{{document_number}}`. */

export const PLACEHOLDERS = [
  'buyer_name', 'issuer_name', 'document_type', 'document_number', 'issue_date', 'total', 'access_key', 'authorization_date',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACE = /\{\{ {0,5}([A-Za-z_]{1,40}) {0,5}\}\}/g;

/** A place with one brace too few on either side: buyers would read it as it stands. */
const SINGLE = /\{ {0,5}([\p{L}_][\p{L}\p{N}_]{0,39}) {0,5}\}/u;

/** Why a text is no template: a place of another name, braces that enclose no name, or single ones around a word. Null for a good one. */
export function templateFailure(text: string): { readonly type: string; readonly ctx: Readonly<Record<string, unknown>> } | null {
  for (const [, name = ''] of text.matchAll(PLACE)) {
    if (!isPlaceholder(name)) return { type: 'template_placeholder', ctx: { placeholder: name, expected: PLACEHOLDERS } };
  }
  const rest = text.replace(PLACE, '');
  if (/\{\{|\}\}/.test(rest)) return { type: 'template_braces', ctx: {} };
  const single = SINGLE.exec(rest)?.[1];
  return single === undefined ? null : { type: 'template_single_braces', ctx: { placeholder: single, expected: PLACEHOLDERS } };
}

/** The text with every place filled. A filled-in value is text and nothing else: braces in it stay braces. */
export function fill(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replace(PLACE, (place, name: string) => (isPlaceholder(name) ? values[name] : place));
}

const isPlaceholder = (name: string): name is Placeholder => PLACEHOLDERS.some((known) => known === name);
