/** Largest `.p12` file taken, in bytes. Files of the authorities have 3 to 15 KB. */
export const MAX_PKCS12_BYTES = 64 * 1024;
