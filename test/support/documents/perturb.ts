import type { DocumentContent } from '../../../src/sri/document-types/content.js';
import { dec, type Random } from './random.js';

/**
 * Small changes anywhere in a document: cents, decimals, codes, days, texts, entries
 * dropped or doubled. Most break it; what the pre-flight lets pass nevertheless must
 * be what the SRI lets pass.
 */
export function perturbed(content: DocumentContent, random: Random): { content: DocumentContent; changes: string[] } {
  const copy = structuredClone(content);
  const changes = random.list(1, 2, () => {
    const fields: Field[] = [];
    collectFields(copy as unknown as Record<string, unknown>, '', fields);
    return change(random.pick(fields), random);
  });
  return { content: copy, changes: [...changes] };
}

/** One of thousands, of which one or two are changed: it holds no more than it takes to find out the rest. */
interface Field {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  /** Of the holder. */
  readonly path: string;
}

/** The type decides which rules there are, and the shape of the document is the request's affair. */
const KEPT = new Set(['documentType']);

function collectFields(holder: Record<string, unknown>, path: string, into: Field[]): void {
  for (const name of Object.keys(holder)) {
    if (path === '' && KEPT.has(name)) continue;
    const value = holder[name];
    const isObject = typeof value === 'object' && value !== null;
    if (!isObject || Array.isArray(value)) into.push({ holder, name, path });
    if (isObject) collectFields(value as Record<string, unknown>, `${path}/${name}`, into);
  }
}

function change({ holder, name, path }: Field, random: Random): string {
  const value = holder[name];
  const changed = otherThan(value, random);
  holder[name] = changed;
  return `${path}/${name}: ${JSON.stringify(value).slice(0, 60)} -> ${JSON.stringify(changed).slice(0, 60)}`;
}

function otherThan(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return otherList(value, random);
  if (typeof value === 'number') return Math.max(0, value + random.pick([-1, 1]));
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return value;
  if (/^\d+\.\d+$/.test(value)) return otherAmount(value, random);
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return otherDay(value, random);
  if (/^\d{1,5}$/.test(value)) return random.pick(CODES);
  return random.pick([random.text(300), random.text(20), value.slice(1), `${value} x`, random.documentNumber()]);
}

const CODES = [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '10',
  '01',
  '02',
  '03',
  '08',
  '41',
  '312',
  '725',
  '3101',
  '3680',
];

function otherList(value: readonly unknown[], random: Random): readonly unknown[] {
  if (value.length === 0) return value;
  return random.chance(0.5) ? value.slice(1) : [...value, value[0]];
}

function otherAmount(value: string, random: Random): string {
  const step = random.pick(['0.01', '-0.01', '0.01', '-0.01', '0.02', '-0.02', '0.05', '1', '-1', '0.000001']);
  const places = Math.max(value.split('.')[1]?.length ?? 0, dec(step).decimalPlaces());
  const other = dec(value).plus(step);
  return (other.isNegative() ? dec(value).minus(step) : other).toFixed(places);
}

function otherDay(value: string, random: Random): string {
  const other = new Date(`${value}T12:00:00Z`);
  other.setUTCDate(other.getUTCDate() + random.pick([-1, 1, -400, 30]));
  return other.toISOString().slice(0, 10);
}
