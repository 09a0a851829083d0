/** A PKCS#12 file as a taxpayer receives it. */
export interface Container {
  readonly pkcs12: Buffer;
  readonly password: string;
}

/** Signs one document: XML in, signed XML out. */
export type Sign = (xml: string) => string | Uint8Array | Promise<string>;

/** A signer behind one face. What a package lets its caller prepare once happens in `open`; the rest is paid per signature. */
export interface Peer {
  /** Package, and its version as installed. */
  readonly name: string;
  /** `job`: made to sign for the SRI, takes the PKCS#12 file. `general`: signs XML; the caller opens the file and names the issuer. `ours`: this project. */
  readonly kind: 'job' | 'general' | 'ours';
  open(container: Container): Sign | Promise<Sign>;
}
