/** What a tenant says of a product or service. Names are the wire's. */
export interface ProductValues {
  readonly main_code: string;
  readonly aux_code: string | null;
  readonly name: string;
  /** Plain decimal strings with the fractional digits that were given. */
  readonly unit_price: string;
  readonly default_discount: string;
  readonly tax_code: string;
  readonly iva_rate_code: string;
  readonly applies_tourism_iva: boolean;
  readonly applies_ice: boolean;
  readonly ice_code: string | null;
  readonly additional_fields: Readonly<Record<string, unknown>>;
  readonly is_active: boolean;
}

/** A product as it is to be stored. */
export interface StoredValues extends ProductValues {
  readonly id: string;
}

/** The fields of a product in the order in which tables and files show them. */
export const PRODUCT_FIELDS = [
  'main_code',
  'aux_code',
  'name',
  'unit_price',
  'default_discount',
  'tax_code',
  'iva_rate_code',
  'applies_tourism_iva',
  'applies_ice',
  'ice_code',
  'is_active',
  'additional_fields',
] as const satisfies readonly (keyof ProductValues)[];

export type ProductField = (typeof PRODUCT_FIELDS)[number];
