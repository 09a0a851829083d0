import type { CodeTable } from './code-table.js';

/** Legends of the issuer's regime, where the text itself is what the XML carries. */
export const LEGENDS: CodeTable = {
  name: 'legends',
  source: 'Ficha técnica off-line 2.32, anexos 21, 22 y 24; 2.34, anexo 26',
  rows: [
    { code: 'rimpe-entrepreneur', es: 'CONTRIBUYENTE RÉGIMEN RIMPE', en: 'RIMPE regime', from: '2022-01-01', to: null },
    {
      code: 'rimpe-popular-business',
      es: 'CONTRIBUYENTE NEGOCIO POPULAR - RÉGIMEN RIMPE',
      en: 'RIMPE regime, popular business',
      from: '2022-09-01',
      to: null,
    },
    { code: 'large-taxpayer', es: 'Gran Contribuyente', en: 'Large taxpayer', from: null, to: null },
    // In force on 28-07-2026, compulsory from 26-09-2026 (Res. NAC-DGERCGC26-00000027).
    { code: 'provider-ruc', es: 'RUC Proveedor', en: 'RUC of the invoicing platform', from: '2026-07-28', to: null },
  ],
};
