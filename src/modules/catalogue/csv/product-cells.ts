import { type CsvCell, csvDecimal, original, type Separator, SEPARATORS } from '../../../platform/http/csv.js';
import { type Checked, checkField, fieldsOf, refuse } from '../../../platform/http/field-spec.js';
import { JsonRefusal, parseStrictJson } from '../../../platform/http/strict-json.js';
import { PRODUCT_FIELDS, type ProductField, type ProductValues } from '../domain/product.js';
import { ProductCreateDto } from '../products.dto.js';

/** Products as cells of a file, both ways; the column names are those of the fields. */

const FIELDS = fieldsOf(ProductCreateDto);
const DECIMALS: readonly ProductField[] = ['unit_price', 'default_discount'];
const FLAGS: readonly ProductField[] = ['applies_tourism_iva', 'applies_ice', 'is_active'];
const MAX_JSON_DEPTH = 20;

/** What spreadsheets make of a flag, in English and Spanish. */
const FLAG_WORDS: Readonly<Record<string, boolean>> = {
  true: true, false: false, verdadero: true, falso: false, '1': true, '0': false, si: true, sí: true, no: false, yes: true,
};

/** Beside semicolons and tabs stand decimal commas: so a spreadsheet set to Spanish writes numbers. */
const hasDecimalCommas = (separator: string): boolean => separator !== SEPARATORS.comma;

/** The cells of a product, in the order of `PRODUCT_FIELDS`. */
export function productCells(product: ProductValues, separator: Separator): CsvCell[] {
  return PRODUCT_FIELDS.map((field) => {
    if (field === 'additional_fields') return JSON.stringify(product.additional_fields);
    const value = product[field];
    return typeof value === 'string' && DECIMALS.includes(field) ? csvDecimal(value, separator) : value;
  });
}

export const isProductField = (name: string): name is ProductField => PRODUCT_FIELDS.some((field) => field === name);

/** Values of a product's fields that nobody gave: the defaults of a new one. */
export const PRODUCT_DEFAULTS: Readonly<Partial<ProductValues>> = Object.assign({}, new ProductCreateDto(), { aux_code: null, ice_code: null });

/** The value that a cell stands for, by the rules of its field; an empty one is the field's default. */
export function cellValue(field: ProductField, cell: string, separator: string): Checked {
  if (cell.trim() === '') {
    const fallback = PRODUCT_DEFAULTS[field];
    return fallback === undefined ? refuse('missing') : { ok: true, value: fallback };
  }
  const spec = FIELDS.get(field);
  if (spec === undefined) throw new TypeError(`no field ${field}`);
  const read = readCell(field, original(cell), separator);
  return read.ok ? checkField(spec, read.value) : read;
}

/** With a decimal comma, points may set thousands apart: which of the two a file means is not guessed. */
const THOUSANDS = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/;

function readCell(field: ProductField, text: string, separator: string): Checked {
  const plain = text.trim();
  if (DECIMALS.includes(field)) {
    if (!hasDecimalCommas(separator)) return { ok: true, value: plain };
    return THOUSANDS.test(plain) ? refuse('decimal_parsing') : { ok: true, value: plain.replace(',', '.') };
  }
  if (FLAGS.includes(field)) {
    const word = plain.toLowerCase();
    return Object.hasOwn(FLAG_WORDS, word) ? { ok: true, value: FLAG_WORDS[word] } : refuse('bool_type');
  }
  if (field !== 'additional_fields') return { ok: true, value: text };
  try {
    return { ok: true, value: parseStrictJson(text, MAX_JSON_DEPTH) };
  } catch (error) {
    if (error instanceof JsonRefusal) return refuse('object_type');
    throw error;
  }
}
