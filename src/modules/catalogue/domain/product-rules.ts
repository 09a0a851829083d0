import { dec } from '../../../shared/decimal.js';
import { type CodeTable, isKnown } from '../../../sri/tables/code-table.js';
import { EXCISE_CODE, ICE_RATES, IVA_RATES, TAX, TAX_CODES, TOURISM_RATE } from '../../../sri/tables/taxes.js';
import type { ProductField, ProductValues } from './product.js';

/** Why a product cannot be as it is given. */
export interface ProductProblem {
  readonly field: ProductField;
  readonly type: 'missing' | 'code_unknown' | 'iva_only' | 'tourism_rate';
  readonly ctx: Readonly<Record<string, string>>;
}

type Codes = { readonly [Field in 'tax_code' | 'iva_rate_code' | 'applies_tourism_iva' | 'applies_ice' | 'ice_code']?: ProductValues[Field] | undefined };

/**
 * Holds the codes of a product against the SRI's tables and against each other. A code that is not in force today is
 * known still: which day decides is known when a document is issued.
 * @param product what is known of it: nothing is found at what is absent
 */
export function productProblems(product: Codes): readonly ProductProblem[] {
  const { tax_code, iva_rate_code, ice_code } = product;
  return [
    ...unknown('tax_code', TAX_CODES, tax_code),
    ...(tax_code !== undefined && isKnown(TAX_CODES, tax_code) && tax_code !== TAX.iva ? [{ field: 'tax_code', type: 'iva_only', ctx: {} } as const] : []),
    ...unknown('iva_rate_code', IVA_RATES, iva_rate_code),
    // The table of ICE informs: a code that it lacks may be one of law.
    ...(typeof ice_code !== 'string' || EXCISE_CODE.test(ice_code) ? [] : unknown('ice_code', ICE_RATES, ice_code)),
    ...(product.applies_ice === true && ice_code === null ? [{ field: 'ice_code', type: 'missing', ctx: {} } as const] : []),
    ...(product.applies_tourism_iva === true && iva_rate_code !== undefined && !isReducible(iva_rate_code) ? [{ field: 'applies_tourism_iva', type: 'tourism_rate', ctx: { iva_rate_code } } as const] : []),
  ];
}

const unknown = (field: ProductField, table: CodeTable, code: string | undefined): ProductProblem[] =>
  code === undefined || isKnown(table, code) ? [] : [{ field, type: 'code_unknown', ctx: { table: table.name } }];

/** Only a rate above the reduced one is reduced for tourism; an unknown rate has its own finding. */
function isReducible(rateCode: string): boolean {
  const percent = (code: string): string | undefined => IVA_RATES.rows.findLast((row) => row.code === code)?.percent;
  const own = percent(rateCode);
  return own === undefined || dec(own).gt(dec(percent(TOURISM_RATE) ?? '0'));
}
