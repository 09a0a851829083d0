/** The segments of an access key (ficha técnica, table 1), each as printed. */
export interface KeySegments {
  /** `ddmmyyyy`. */
  readonly date: string;
  readonly documentType: string;
  readonly ruc: string;
  readonly environment: string;
  readonly establishment: string;
  readonly emissionPoint: string;
  readonly sequential: string;
  readonly emissionType: string;
  readonly checkDigit: string;
}

const KEY_SHAPE = /^\d{49}$/;

/** Whether a text has the shape of a key: 49 digits. */
export function hasKeyShape(text: string): boolean {
  return KEY_SHAPE.test(text);
}

/** Cuts a key of 49 digits into its segments. */
export function keySegments(key: string): KeySegments {
  return {
    date: key.slice(0, 8),
    documentType: key.slice(8, 10),
    ruc: key.slice(10, 23),
    environment: key.slice(23, 24),
    establishment: key.slice(24, 27),
    emissionPoint: key.slice(27, 30),
    sequential: key.slice(30, 39),
    emissionType: key.slice(47, 48),
    checkDigit: key.slice(48),
  };
}

/**
 * The modulo 11 digit over the first 48 digits: weights 2 to 7 from the right,
 * 11 minus the residue, 11 printed as 0 and 10 as 1 (ficha técnica, section 5.5).
 */
export function expectedCheckDigit(key: string): string {
  let sum = 0;
  for (let distance = 0; distance < 48; distance += 1) {
    sum += Number(key[47 - distance]) * (2 + (distance % 6));
  }
  const rest = sum % 11;
  if (rest === 0) return '0';
  return rest === 1 ? '1' : String(11 - rest);
}
