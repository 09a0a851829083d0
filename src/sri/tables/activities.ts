import type { CodeRow, CodeTable } from './code-table.js';

/** Codes that a line carries because of what is sold, and withholdings inside invoices of two trades. */

/** Transport operators, except taxis (`codigoAuxiliar`). */
export const TRANSPORT_CODES: CodeTable = {
  name: 'transport-codes',
  source: 'Ficha técnica off-line 2.32, tabla 32 y anexo 25',
  rows: [
    { code: 'H492001', es: 'Operadora a cliente', en: 'Operator to client', from: '2025-11-01', to: null },
    { code: 'H492002', es: 'Socio a operadora', en: 'Member to operator', from: '2025-11-01', to: null },
  ],
};

/** Their invoices have the vehicle's plate since ficha 2.33, of July 2026; the day in that month is not known. */
export const TRANSPORT_PLATE_FROM = '2026-07-01';

const always = { from: null, to: null } as const;

/** Fuels (`codigoPrincipal`). The reference gives the codes alone. */
export const FUEL_CODES: CodeTable = {
  name: 'fuel-codes',
  source: 'Ficha técnica off-line 2.32, tabla 30 y anexos 12 y 16',
  rows: ['0103', '0101', '0174', '0121', '0104'].map((code) => ({
    code,
    es: `Combustible ${code}`,
    en: `Fuel ${code}`,
    ...always,
  })),
};

/** Lines of plastic bags (`codigoPrincipal`): price zero, ICE per unit. */
export const PLASTIC_BAG_CODES: CodeTable = {
  name: 'plastic-bag-codes',
  source: 'Ficha técnica off-line 2.32, anexo 18',
  rows: ['ICE-FPN-01', 'ICE-FPR-02', 'ICE-FPE-03'].map((code) => ({
    code,
    es: `Fundas plásticas (${code})`,
    en: `Plastic bags (${code})`,
    ...always,
  })),
};

export interface InvoiceWithholding extends CodeRow {
  /** `tarifa` as the XML writes it. */
  readonly tariff: string;
}

/** Withholdings inside invoices of fuel sellers and of the press (tax code 4). */
export const INVOICE_WITHHOLDING: CodeTable<InvoiceWithholding> = {
  name: 'invoice-withholding',
  source: 'Ficha técnica off-line 2.32, tablas 22 y 23',
  rows: [
    { code: '3', tariff: '1.00', es: 'IVA presuntivo, prensa', en: 'Presumptive IVA, press', ...always },
    { code: '4', tariff: '0.12', es: 'IVA presuntivo, combustibles', en: 'Presumptive IVA, fuel', ...always },
    {
      code: '5',
      tariff: '100.00',
      es: 'Retención presuntiva de IVA (código 5)',
      en: 'Presumptive IVA withholding (code 5)',
      ...always,
    },
    {
      code: '6',
      tariff: '100.00',
      es: 'Retención presuntiva de IVA (código 6)',
      en: 'Presumptive IVA withholding (code 6)',
      ...always,
    },
    { code: '327', tariff: '0.20', es: 'Renta, combustibles (327)', en: 'Income tax, fuel (327)', ...always },
    { code: '328', tariff: '0.30', es: 'Renta, combustibles (328)', en: 'Income tax, fuel (328)', ...always },
  ],
};
