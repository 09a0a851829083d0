import { createHash } from 'node:crypto';
import { instantOf } from '../guayaquil-time.js';
import { type SriMessage, sriMessage } from '../messages.js';
import type { SimulatorSettings } from '../settings.js';
import type { Submission } from '../submission.js';
import { readCertificate, type SigningCertificate } from './certificate.js';
import { signatureEngines } from './cryptography.js';
import { namesIssuer } from './issuer-name.js';
import { readSignature, type SignatureParts } from './structure.js';

const invalid = (reason: string): SriMessage => sriMessage('39', `La firma es invalida [${reason}]`);
const KNOWN_CERTIFICATES = 256;

/** Judges signatures. Keeps the certificates it has read, nothing that changes a verdict. */
export class SignatureJudge {
  private readonly certificates = new Map<string, SigningCertificate | null>();

  /** First problem of a document's signature, or null when the SRI would accept it (39, 40, 42). */
  problem(submission: Submission, settings: SimulatorSettings, now: Date): SriMessage | null {
    const parts = readSignature(submission.root);
    if (parts === 'structure') return invalid('La estructura de la firma es incorrecta');
    if (parts === 'document_not_signed') return invalid('El nodo comprobante no está firmado');
    if (!settings.signatureMethods.includes(parts.signatureMethod)) {
      return invalid('El algoritmo de firma no está permitido');
    }
    const certificate = this.certificate(parts.certificate);
    if (certificate === null) return sriMessage('40', 'No se pudo convertir el contenido en un certificado X509');
    return (
      keyProblem(parts, certificate) ??
      (signatureEngines[settings.signatureEngine](submission.bytes, parts, certificate)
        ? null
        : invalid('Firma inválida (firma y/o certificados alterados)')) ??
      xadesProblem(parts, certificate) ??
      signerProblem(submission, parts, certificate, now) ??
      validityProblem(certificate, settings, now)
    );
  }

  private certificate(base64: string): SigningCertificate | null {
    const known = this.certificates.get(base64);
    if (known !== undefined) return known;
    if (this.certificates.size >= KNOWN_CERTIFICATES) this.certificates.clear();
    const certificate = certificateOf(base64);
    this.certificates.set(base64, certificate);
    return certificate;
  }
}

function certificateOf(base64: string): SigningCertificate | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  try {
    return readCertificate(Buffer.from(base64, 'base64'));
  } catch {
    // Whatever the parser's complaint, the SRI only says that this is no certificate.
    return null;
  }
}

function keyProblem(parts: SignatureParts, certificate: SigningCertificate): SriMessage | null {
  if (!certificate.isRsa || certificate.keyBits < 2048) return sriMessage('40', 'La clave no es RSA de 2048 bits');
  if (parts.modulus === null || certificate.modulus === null) return null;
  const written = Buffer.from(parts.modulus, 'base64');
  return written.equals(certificate.modulus) ? null : invalid('KeyValue no corresponde al certificado');
}

function xadesProblem(parts: SignatureParts, certificate: SigningCertificate): SriMessage | null {
  const { algorithm, value } = parts.certificateDigest;
  const fits =
    createHash(algorithm).update(certificate.der).digest('base64') === value &&
    parts.serialNumber === certificate.serialNumber &&
    namesIssuer(parts.issuerName, certificate.issuer);
  return fits ? null : invalid('La información sobre el certificado de firma no se ajusta a XAdES');
}

function signerProblem(
  submission: Submission,
  parts: SignatureParts,
  certificate: SigningCertificate,
  now: Date,
): SriMessage | null {
  const { ruc } = submission.header;
  if (!isOfIssuer(certificate, ruc)) return invalid('No existe el RUC del emisor en el certificado digital');
  if (certificate.digitalSignature === false) {
    return invalid('El certificado utilizado no es del tipo firma digital');
  }
  const signedAt = instantOf(parts.signingTime);
  if (signedAt === null) return invalid('La estructura de la firma es incorrecta');
  return signedAt.getTime() > now.getTime() ? invalid('La fecha contenida en la firma es posterior a la actual') : null;
}

/** A legal representative's certificate is the company's: the cédula counts only where no RUC of somebody else stands beside it. */
function isOfIssuer({ rucs, cedulas }: SigningCertificate, ruc: string): boolean {
  if (rucs.includes(ruc)) return true;
  return cedulas.some((cedula) => ruc.startsWith(cedula)) && rucs.every((carried) => carried.startsWith(ruc.slice(0, 10)));
}

function validityProblem(certificate: SigningCertificate, settings: SimulatorSettings, now: Date): SriMessage | null {
  if (now < certificate.validFrom) return sriMessage('42', 'El certificado aún no es válido');
  if (now > certificate.validTo) return sriMessage('42', 'El certificado está caducado');
  return settings.revokedCertificates.includes(certificate.fingerprint)
    ? sriMessage('42', 'El certificado está revocado')
    : null;
}
