import type { CodeRow, CodeTable } from './code-table.js';

export interface Limit extends CodeRow {
  /** US dollars. */
  readonly amount: string;
}

/** Codes of the rows of {@link AMOUNT_LIMITS}. */
export const LIMIT = { finalConsumer: 'final-consumer-total', cash: 'cash-deductible', webService: 'web-service-total' } as const;

/** Dated amounts from which other rules apply. */
export const AMOUNT_LIMITS: CodeTable<Limit> = {
  name: 'amount-limits',
  source: 'Ficha técnica off-line 2.22 (septiembre de 2022) y 2.32, tabla 6; LRTI, artículo 103',
  rows: [
    {
      code: LIMIT.finalConsumer,
      es: 'Total máximo de una factura a consumidor final',
      en: 'Largest total of an invoice to a final consumer',
      amount: '200.00',
      from: null,
      to: '2022-08-31',
    },
    {
      code: LIMIT.finalConsumer,
      es: 'Total máximo de una factura a consumidor final',
      en: 'Largest total of an invoice to a final consumer',
      amount: '50.00',
      from: '2022-09-01',
      to: null,
    },
    {
      code: LIMIT.cash,
      es: 'Pago sin sistema financiero que el comprador puede deducir',
      en: 'Payment outside the financial system that the buyer may deduct',
      amount: '500.00',
      from: null,
      to: null,
    },
    {
      code: LIMIT.webService,
      es: 'Total máximo de un comprobante que reciben los servicios web',
      en: 'Largest total of a document that the web services take',
      amount: '200000000.00',
      from: null,
      to: null,
    },
  ],
};
