/** Shape and check digits of Ecuadorian taxpayer numbers. Whether a number exists, only the SRI's registry knows. */

export type TaxpayerIdProblem =
  /** Not the right number of ASCII digits. */
  | 'format'
  /** The first two digits are no province (01 to 24, or 30 for the registered abroad). */
  | 'province'
  /** Third digit 7 or 8: no class of issuer has it. */
  | 'third_digit'
  /** Establishment suffix. */
  | 'suffix'
  | 'check_digit';

export interface TaxpayerIdCheck {
  readonly valid: boolean;
  /** Why it cannot be one; set exactly when `valid` is false. */
  readonly problem?: TaxpayerIdProblem;
  /** A doubt that does not make it invalid. */
  readonly warning?: 'check_digit';
}

export interface RucOptions {
  /** Enforce modulo 11 for companies and public bodies too, which the SRI itself stopped doing. */
  readonly strict?: boolean;
  /**
   * Of a receiver: any establishment suffix but zero, and any third digit, for cédulas have that too. Default what an issuer
   * may have: only the suffix `001`, which the SRI's schemas demand.
   */
  readonly anyEstablishment?: boolean;
}

const RUC = /^[0-9]{13}$/;
const CEDULA = /^[0-9]{10}$/;
const PUBLIC_WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2];
const COMPANY_WEIGHTS = [4, 3, 2, 7, 6, 5, 4, 3, 2];
const VALID: TaxpayerIdCheck = { valid: true };

/**
 * A RUC: 13 digits, province, third digit, suffix. The check digit binds natural
 * persons (third digit 0 to 5, of receivers 7 and 8 too). For companies (9), public bodies and foreigners
 * (6) a failing one is a warning: the SRI assigns RUCs that do not satisfy the old
 * modulo 11.
 */
export function checkRuc(ruc: string, options: RucOptions = {}): TaxpayerIdCheck {
  if (!RUC.test(ruc)) return invalid('format');
  if (!isProvince(ruc)) return invalid('province');
  const third = Number(ruc[2]);
  if ((third === 7 || third === 8) && options.anyEstablishment !== true) return invalid('third_digit');
  const suffix = ruc.slice(10);
  if (suffix === '000' || (suffix !== '001' && options.anyEstablishment !== true)) return invalid('suffix');
  if (hasCheckDigit(ruc, third)) return VALID;
  if (isPerson(third) || options.strict === true) return invalid('check_digit');
  return { valid: true, warning: 'check_digit' };
}

/** A cédula: 10 digits, province, modulo 10 check digit. The third digit says nothing any more. */
export function checkCedula(cedula: string): TaxpayerIdCheck {
  if (!CEDULA.test(cedula)) return invalid('format');
  if (!isProvince(cedula)) return invalid('province');
  return cedulaDigitHolds(cedula) ? VALID : invalid('check_digit');
}

/** Companies have 9, public bodies 6, which foreigners may have too. */
const isPerson = (third: number): boolean => third !== 6 && third !== 9;

function hasCheckDigit(ruc: string, third: number): boolean {
  if (isPerson(third)) return cedulaDigitHolds(ruc);
  if (third === 9) return modulo11Holds(ruc, COMPANY_WEIGHTS);
  return modulo11Holds(ruc, PUBLIC_WEIGHTS) || cedulaDigitHolds(ruc);
}

function isProvince(digits: string): boolean {
  const province = Number(digits.slice(0, 2));
  return (province >= 1 && province <= 24) || province === 30;
}

function cedulaDigitHolds(digits: string): boolean {
  let total = 0;
  for (let index = 0; index < 9; index += 1) {
    const product = Number(digits[index]) * (index % 2 === 0 ? 2 : 1);
    total += product > 9 ? product - 9 : product;
  }
  return (10 - (total % 10)) % 10 === Number(digits[9]);
}

function modulo11Holds(digits: string, weights: readonly number[]): boolean {
  const residue = weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0) % 11;
  return (residue === 0 ? 0 : 11 - residue) === Number(digits[weights.length]);
}

function invalid(problem: TaxpayerIdProblem): TaxpayerIdCheck {
  return { valid: false, problem };
}
