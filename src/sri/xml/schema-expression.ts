import { XmlElement } from 'libxml2-wasm';

/** The schema says something that is not translated here. */
export class UntranslatableSchema extends Error {}

/** Beyond U+FFFF: two for JavaScript, one for XML Schema. */
const WIDE = String.raw`[\ud800-\udbff][\udc00-\udfff]`;
/** One character of a text as it is written; control characters are left to the parser. */
const IN_TEXT = String.raw`(?:[^\0-\x1f&<>\ud800-\udfff\ufffe\uffff]|&(?:amp|lt|gt);|${WIDE})`;
const IN_ATTRIBUTE = String.raw`(?:[^\0-\x1f"&<\ud800-\udfff\ufffe\uffff]|&(?:amp|lt|quot);|${WIDE})`;
/** Patterns that mean the same to JavaScript: plain characters, classes of them, groups, choices and counts. */
const PLAIN_PATTERN = /^(?:[\wÀ-ÿ /,{}()|?-]|\[(?:\d-\d|[a-z]-[a-z]|[A-Z]-[A-Z]|[A-Za-z0-9])+\])+$/;
/** A counted group could be read in several ways. */
const COUNTED_GROUP = '){';
const LITERAL = /^[\wÀ-ÿ /,-]+$/;
const COUNT = /^\d+$/;
const NAME = /^\w+$/;
const ONE_LINE = String.raw`[^\n]*`;
const XML_SCHEMA = 'http://www.w3.org/2001/XMLSchema';

/** What our schemas are written with, each with its attributes. */
const VOCABULARY: Readonly<Record<string, readonly string[]>> = {
  schema: ['elementFormDefault'],
  element: ['name', 'type', 'minOccurs', 'maxOccurs'],
  complexType: ['name'],
  sequence: [],
  any: ['namespace', 'processContents', 'minOccurs'],
  simpleContent: [],
  extension: ['base'],
  attribute: ['name', 'type', 'use'],
  simpleType: ['name'],
  restriction: ['base'],
  enumeration: ['value'],
  pattern: ['value'],
  minLength: ['value'],
  maxLength: ['value'],
  totalDigits: ['value'],
  fractionDigits: ['value'],
  minInclusive: ['value'],
};

/** One of XML Schema's elements. */
interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
}

/** Facets of a simple type and of those that it restricts; of a bound that stands twice, the derived type's. */
interface Facets {
  /** XML Schema's own type at the end of the chain. */
  readonly primitive: string;
  readonly values: Readonly<Record<string, string>>;
  /** Empty: not by enumeration. */
  readonly enumeration: readonly string[];
}

/**
 * One of our schemas as a regular expression over what `canonical.ts` writes, unsigned. What it matches is valid; what it
 * does not match may be valid too, written in another way or with rare characters. This can be because our documents nest
 * to a fixed depth and are sequences throughout. Each text can be read in one way only, so that an invalid one is given up
 * after one pass: choices within a pattern have to exclude each other.
 *
 * @param schema root element of an XSD that the parser's validator takes
 * @throws UntranslatableSchema when the schema uses more of XML Schema than ours do
 */
export function expressionOf(schema: XmlElement): RegExp {
  const declarations = nodeOf(schema).children;
  const types = new Map(declarations.map((node) => [node.attributes['name'] ?? '', node]));
  const roots = declarations.filter(({ name }) => name === 'element');
  return new RegExp(`^${new Translation(types).element(only(roots))}$`);
}

class Translation {
  /** @param types what the schema names at its top level */
  constructor(private readonly types: ReadonlyMap<string, Node>) {}

  element(node: Node): string {
    const { type: typeName } = node.attributes;
    const name = nameOf(node);
    const type = typeName === undefined ? only(node.children) : this.types.get(typeName);
    const { attributes, content } =
      type?.name === 'complexType' ? this.complexType(type) : { attributes: '', content: this.text(node, IN_TEXT) };
    return `<${name}${attributes}>${content}</${name}>`;
  }

  private complexType({ children }: Node): { attributes: string; content: string } {
    const [simpleContent] = children.filter(({ name }) => name === 'simpleContent');
    if (simpleContent !== undefined) {
      const extension = only(simpleContent.children);
      return { attributes: this.attributes(extension), content: this.text({ ...extension, children: [] }, IN_TEXT) };
    }
    const sequences = children.filter(({ name }) => name !== 'attribute');
    return {
      attributes: this.attributes({ children }),
      content: sequences.length === 0 ? '' : this.sequence(only(sequences)),
    };
  }

