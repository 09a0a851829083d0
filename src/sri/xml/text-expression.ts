/** The schema says something that is not translated here. */
export class UntranslatableSchema extends Error {}

/** Beyond U+FFFF: two for JavaScript, one for XML Schema. */
const WIDE = String.raw`[\ud800-\udbff][\udc00-\udfff]`;
/** One character of an element's text as it is written; control characters are left to the parser. */
export const IN_TEXT = String.raw`(?:[^\0-\x1f&<>\ud800-\udfff\ufffe\uffff]|&(?:amp|lt|gt);|${WIDE})`;
/** One character of an attribute's value, or its escape. */
export const IN_ATTRIBUTE = String.raw`(?:[^\0-\x1f"&<\ud800-\udfff\ufffe\uffff]|&(?:amp|lt|quot);|${WIDE})`;
/** Patterns that mean the same to JavaScript: plain characters, classes of them, groups, choices and counts. */
const PLAIN_PATTERN = /^(?:[\wÀ-ÿ /,{}()|?-]|\[(?:\d-\d|[a-z]-[a-z]|[A-Z]-[A-Z]|[A-Za-z0-9])+\])+$/;
/** What may be longer or shorter. */
const VARIABLE = /\?|\{\d+,\d*\}/g;
const GROUP = /\(([^()]*)\)/g;
const LITERAL = /^[\wÀ-ÿ /,-]+$/;
const COUNT = /^\d+$/;
/** The pattern of a text without line breaks: what it excludes no text here has. */
export const ONE_LINE = String.raw`[^\n]*`;

/** Digits as our amounts have them: no plus sign, no empty part, no zeros that only fill up. */
export function decimal(values: Readonly<Record<string, string>>): string {
  const { totalDigits, fractionDigits, minInclusive, ...others } = values;
  const [total, fraction] = [Number(totalDigits), Number(fractionDigits)];
  if (!(fraction > 0 && total > fraction) || Object.keys(others).length > 0) throw new UntranslatableSchema('decimal');
  if (minInclusive !== undefined && minInclusive !== '0')
    throw new UntranslatableSchema(`minInclusive ${minInclusive}`);
  const short = `[0-9]{1,${total - fraction}}(?:\\.[0-9]{1,${fraction}})?`;
  // More digits before the point leave fewer behind it, but for zeros: 100.00 has three.
  const long = Array.from({ length: fraction }, (_, index) => {
    const behind = fraction - index - 1;
    const some = behind === 0 ? '' : `[0-9]{1,${behind}}|`;
    return `[0-9]{${total - behind}}(?:\\.(?:${some}[0-9]{${behind}}0{1,${fraction - behind}}))?`;
  });
  return `${minInclusive === undefined ? '-?' : ''}(?:${[short, ...long].join('|')})`;
}

/** One of the values that a schema lists. */
export function oneOf(values: readonly string[]): string {
  if (!values.every((value) => LITERAL.test(value))) throw new UntranslatableSchema(`one of ${values.join(', ')}`);
  return `(?:${[...new Set(values)].join('|')})`;
}

/** A pattern of XML Schema that means the same to JavaScript and can be read in one way. */
export function plain(pattern: string): string {
  if (!PLAIN_PATTERN.test(pattern) || !isReadInOneWay(pattern))
    throw new UntranslatableSchema(`the pattern ${pattern}`);
  return pattern;
}

/**
 * Whether no text matches a plain pattern in two ways, by a narrow view: one part that may be longer or shorter, or choices
 * that begin differently, not both.
 */
function isReadInOneWay(pattern: string): boolean {
  const groups = [...pattern.matchAll(GROUP)].map(([, inside = '']) => inside);
  const around = pattern.replace(GROUP, '(');
  const choices = [...groups, around].filter((text) => text.includes('|')).map((text) => text.split('|'));
  const variables = pattern.match(VARIABLE)?.length ?? 0;
  if (around.includes(')') || pattern.includes('){')) return false;
  return choices.length === 0 ? variables <= 1 : variables === 0 && choices.every(beginDifferently);
}

function beginDifferently(choice: readonly string[]): boolean {
  const beginnings = choice.map((text) => /^(?:\[[^\]]+\]|[^()[\]{}?])/.exec(text)?.[0]);
  const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
  return characters.every(
    (character) => beginnings.filter((one) => one === undefined || new RegExp(`^${one}$`).test(character)).length <= 1,
  );
}

/** How often the expression before it may stand; `most` empty: without end. */
export function counts(least: string, most: string): string {
  if (!COUNT.test(least) || (most !== '' && !COUNT.test(most))) throw new UntranslatableSchema(`${least} to ${most}`);
  return `{${least},${most}}`;
}
