import { Decimal } from 'decimal.js';
import { dayNumberOf } from '../guayaquil-time.js';

interface IvaRow {
  readonly code: string;
  readonly rate: string;
  /** `dd/mm/yyyy`, inclusive; null is open. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Table 17 of the ficha técnica 2.32 with the dates of its decrees. */
const IVA_ROWS: readonly IvaRow[] = [
  { code: '0', rate: '0', from: null, to: null },
  { code: '2', rate: '12', from: null, to: '31/05/2016' },
  { code: '3', rate: '14', from: '01/06/2016', to: '31/05/2017' },
  { code: '2', rate: '12', from: '01/06/2017', to: '31/03/2024' },
  { code: '4', rate: '15', from: '01/04/2024', to: null },
  { code: '5', rate: '5', from: '01/04/2024', to: null },
  { code: '6', rate: '0', from: null, to: null },
  { code: '7', rate: '0', from: null, to: null },
  { code: '8', rate: '8', from: null, to: null },
  { code: '10', rate: '13', from: null, to: null },
];

/** Percentage of an IVA rate code on a day, or null when the code was not in force. */
export function ivaRate(rateCode: string, on: string): Decimal | null {
  const day = dayNumberOf(on);
  const row = IVA_ROWS.find(
    ({ code, from, to }) =>
      code === rateCode &&
      (day === null || from === null || day >= (dayNumberOf(from) ?? 0)) &&
      (day === null || to === null || day <= (dayNumberOf(to) ?? 0)),
  );
  return row ? new Decimal(row.rate) : null;
}
