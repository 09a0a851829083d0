import { FUEL_CODES, INVOICE_WITHHOLDING, PLASTIC_BAG_CODES, TRANSPORT_CODES } from './activities.js';
import type { CodeTable } from './code-table.js';
import { DOCUMENT_TYPES, EMISSION_TYPES, ENVIRONMENTS, IDENTIFICATION_TYPES } from './documents.js';
import { AMOUNT_LIMITS } from './limits.js';
import { PAYMENT_METHODS, TIME_UNITS } from './payments.js';
import { LEGENDS } from './regimes.js';
import {
  COUNTRIES,
  FOREIGN_REGIMES,
  PAYMENT_LOCATIONS,
  PERSON_KINDS,
  SUPPORTING_DOCUMENTS,
  SUSTENTO_CODES,
} from './supporting-documents.js';
import { CONSTRUCTION_MATERIALS, ICE_RATES, IRBPNR_RATES, IVA_RATES, TAX_CODES } from './taxes.js';
import { INCOME_WITHHOLDING, ISD_WITHHOLDING, IVA_WITHHOLDING, WITHHELD_TAXES } from './withholding.js';

/** Every code table, for listings (`GET /reference/{table}`). A new table is one line here. */
export const CODE_TABLES: readonly CodeTable[] = [
  DOCUMENT_TYPES,
  ENVIRONMENTS,
  EMISSION_TYPES,
  IDENTIFICATION_TYPES,
  TAX_CODES,
  IVA_RATES,
  ICE_RATES,
  IRBPNR_RATES,
  PAYMENT_METHODS,
  TIME_UNITS,
  WITHHELD_TAXES,
  IVA_WITHHOLDING,
  INCOME_WITHHOLDING,
  ISD_WITHHOLDING,
  INVOICE_WITHHOLDING,
  SUPPORTING_DOCUMENTS,
  SUSTENTO_CODES,
  PERSON_KINDS,
  PAYMENT_LOCATIONS,
  FOREIGN_REGIMES,
  COUNTRIES,
  CONSTRUCTION_MATERIALS,
  TRANSPORT_CODES,
  FUEL_CODES,
  PLASTIC_BAG_CODES,
  LEGENDS,
  AMOUNT_LIMITS,
];

/** The code table of a name. */
export function codeTable(name: string): CodeTable | undefined {
  return CODE_TABLES.find((table) => table.name === name);
}
