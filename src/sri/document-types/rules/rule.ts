import { dec, money, type Decimal } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { beginningOf } from '../../../shared/text.js';

/** One fiscal rule: stable id, wording, source. Each rule file defines its own set. */
export interface Rule {
  readonly id: string;
  readonly severity: Finding['severity'];
  readonly es: string;
  readonly en: string;
  /** Section of the ficha técnica or resolution. */
  readonly reference: string;
}

const catalogue = new Map<string, Rule>();

/** Every rule of the modules loaded so far, by id. */
export function ruleCatalogue(): readonly Rule[] {
  return [...catalogue.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * A set of rules whose keys are their ids; they enter the catalogue.
 * @throws Error when an id is taken already: callers rely on its meaning
 */
export function defineRules<Id extends string>(
  rules: Readonly<Record<Id, Omit<Rule, 'id' | 'severity'> & { readonly severity?: Finding['severity'] }>>,
): Readonly<Record<Id, Rule>> {
  const named = Object.entries<Omit<Rule, 'id' | 'severity'> & { readonly severity?: Finding['severity'] }>(rules).map(
    ([id, rule]): [string, Rule] => [id, { severity: 'error', ...rule, id }],
  );
  for (const [id, rule] of named) {
    if (catalogue.has(id)) throw new Error(`Rule ${id} is defined twice`);
    catalogue.set(id, rule);
  }
  return Object.fromEntries(named) as Readonly<Record<Id, Rule>>;
}

/**
 * A rule that a document breaks, at a place.
 *
 * @param pointer JSON Pointer into the request body
 */
export function finding(
  rule: Rule,
  pointer: string,
  expected: string | null = null,
  actual: string | null = null,
): Finding {
  const { id, severity, es, en, reference } = rule;
  return { pointer, rule: id, message: { es, en }, expected, actual, reference, severity };
}

/** The beginning of a document's own text, as a finding repeats it. Findings are stored, and PostgreSQL takes no half of a character. */
export const excerpt = (text: string): string => beginningOf(text, 64);

/** Findings of one severity that an answer lists at most: who has more has not mistyped something. */
export const MOST_FINDINGS = 500;

/** The first findings only; a rule that judges each item of long lists stops there. */
export function* atMost(findings: Iterable<Finding>): Generator<Finding> {
  let told = 0;
  for (const one of findings) {
    yield one;
    told += 1;
    if (told > MOST_FINDINGS) return;
  }
}

/** What several entries share: reports every entry whose key an earlier one had. */
export function* repeated<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): Generator<[Entry, number]> {
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const key = keyOf(entry);
    if (seen.has(key)) yield [entry, index];
    seen.add(key);
  }
}

/** An amount that is to be this one, to the cent. */
export function* equal(rule: Rule, pointer: string, expected: Decimal, actual: string): Generator<Finding> {
  if (!expected.eq(dec(actual))) yield finding(rule, pointer, money(expected), actual);
}
