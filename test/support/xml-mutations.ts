import { DOMParser, XMLSerializer } from '@xmldom/xmldom';

/** Values around the edges of every kind of simple type the SRI's schemas use. */
const VALUES = [
  '',
  ' ',
  'a\nb',
  'x'.repeat(10),
  'x'.repeat(11),
  'x'.repeat(15),
  'x'.repeat(16),
  'X'.repeat(20),
  'x'.repeat(21),
  'x'.repeat(25),
  'x'.repeat(26),
  'x'.repeat(30),
  'x'.repeat(31),
  'x'.repeat(50),
  'x'.repeat(51),
  'x'.repeat(100),
  'x'.repeat(101),
  '😀'.repeat(300),
  'x'.repeat(301),
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '7',
  '01',
  '02',
  '03',
  '04',
  '08',
  '09',
  '00',
  '21',
  '22',
  '41',
  '123',
  '1234',
  '12345',
  '12345678',
  '123456789',
  '1234567890',
  '1234567890123',
  '12345678901234',
  '1790012344001',
  '1790012344002',
  '9'.repeat(49),
  '9'.repeat(50),
  '-1.00',
  '-0.00',
  '+1.00',
  '1.5',
  '12.34',
  '99.99',
  '150.00',
  '100.25',
  '999.99',
  '1000.5',
  '1.005',
  '1.000',
  '.5',
  '5.',
  '1e2',
  '1,5',
  ' 1.00 ',
  '999999999999.99',
  '9999999999999.99',
  '999999999999.999999',
  '9999999999999.999999',
  '0.1234567',
  'SI',
  'NO',
  'si',
  'S',
  'FOB',
  'fob',
  'ABCDEFGHIJK',
  'ABC-1',
  'EXPORTADOR',
  '29/02/2026',
  '31/12/2099',
  '32/01/2026',
  '01/13/2026',
  '1/1/2026',
  '01/01/1999',
  '001-002-000000003',
  '001-002-00000003',
  '001002000000003',
  'CONTRIBUYENTE RÉGIMEN RIMPE',
  'CONTRIBUYENTE NEGOCIO POPULAR - RÉGIMEN RIMPE',
  'CONTRIBUYENTE REGIMEN RIMPE',
  '٣',
  'comprobante',
];

type Random = () => number;
type Element = ReturnType<ReturnType<DOMParser['parseFromString']>['getElementsByTagName']>[number];

/** Taken once: Jest's tests run in a context of their own, where a look at a global is slow. */
const { imul } = Math;

/** Repeatable numbers in [0, 1) (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The XML with one random change of structure, text or attribute; tells what it did. */
export function mutate(
  xml: string,
  random: Random,
): { readonly xml: string; readonly change: string; readonly kind: string } {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const elements = Array.from(document.getElementsByTagName('*'));
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const target = pick(elements);
  const change = pick(CHANGES);
  change.apply(target, pick, elements);
  const written = new XMLSerializer().serializeToString(document);
  return { xml: written, change: `${change.name} ${target.tagName}`, kind: change.name };
}

interface Change {
  readonly name: string;
  apply(target: Element, pick: <T>(from: readonly T[]) => T, all: readonly Element[]): void;
}

const setText: Change = {
  name: 'text of',
  apply: (target, pick) => {
    target.textContent = pick(VALUES);
  },
};

/** Changing text is the richest kind: it is drawn more often. */
const CHANGES: readonly Change[] = [
  setText,
  setText,
  setText,
  setText,
  {
    name: 'remove',
    apply: (target) => {
      if (target.parentNode !== target.ownerDocument) target.parentNode?.removeChild(target);
    },
  },
  {
    name: 'repeat',
    apply: (target) => {
      if (target.parentNode !== target.ownerDocument) target.parentNode?.insertBefore(target.cloneNode(true), target);
    },
  },
  {
    name: 'before its neighbour',
    apply: (target) => {
      let neighbour = target.previousSibling;
      while (neighbour !== null && neighbour.nodeType !== target.nodeType) neighbour = neighbour.previousSibling;
      if (neighbour !== null) target.parentNode?.insertBefore(target, neighbour);
    },
  },
  {
    name: 'move to the end',
    apply: (target) => {
      if (target.parentNode !== target.ownerDocument) target.parentNode?.appendChild(target);
    },
  },
  {
    name: 'unknown child in',
    apply: (target) => {
      target.appendChild(target.ownerDocument.createElement('desconocido'));
    },
  },
  {
    name: 'other element into',
    apply: (target, pick, all) => {
      target.appendChild(pick(all.filter((element) => element.tagName !== 'factura')).cloneNode(true));
    },
  },
  {
    name: 'loose text in',
    apply: (target) => {
      target.appendChild(target.ownerDocument.createTextNode('suelto'));
    },
  },
  {
    name: 'attribute of',
    apply: (target, pick) => {
      target.setAttribute(pick(['id', 'version', 'nombre', 'valor', 'otro']), pick(VALUES));
    },
  },
  {
    name: 'no attributes on',
    apply: (target) => {
      for (const attribute of Array.from(target.attributes)) target.removeAttribute(attribute.name);
    },
  },
];

