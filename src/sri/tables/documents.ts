import type { CodeRow, CodeTable } from './code-table.js';

const always = { from: null, to: null } as const;

/** `codDoc`. */
export const DOCUMENT_TYPES: CodeTable = {
  name: 'document-types',
  source: 'Ficha técnica off-line 2.32, tabla 3',
  rows: [
    { code: '01', es: 'Factura', en: 'Invoice', ...always },
    {
      code: '03',
      es: 'Liquidación de compra de bienes y prestación de servicios',
      en: 'Purchase settlement',
      ...always,
    },
    { code: '04', es: 'Nota de crédito', en: 'Credit note', ...always },
    { code: '05', es: 'Nota de débito', en: 'Debit note', ...always },
    { code: '06', es: 'Guía de remisión', en: 'Delivery guide', ...always },
    { code: '07', es: 'Comprobante de retención', en: 'Withholding certificate', ...always },
  ],
};

/** `ambiente`. */
export const ENVIRONMENTS: CodeTable = {
  name: 'environments',
  source: 'Ficha técnica off-line 2.32, tabla 4',
  rows: [
    { code: '1', es: 'Pruebas', en: 'Test', ...always },
    { code: '2', es: 'Producción', en: 'Production', ...always },
  ],
};

/** `tipoEmision`. */
export const EMISSION_TYPES: CodeTable = {
  name: 'emission-types',
  source: 'Ficha técnica off-line 2.32, tabla 2',
  rows: [{ code: '1', es: 'Normal', en: 'Normal', ...always }],
};

export interface IdentificationType extends CodeRow {
  /** Name that callers may send instead of the code. */
  readonly alias: string;
}

/** `tipoIdentificacionComprador` and its siblings. */
export const IDENTIFICATION_TYPES: CodeTable<IdentificationType> = {
  name: 'identification-types',
  source: 'Ficha técnica off-line 2.32, tabla 6',
  rows: [
    { code: '04', alias: 'RUC', es: 'RUC', en: 'Taxpayer number (RUC)', ...always },
    { code: '05', alias: 'CEDULA', es: 'Cédula', en: 'National identity card', ...always },
    { code: '06', alias: 'PASAPORTE', es: 'Pasaporte', en: 'Passport', ...always },
    { code: '07', alias: 'CONSUMIDOR_FINAL', es: 'Consumidor final', en: 'Final consumer', ...always },
    { code: '08', alias: 'EXTERIOR', es: 'Identificación del exterior', en: 'Foreign identification', ...always },
  ],
};

/** Names that may stand for the codes of identification. */
export const ID_TYPE_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(IDENTIFICATION_TYPES.rows.map(({ alias, code }) => [alias, code]));

/** What the SRI prescribes for a sale to nobody in particular. */
export const FINAL_CONSUMER = {
  idType: '07',
  id: '9999999999999',
  name: 'CONSUMIDOR FINAL',
  /** The receiver's name that the SRI suggests for its test environment (table 5). */
  testName: 'PRUEBAS SERVICIO DE RENTAS INTERNAS',
} as const;
