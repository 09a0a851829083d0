import type { CodeTable } from './code-table.js';
import { DOCUMENT_TYPES, ENVIRONMENTS, IDENTIFICATION_TYPES } from './documents.js';
import { AMOUNT_LIMITS } from './limits.js';
import { PAYMENT_METHODS, TIME_UNITS } from './payments.js';
import { CONSTRUCTION_MATERIALS, ICE_RATES, IRBPNR_RATES, IVA_RATES, TAX_CODES } from './taxes.js';

/** Every code table, for listings. A new table is one line here. */
export const CODE_TABLES: readonly CodeTable[] = [
  DOCUMENT_TYPES,
  ENVIRONMENTS,
  IDENTIFICATION_TYPES,
  TAX_CODES,
  IVA_RATES,
  ICE_RATES,
  IRBPNR_RATES,
  PAYMENT_METHODS,
  TIME_UNITS,
  CONSTRUCTION_MATERIALS,
  AMOUNT_LIMITS,
];
