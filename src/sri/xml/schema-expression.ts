import { XmlElement } from 'libxml2-wasm';
import {
  counts,
  decimal,
  IN_ATTRIBUTE,
  IN_TEXT,
  ONE_LINE,
  oneOf,
  plain,
  UntranslatableSchema,
} from './text-expression.js';

const NAME = /^\w+$/;
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
 * One of our schemas as a regular expression over what `canonical.ts` writes, unsigned. A text that it matches is valid; one
 * that it does not match may be valid too, written in another way or with rare characters. This is possible because our documents nest
 * to a fixed depth and are sequences throughout. Each text can be read in one way only, so that an invalid one is given up
 * after one pass.
 *
 * @param schema root element of an XSD that the parser's validator takes
 * @throws UntranslatableSchema when the schema uses more of XML Schema than ours do
 */
export function expressionOf(schema: XmlElement): RegExp {
  const declarations = nodeOf(schema).children;
  const types = new Map(declarations.map((node) => [node.attributes['name'] ?? '', node]));
  const roots = declarations.filter(({ name }) => name === 'element');
  const expression = `^${new Translation(types).element(only(roots))}$`;
  try {
    return new RegExp(expression);
  } catch (error) {
    throw new UntranslatableSchema((error as Error).message, { cause: error });
  }
}

class Translation {
  /** Types of which an element is being translated: none lies within itself. */
  private readonly open: Node[] = [];

  /** @param types what the schema names at its top level */
  constructor(private readonly types: ReadonlyMap<string, Node>) {}

  element(node: Node): string {
    const { type: typeName } = node.attributes;
    const name = nameOf(node);
    const type = typeName === undefined ? only(node.children) : this.types.get(typeName);
    if (type?.name !== 'complexType') return `<${name}>${this.text(node, IN_TEXT)}</${name}>`;
    expected(!this.open.includes(type), node);
    this.open.push(type);
    const { attributes, content } = this.complexType(type);
    this.open.pop();
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
    if (primitive === 'string') {
      if (enumeration.length > 0) return oneOf(enumeration);
      if (pattern === ONE_LINE) return character + counts(minLength, maxLength);
      expected(minLength === '0' && maxLength === '', node);
      return `(?:${plain(pattern)})`;
    }
    expected(Object.keys(values).length === 0 && enumeration.length === 0, node);
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
