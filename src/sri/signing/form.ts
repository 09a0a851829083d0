/** Stands in a text for a character of a value that is filled in later; XML cannot hold it. */
const BLANK = '\0';

/** A blank for a value of so many characters. */
export const blank = (length: number): string => BLANK.repeat(length);

interface Blank {
  readonly start: number;
  readonly length: number;
}

/**
 * A text of which only some parts vary, each of a fixed length: encoded once, then copied and filled in. Put together as a
 * string and encoded each time, it costs several times as much.
 */
export class Form {
  private readonly bytes: Buffer;
  private readonly blanks: readonly Blank[];

  /** @param text with a `blank` for each value that is to come; two blanks do not touch */
  constructor(text: string) {
    this.bytes = Buffer.from(text);
    this.blanks = [...this.bytes.toString('latin1').matchAll(/\0+/g)].map(({ 0: blank, index }) => ({ start: index, length: blank.length }));
  }

  /** Bytes of the form, whatever the values. */
  get length(): number {
    return this.bytes.length;
  }

  /**
   * Writes the form with these values, in the order of their blanks.
   * @param values ASCII
   * @returns where it ends in `target`
   * @throws RangeError when a value does not fill its blank, or there are more or fewer than blanks
   */
  write(target: Buffer, offset: number, values: readonly string[]): number {
    if (values.length !== this.blanks.length) throw new RangeError(`${this.blanks.length} values are expected, not ${values.length}`);
    target.set(this.bytes, offset);
    for (const [index, { start, length }] of this.blanks.entries()) {
      const value = values[index] ?? '';
      if (value.length !== length) throw new RangeError(`value ${index + 1} has ${value.length} characters instead of ${length}`);
      target.write(value, offset + start, 'latin1');
    }
    return offset + this.bytes.length;
  }

  /** The form with these values, in bytes of its own. @throws RangeError as `write` */
  filled(values: readonly string[]): Buffer {
    const target = Buffer.allocUnsafe(this.bytes.length);
    this.write(target, 0, values);
    return target;
  }
}
