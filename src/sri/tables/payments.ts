import type { CodeTable } from './code-table.js';

const since2013 = { from: '2013-01-01', to: null } as const;
const since2016 = { from: '2016-06-01', to: null } as const;
const always = { from: null, to: null } as const;

/** `formaPago`. The schema takes 01 to 21; 02 to 14 are historic. */
export const PAYMENT_METHODS: CodeTable = {
  name: 'payment-methods',
  source: 'Ficha técnica off-line 2.32, tabla 24',
  rows: [
    { code: '01', es: 'Sin utilización del sistema financiero', en: 'Without the financial system', ...since2013 },
    { code: '15', es: 'Compensación de deudas', en: 'Set-off of debts', ...since2013 },
    { code: '16', es: 'Tarjeta de débito', en: 'Debit card', ...since2016 },
    { code: '17', es: 'Dinero electrónico', en: 'Electronic money', ...since2016 },
    { code: '18', es: 'Tarjeta prepago', en: 'Prepaid card', ...since2016 },
    { code: '19', es: 'Tarjeta de crédito', en: 'Credit card', ...since2016 },
    {
      code: '20',
      es: 'Otros con utilización del sistema financiero',
      en: 'Other with the financial system',
      ...since2016,
    },
    { code: '21', es: 'Endoso de títulos', en: 'Endorsement of securities', ...since2016 },
  ],
};

/** `unidadTiempo` is free text of up to 10 characters: these are the usual values, others are taken with a warning. */
export const TIME_UNITS: CodeTable = {
  name: 'time-units',
  source: 'Ejemplos de la ficha técnica off-line 2.32; no hay tabla',
  rows: [
    { code: 'dias', es: 'Días', en: 'Days', ...always },
    { code: 'meses', es: 'Meses', en: 'Months', ...always },
    { code: 'anios', es: 'Años', en: 'Years', ...always },
    { code: 'ninguno', es: 'Ninguno', en: 'None', ...always },
  ],
};
