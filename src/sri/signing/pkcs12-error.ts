/** Why a `.p12` file cannot serve; each is a different answer to the person who uploads it. */
export type Pkcs12Reason =
  /** More than 64 KB. */
  | 'too_large'
  /** Not a PKCS#12 container at all, cut, or with bytes after its end. */
  | 'malformed'
  | 'wrong_password'
  /** Encrypted or protected by an algorithm that is not supported. */
  | 'unsupported_algorithm'
  /** Would take too long to open: key derivation with too many rounds. */
  | 'too_many_iterations'
  | 'no_private_key'
  | 'no_certificate'
  /** Keys and certificates are there but do not belong together. */
  | 'key_mismatch'
  /** Only encryption or authority certificates have their key here. */
  | 'no_signing_key'
  /** Not RSA, or not readable. */
  | 'unsupported_key'
  /** RSA below 2048 bits or with a small exponent. */
  | 'weak_key'
  | 'self_signed';

/** A `.p12` file that cannot be used, with the reason; carries no secret. */
export class Pkcs12Error extends Error {
  override readonly name = 'Pkcs12Error';

  constructor(
    readonly reason: Pkcs12Reason,
    message: string,
  ) {
    super(message);
  }
}
