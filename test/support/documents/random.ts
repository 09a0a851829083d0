import { buildAccessKey } from '../../../src/sri/access-key.js';
import { dec, money, round2, type Decimal } from '../../../src/shared/decimal.js';
import { addDays } from '../../../src/shared/guayaquil.js';
import { seeded } from '../xml-mutations.js';

/** Taken once: Jest's tests run in a context of their own, where a look at a global is slow. */
const { floor } = Math;

/** Chance with a seed: the same seed always makes the same document. */
export class Random {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** Whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.int(0, from.length - 1)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }

  /** The value, or null. */
  maybe<T>(probability: number, make: () => T): T | null {
    return this.chance(probability) ? make() : null;
  }

  list<T>(least: number, most: number, make: (index: number) => T): readonly T[] {
    return Array.from({ length: this.int(least, most) }, (_, index) => make(index));
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.int(0, 9)).join('');
  }

  /** Amount with two decimals; small ones are drawn as often as large ones. */
  amount(most = 100_000_00): string {
    const bound = Math.max(1, Math.floor(most / 10 ** this.int(0, 6)));
    return cents(this.int(0, bound));
  }

  /** Positive decimal with up to six places, in the canonical form of quantities and prices. */
  fine(mostWhole: number): string {
    const places = this.pick([0, 0, 1, 2, 2, 3, 4, 6, 6]);
    const whole = this.int(0, Math.max(1, Math.floor(mostWhole / 10 ** this.int(0, 3))));
    const fraction = this.digits(places).padEnd(6, '0');
    return whole === 0 && Number(fraction) === 0 ? '0.000001' : `${whole}.${fraction}`;
  }

  /** Often of the kind that some layer is tempted to change. @param most in UTF-16 units */
  text(most: number): string {
    const text = this.chance(0.5) ? this.pick(TEXTS) : this.list(1, 12, () => this.pick(WORDS)).join(' ');
    return text.slice(0, most).replace(/[\ud800-\udbff]$/, '').trim() || 'x';
  }

  day(from: string, days: number): string {
    return addDays(from, this.int(0, days));
  }

  documentNumber(): string {
    return `${this.digits(3)}-${this.digits(3)}-${this.digits(9)}`;
  }

  /** 10 digits of paper, 37 of the on-line scheme, or an access key. */
  authorization(issueDate: string): string {
    if (this.chance(0.3)) return this.digits(10);
    if (this.chance(0.2)) return this.digits(37);
    return buildAccessKey({
      issueDate,
      documentType: '01',
      ruc: this.ruc(),
      environment: '2',
      establishment: this.digits(3),
      emissionPoint: this.digits(3),
      sequential: this.int(1, 999_999_999),
      numericCode: this.digits(8),
    });
  }

  cedula(): string {
    const digits = `${String(this.int(1, 24)).padStart(2, '0')}${this.int(0, 5)}${this.digits(6)}`;
    const sum = Array.from(digits).reduce((total, digit, index) => {
      const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
      return total + (product > 9 ? product - 9 : product);
    }, 0);
    return `${digits}${(10 - (sum % 10)) % 10}`;
  }

  ruc(): string {
    return this.chance(0.5)
      ? `${this.cedula()}001`
      : `${String(this.int(1, 24)).padStart(2, '0')}9${this.digits(7)}001`;
  }

  /** Somebody of table 6, the final consumer left out. */
  identification(): readonly [type: string, id: string] {
    switch (this.int(0, 4)) {
      case 0:
        return [this.pick(['04', 'RUC']), this.ruc()];
      case 1:
        return [this.pick(['05', 'CEDULA']), this.cedula()];
      case 2:
        return ['06', this.pick([`AB-${this.digits(this.int(1, 12))}`, `ab ${this.digits(4)}/7.x`])];
      case 3:
        return ['08', this.pick([`US ${this.digits(4)}/7.x`, `Ñ_${this.digits(4)} & <7>`])];
      default:
        return ['04', '1790012344001'];
    }
  }
}

const TEXTS: readonly string[] = [
  'Ñandú & Cía <"€ 😀"> \'O\u2019Brien\' $& $1 {{7*7}} ]]> <!-- x --> &amp; &#x41;',
  '<![CDATA[x]]>',
  'a  b   c    d',
  'e\u0301 n\u0303',
  '日本語 العربية',
  'a\u00A0b',
  'x'.repeat(300),
  '😀'.repeat(150),
  '"',
  '0',
  '-',
];
const WORDS: readonly string[] = [
  'Producto',
  'año',
  'N.º',
  '100 %',
  'caja',
  'S.A.',
  'Ü',
  '&',
  '<b>',
  "d'or",
  '1/2',
  'Σ',
];

/** Whole cents as an amount. */
export function cents(count: number): string {
  return money(dec(String(count)).div(100));
}

export { addDays, dec, money, round2, type Decimal };
