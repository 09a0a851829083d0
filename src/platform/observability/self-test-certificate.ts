import { createHash, type KeyObject, sign } from 'node:crypto';

/**
 * The smallest self-issued X.509 certificate for a key made on the spot: raw
 * material of the signing self-test. It is never stored and nobody trusts it.
 */
export function selfTestCertificate(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  const name = sequence(set(sequence(OID_COMMON_NAME, der(0x0c, Buffer.from('sello self-test')))));
  const tbs = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), createHash('sha256').update(spkiOf(publicKey)).digest().subarray(0, 8)])),
    SHA256_WITH_RSA,
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    spkiOf(publicKey),
  );
  const signature = sign('sha256', tbs, privateKey);
  return sequence(tbs, SHA256_WITH_RSA, der(0x03, Buffer.concat([Buffer.of(0), signature])));
}

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => der(0x31, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => der(0x02, bytes);
const utcTime = (text: string): Buffer => der(0x17, Buffer.from(text));

/** id-at-commonName 2.5.4.3 */
const OID_COMMON_NAME = Buffer.from('0603550403', 'hex');
/** sha256WithRSAEncryption 1.2.840.113549.1.1.11 with its NULL parameter */
const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