  /** In the order in which they are written. */
  private attributes({ children }: Pick<Node, 'children'>): string {
    const byName = children.filter(({ name }) => name === 'attribute').map((node) => [nameOf(node), node] as const);
    return byName
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, node]) => this.attribute(node))
      .join('');
  }

  private attribute(node: Node): string {
    const { use = 'optional' } = node.attributes;
    expected(use === 'required' || use === 'optional', node);
    const written = ` ${nameOf(node)}="${this.text(node, IN_ATTRIBUTE)}"`;
    return use === 'required' ? written : `(?:${written})?`;
  }

  private sequence(node: Node): string {
    expected(node.name === 'sequence', node);
    return node.children.map((part) => this.part(part)).join('');
  }

  private part(node: Node): string {
    const { minOccurs = '1', maxOccurs = '1' } = node.attributes;
    // The place of the signature, where nothing is yet.
    if (node.name === 'any' && minOccurs === '0') return '';
    expected(node.name === 'element', node);
    const element = this.element(node);
    if (minOccurs === '1' && maxOccurs === '1') return element;
    return `(?:${element})${counts(minOccurs, maxOccurs === 'unbounded' ? '' : maxOccurs)}`;
  }

  /** Escaped text of an element's or attribute's simple type. */
  private text(node: Node, character: string): string {
    const { primitive, values, enumeration } = this.facets(node);
    const { pattern = ONE_LINE, minLength = '0', maxLength = '', ...others } = values;
    if (primitive === 'decimal') return decimal(values);
    expected(Object.keys(others).length === 0, node);
    if (enumeration.length > 0) return oneOf(enumeration);
    if (pattern !== ONE_LINE) {
      expected(primitive === 'string' && minLength === '0' && maxLength === '', node);
      return `(?:${plain(pattern)})`;
    }
    if (primitive === 'string') return character + counts(minLength, maxLength);
    expected(Object.keys(values).length === 0, node);
    if (primitive === 'anySimpleType') return `${character}*`;
    expected(primitive === 'NMTOKEN', node);
    return '[A-Za-z0-9._-]+';
  }

  /** @param node what names its type or base, or holds its type */
  private facets(node: Node): Facets {
    const { type, base } = node.attributes;
    const known = type ?? base;
    if (known?.startsWith('xs:') === true) return { primitive: known.slice('xs:'.length), values: {}, enumeration: [] };
    const simple = known === undefined ? only(node.children) : this.types.get(known);
    const restriction = only(simple?.children ?? []);
    expected(simple?.name === 'simpleType' && restriction.name === 'restriction', node);
    const { primitive, values, enumeration } = this.facets({ ...restriction, children: [] });
    const own = restriction.children.map(({ name, attributes }) => [name, attributes['value'] ?? ''] as const);
    if (own.some(([name]) => name === 'enumeration')) {
      expected(own.every(([name]) => name === 'enumeration') && Object.keys(values).length === 0, restriction);
      return { primitive, values, enumeration: own.map(([, value]) => value) };
    }
    const added = Object.fromEntries(own);
    expected(Object.keys(added).length === own.length && enumeration.length === 0, restriction);
    // Patterns of a type and of its base hold both.
    expected(values['pattern'] === undefined || added['pattern'] === undefined, restriction);
    return { primitive, values: { ...values, ...added }, enumeration };
  }
}

/** Digits as our amounts have them: no plus sign, no empty part, no zeros that only fill up. */
function decimal(values: Facets['values']): string {
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

function oneOf(values: readonly string[]): string {
  if (!values.every((value) => LITERAL.test(value))) throw new UntranslatableSchema(`one of ${values.join(', ')}`);
  return `(?:${values.join('|')})`;
}

function plain(pattern: string): string {
  if (!PLAIN_PATTERN.test(pattern) || pattern.includes(COUNTED_GROUP)) {
    throw new UntranslatableSchema(`the pattern ${pattern}`);
  }
  return pattern;
}

/** @param most empty: without end */
function counts(least: string, most: string): string {
  if (!COUNT.test(least) || (most !== '' && !COUNT.test(most))) throw new UntranslatableSchema(`${least} to ${most}`);
  return `{${least},${most}}`;
}

function nameOf(node: Node): string {
  const { name = '' } = node.attributes;
  expected(NAME.test(name), node);
  return name;
}

function expected(condition: boolean, { name, attributes }: Node): void {
  if (!condition) throw new UntranslatableSchema(`${name} ${JSON.stringify(attributes)}`);
}

function only<Entry>(entries: readonly Entry[]): Entry {
  const [entry] = entries;
  if (entry === undefined || entries.length > 1)
    throw new UntranslatableSchema(`${entries.length} where one is expected`);
  return entry;
}

function nodeOf(element: XmlElement): Node {
  const attributes = Object.fromEntries(element.attrs.map(({ name, content }) => [name, content]));
  const children: Node[] = [];
  for (let at = element.firstChild; at !== null; at = at.next) {
    if (at instanceof XmlElement) children.push(nodeOf(at));
  }
  const node = { name: element.name, attributes, children };
  const known = VOCABULARY[node.name] ?? [];
  expected(element.namespaceUri === XML_SCHEMA && node.name in VOCABULARY, node);
  expected(
    element.attrs.every(({ name, namespaceUri }) => namespaceUri === '' && known.includes(name)),
    node,
  );
  return node;
}
