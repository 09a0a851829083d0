import { randomInt } from 'node:crypto';

const PICHINCHA = '17';
const PRIVATE_COMPANY = '9';
const WEIGHTS = [4, 3, 2, 7, 6, 5, 4, 3, 2];

/**
 * A made-up RUC of a private company whose check digit holds. Another one every
 * time: on one database a RUC belongs to one issuer only.
 */
export function demoRuc(serial = randomInt(1_000_000)): string {
  for (let candidate = serial; ; candidate = (candidate + 1) % 1_000_000) {
    const first = PICHINCHA + PRIVATE_COMPANY + String(candidate).padStart(6, '0');
    const rest = WEIGHTS.reduce((sum, weight, place) => sum + weight * Number(first[place]), 0) % 11;
    // A remainder of 1 would need the digit 10: no such RUC exists.
    if (rest !== 1) return `${first}${rest === 0 ? 0 : 11 - rest}001`;
  }
}
