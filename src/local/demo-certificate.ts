import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

const generate = promisify(generateKeyPair);
const DAY_MS = 24 * 60 * 60 * 1000;

/** Private arc of Security Data; the suffixes below it are those of Decree 181/2011. */
const ARC = '1.3.6.1.4.1.37746.3';
const ORGANIZATION_IDENTIFIER = '2.5.4.97';

export interface DemoCertificateOptions {
  /** 13 digits; goes into the RUC extension `.3.11`. */
  readonly ruc: string;
  readonly legalName: string;
  /** Protects the container. ASCII: node-forge encodes other letters as few programs read them. */
  readonly password: string;
  readonly now: Date;
  /** Identity card of the person who signs; default: the one a natural person's RUC starts with, else a fictional one. */
  readonly cedula?: string;
  readonly validFrom?: Date;
  readonly validTo?: Date;
  readonly friendlyName?: string;
}

/**
 * A PKCS#12 file (AES-256) with a fresh RSA-2048 key and a certificate of a
 * fictional authority, shaped like those of Ecuador's accredited ones: RUC in
 * `.3.11`, issuer name with organizationIdentifier, key usage digitalSignature.
 * For the demonstration and the simulator only; the real SRI does not know its
 * issuer.
 */
export async function createDemoPkcs12(options: DemoCertificateOptions): Promise<Buffer> {
  const [authority, holder] = await Promise.all([rsaKeys(), rsaKeys()]);
  const issuer = authorityName();
  const root = certificate(authority, authority, issuer, issuer, options.now, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  const leaf = certificate(holder, authority, holderName(options), issuer, options.now, [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, nonRepudiation: true, critical: true },
    ...holderExtensions(options),
  ]);
  leaf.validity.notBefore = options.validFrom ?? leaf.validity.notBefore;
  leaf.validity.notAfter = options.validTo ?? leaf.validity.notAfter;
  leaf.sign(authority.privateKey, forge.md.sha256.create());
  const container = forge.pkcs12.toPkcs12Asn1(holder.privateKey, [leaf, root], options.password, {
    algorithm: 'aes256',
    count: 10_000,
    friendlyName: options.friendlyName ?? 'Signing Key',
    generateLocalKeyId: true,
  });
  return Buffer.from(forge.asn1.toDer(container).getBytes(), 'latin1');
}

/** Made by OpenSSL, hundreds of times faster than in JavaScript. */
async function rsaKeys(): Promise<forge.pki.rsa.KeyPair> {
  const { privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const key = forge.pki.privateKeyFromPem(privateKey);
  return { privateKey: key, publicKey: forge.pki.setRsaPublicKey(key.n, key.e) };
}

function certificate(
  subjectKeys: forge.pki.rsa.KeyPair,
  issuerKeys: forge.pki.rsa.KeyPair,
  subject: forge.pki.CertificateField[],
  issuer: forge.pki.CertificateField[],
  now: Date,
  extensions: object[],
): forge.pki.Certificate {
  const made = forge.pki.createCertificate();
  made.publicKey = subjectKeys.publicKey;
  // A leading 0 bit keeps the serial number positive.
  const serial = randomBytes(12);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  made.serialNumber = serial.toString('hex');
  made.validity.notBefore = new Date(now.getTime() - DAY_MS);
  made.validity.notAfter = new Date(now.getTime() + 2 * 365 * DAY_MS);
  made.setSubject(subject);
  made.setIssuer(issuer);
  made.setExtensions(extensions);
  made.sign(issuerKeys.privateKey, forge.md.sha256.create());
  return made;
}

function authorityName(): forge.pki.CertificateField[] {
  return [
    field('2.5.4.6', 'EC', forge.asn1.Type.PRINTABLESTRING),
    field('2.5.4.7', 'Quito'),
    field('2.5.4.10', 'AUTORIDAD DE CERTIFICACIÓN FICTICIA S.A.'),
    field('2.5.4.11', 'DEMOSTRACIÓN'),
    field('2.5.4.3', 'CA DE DEMOSTRACIÓN'),
    field(ORGANIZATION_IDENTIFIER, 'VATEC-1790012345001'),
  ];
}

function holderName({ legalName, ruc }: DemoCertificateOptions): forge.pki.CertificateField[] {
  return [
    field('2.5.4.6', 'EC', forge.asn1.Type.PRINTABLESTRING),
    // X.520 bounds organization and common names at 64 characters.
    field('2.5.4.10', legalName.slice(0, 64)),
    field('2.5.4.3', 'PERSONA DE DEMOSTRACIÓN'),
    field('2.5.4.5', ruc, forge.asn1.Type.PRINTABLESTRING),
  ];
}

function holderExtensions({ ruc, legalName, cedula }: DemoCertificateOptions): object[] {
  const naturalPerson = Number(ruc.charAt(2)) < 6 ? ruc.slice(0, 10) : '1710034065';
  return [
    textExtension(`${ARC}.1`, cedula ?? naturalPerson),
    textExtension(`${ARC}.2`, 'PERSONA'),
    textExtension(`${ARC}.3`, 'DE DEMOSTRACIÓN'),
    textExtension(`${ARC}.10`, legalName),
    textExtension(`${ARC}.11`, ruc),
  ];
}

function field(type: string, value: string, valueTagClass = forge.asn1.Type.UTF8): forge.pki.CertificateField {
  // node-forge's typing knows only a class here; it writes the value with this string type.
  return { type, value, valueTagClass: valueTagClass as unknown as forge.asn1.Class };
}

function textExtension(id: string, value: string): object {
  const { asn1, util } = forge;
  return { id, value: asn1.create(asn1.Class.UNIVERSAL, asn1.Type.UTF8, false, util.encodeUtf8(value)) };
}
