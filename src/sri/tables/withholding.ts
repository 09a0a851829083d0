import type { CodeRow, CodeTable } from './code-table.js';
import { INCOME_WITHHOLDING_ROWS } from './withholding-income.js';

const always = { from: null, to: null } as const;

/** Taxes that a withholding certificate withholds (table 19). */
export const WITHHELD_TAX = { income: '1', iva: '2', isd: '6' } as const;

/** `codigo` of a withholding. */
export const WITHHELD_TAXES: CodeTable = {
  name: 'withheld-taxes',
  source: 'Ficha técnica off-line 2.32, tabla 19',
  rows: [
    { code: WITHHELD_TAX.income, es: 'Impuesto a la renta', en: 'Income tax', ...always },
    { code: WITHHELD_TAX.iva, es: 'IVA', en: 'Value added tax', ...always },
    {
      code: WITHHELD_TAX.isd,
      es: 'Impuesto a la salida de divisas',
      en: 'Tax on currency leaving the country',
      ...always,
    },
  ],
};

export interface WithholdingRate extends CodeRow {
  /** Percentage withheld as the XML writes it (`1.75`); null where the concept or the case decides it. */
  readonly percent: string | null;
}

const iva = (code: string, percent: string, es: string, en: string): WithholdingRate => ({
  code,
  percent,
  es,
  en,
  ...always,
});

/** `codigoRetencion` of IVA: not the boxes 721 to 731 of the tax return. */
export const IVA_WITHHOLDING: CodeTable<WithholdingRate> = {
  name: 'withholding-iva',
  source: 'Ficha técnica off-line 2.32, tabla 20',
  rows: [
    iva('9', '10.00', 'Retención del 10 % del IVA', '10 % of the IVA'),
    iva('10', '20.00', 'Retención del 20 % del IVA', '20 % of the IVA'),
    iva('1', '30.00', 'Retención del 30 % del IVA', '30 % of the IVA'),
    iva('11', '50.00', 'Retención del 50 % del IVA', '50 % of the IVA'),
    iva('2', '70.00', 'Retención del 70 % del IVA', '70 % of the IVA'),
    iva('3', '100.00', 'Retención del 100 % del IVA', '100 % of the IVA'),
    iva('7', '0.00', 'Retención en cero', 'Withholding at zero'),
    iva('8', '0.00', 'No procede retención', 'No withholding applies'),
  ],
};

const ISD = { es: 'Impuesto a la salida de divisas', en: 'Tax on currency leaving the country' } as const;

/** `codigoRetencion` of ISD. */
export const ISD_WITHHOLDING: CodeTable<WithholdingRate> = {
  name: 'withholding-isd',
  source: 'Ficha técnica off-line 2.32, tabla 20; D.E. 298 (2021), D.E. 643 (2023), D.E. 589 (2025)',
  rows: [
    { code: '4580', percent: '5.00', ...ISD, from: null, to: '2021-12-31' },
    { code: '4580', percent: '4.75', ...ISD, from: '2022-01-01', to: '2022-03-31' },
    { code: '4580', percent: '4.50', ...ISD, from: '2022-04-01', to: '2022-06-30' },
    { code: '4580', percent: '4.25', ...ISD, from: '2022-07-01', to: '2022-09-30' },
    // Until the next row begins: the tables at hand name no other rate for January 2023.
    { code: '4580', percent: '4.00', ...ISD, from: '2022-10-01', to: '2023-01-31' },
    { code: '4580', percent: '3.75', ...ISD, from: '2023-02-01', to: '2023-06-30' },
    { code: '4580', percent: '3.50', ...ISD, from: '2023-07-01', to: '2024-03-31' },
    { code: '4580', percent: '5.00', ...ISD, from: '2024-04-01', to: null },
    {
      code: '4586',
      percent: '2.50',
      es: 'ISD con tarifa reducida',
      en: 'Tax on currency leaving the country, reduced rate',
      from: '2025-05-01',
      to: null,
    },
  ],
};

/**
 * `codigoRetencion` of income tax. The ficha lists none and points to the catalogue
 * of the ATS, so the rates inform: a document with another rate deserves a warning,
 * not a refusal.
 */
export const INCOME_WITHHOLDING: CodeTable<WithholdingRate> = {
  name: 'withholding-income',
  source: 'Catálogo del ATS 3.10; Res. NAC-DGERCGC26-00000009 (tarifas desde 01-03-2026) y las anteriores',
  rows: INCOME_WITHHOLDING_ROWS,
};

/** Income-tax codes of bananas, which need boxes and price (`compraCajBanano`). */
export const BANANA_CODES: readonly string[] = ['338', '340', '341', '342', '342A', '342B'];

/** The table of a withheld tax's codes; undefined for a tax that is not withheld. */
export function withholdingTable(taxCode: string): CodeTable<WithholdingRate> | undefined {
  switch (taxCode) {
    case WITHHELD_TAX.income:
      return INCOME_WITHHOLDING;
    case WITHHELD_TAX.iva:
      return IVA_WITHHOLDING;
    case WITHHELD_TAX.isd:
      return ISD_WITHHOLDING;
    default:
      return undefined;
  }
}
