import { sameDecimal } from '../../../shared/decimal.js';
import { isObject } from '../../../shared/is-object.js';
import { PRODUCT_FIELDS, type ProductField, type ProductValues, type StoredValues } from './product.js';
import { productProblems } from './product-rules.js';

/** A product as a row tells it: columns that the file does not have are absent. */
export interface ProductRow {
  readonly line: number;
  readonly values: Readonly<Partial<ProductValues>> & { readonly main_code: string };
}

/** What is wrong with a row of the file. */
export interface RowProblem {
  readonly line: number;
  /** Column; null where the row as a whole is at fault. */
  readonly field: string | null;
  readonly type: string;
  readonly ctx: Readonly<Record<string, unknown>>;
  readonly input: string | null;
}

/** What becomes of the rows. */
export interface ImportPlan {
  readonly added: readonly StoredValues[];
  readonly changed: readonly StoredValues[];
  readonly unchanged: number;
  readonly problems: readonly RowProblem[];
}

/**
 * What becomes of each row. Pure.
 * @param existing the products of the rows' main codes
 * @param defaults what a new product is where its row is silent
 * @param newId makes the id of a new product
 */
export function planImport(rows: readonly ProductRow[], existing: readonly StoredValues[], defaults: Readonly<Partial<ProductValues>>, newId: () => string): ImportPlan {
  const byCode = new Map(existing.map((product) => [product.main_code, product]));
  const plan = { added: [] as StoredValues[], changed: [] as StoredValues[], unchanged: 0, problems: [] as RowProblem[] };
  for (const { line, values } of rows) {
    const stored = byCode.get(values.main_code);
    const merged: Partial<ProductValues> = { ...(stored ?? defaults), ...values };
    const problems = isWhole(merged) ? productProblems(merged) : missing(merged);
    if (problems.length > 0) {
      plan.problems.push(...problems.map(({ field, type, ctx }) => ({ line, field, type, ctx, input: type === 'missing' ? null : textOf(merged[field]) })));
    } else if (isWhole(merged)) {
      if (stored === undefined) plan.added.push({ ...merged, id: newId() });
      else if (isSame(stored, values)) plan.unchanged += 1;
      else plan.changed.push({ ...merged, id: stored.id });
    }
  }
  return plan;
}

/** A value as a finding repeats it. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Problems in the order of the file. */
export const inOrder = (problems: readonly RowProblem[]): RowProblem[] => [...problems].sort((one, other) => one.line - other.line);

const isWhole = (product: Partial<ProductValues>): product is ProductValues => PRODUCT_FIELDS.every((field) => product[field] !== undefined);

const missing = (product: Partial<ProductValues>): { field: ProductField; type: string; ctx: Readonly<Record<string, string>> }[] =>
  PRODUCT_FIELDS.filter((field) => product[field] === undefined).map((field) => ({ field, type: 'missing', ctx: {} }));

/** Equal in every field that is told; amounts by their value, for spreadsheets write `10.5` where `10.50` was. */
function isSame(stored: ProductValues, told: Readonly<Partial<ProductValues>>): boolean {
  return PRODUCT_FIELDS.every((field) => {
    if (told[field] === undefined) return true;
    if (field === 'unit_price' || field === 'default_discount') return sameDecimal(stored[field], told[field] ?? '');
    return field === 'additional_fields' ? canonical(stored[field]) === canonical(told[field]) : stored[field] === told[field];
  });
}

/** The same text for equal JSON, whatever the order of its names. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1))) : inner,
  );