/** Names of the kinds of changes: dropped, doubled and reordered elements, texts too long, of a wrong pattern or of no list. */
export const MUTATION_KINDS: readonly string[] = [...new Set(CHANGES.map((change) => change.name))];

interface Node {
  readonly path: string;
  readonly start: number;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
  readonly leaf: boolean;
  /** Start and end of the sibling before it. */
  readonly previous: readonly [number, number] | null;
}

/** How often an element may stand in a row: the SRI's bounds are 1, 3, 15 or none. */
const REPEATS = [2, 3, 4, 15, 16];

/**
 * Every edge value in every leaf and attribute of the XML, and every element left
 * out, repeated and put before its neighbour: systematic where {@link mutate} is random.
 */
export function* sweep(xml: string): Generator<{ readonly xml: string; readonly change: string }> {
  const seen = new Set<string>();
  for (const node of nodesOf(xml)) {
    if (seen.has(node.path)) continue;
    seen.add(node.path);
    const whole = xml.slice(node.start, node.end);
    const put = (text: string) => xml.slice(0, node.start) + text + xml.slice(node.end);
    yield { xml: put(''), change: `remove ${node.path}` };
    if (node.previous !== null) {
      const [start, end] = node.previous;
      const swapped = xml.slice(0, start) + whole + xml.slice(end, node.start) + xml.slice(start, end);
      yield { xml: swapped + xml.slice(node.end), change: `${node.path} before its neighbour` };
    }
    for (const count of REPEATS) yield { xml: put(whole.repeat(count)), change: `${count} x ${node.path}` };
    for (const [value, change] of VALUES.map((text) => [text, `${node.path} = ${text.slice(0, 20)}`] as const)) {
      if (node.leaf) yield { xml: xml.slice(0, node.contentStart) + value + xml.slice(node.contentEnd), change };
      const opening = xml.slice(node.start, node.contentStart);
      for (const attribute of opening.matchAll(/ ([\w]+)="[^"]*"/g)) {
        const changed = opening.replace(attribute[0], ` ${attribute[1] ?? ''}="${value}"`);
        yield {
          xml: put(changed + xml.slice(node.contentStart, node.end)),
          change: `@${attribute[1] ?? ''} of ${change}`,
        };
      }
    }
  }
}

/** Elements below the root, innermost first. */
function* nodesOf(xml: string): Generator<Node> {
  const open: (Omit<Node, 'contentEnd' | 'end' | 'leaf'> & {
    leaf: boolean;
    last: readonly [number, number] | null;
  })[] = [];
  for (const match of xml.matchAll(/<(\/?)(\w+)((?: [^>]*?)?)(\/?)>/g)) {
    const [tag, closing, name = '', , selfClosed] = match;
    const contentEnd = match.index;
    if (closing === '/') {
      const node = open.pop();
      const end = contentEnd + tag.length;
      const holder = open.at(-1);
      if (node !== undefined && holder !== undefined) {
        holder.last = [node.start, end];
        yield { ...node, contentEnd, end };
      }
      continue;
    }
    const parent = open.at(-1);
    if (parent !== undefined) parent.leaf = false;
    const path = `${parent?.path ?? ''}/${name}`;
    const contentStart = contentEnd + tag.length;
    if (selfClosed !== '/') {
      open.push({ path, start: contentEnd, contentStart, leaf: true, previous: parent?.last ?? null, last: null });
    }
  }
}
