import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { OpenedContainer } from '../../../platform/secrets/pkcs12-opener.js';
import { SIGNATURE_BYTES } from '../../../sri/preflight.js';
import { type CertificateDescription, describeCertificate, keyFlaw } from '../../../sri/signing/certificate.js';
import { SAMPLE_DOCUMENT, verifySignedDocument } from '../../../sri/signing/self-check.js';
import { HostCannotSignError, XadesSigner } from '../../../sri/signing/xades.js';
import { certificateFindings, type CheckFinding, type CheckReason } from '../domain/certificate-checks.js';

export interface Examination {
  readonly certificateDer: Buffer;
  readonly description: CertificateDescription;
  readonly findings: readonly CheckFinding[];
}

/**
 * Holds an opened container against the issuer of this RUC, with all that is wrong at once. The caller wipes the key.
 *
 * @param hostSigns whether this host makes signatures at all: asked where the container's key makes none
 * @throws HostCannotSignError where it does not
 */
export async function examineCertificate(opened: OpenedContainer, ruc: string, now: Date, hostSigns: () => Promise<boolean>): Promise<Examination> {
  const certificateDer = Buffer.from(opened.certificateDer);
  const description = describeCertificate(certificateDer);
  const testSignature = keyFlaw(description) === null ? await trySigning(certificateDer, privateKeyOf(opened), now, hostSigns) : 'not_tried';
  const findings = certificateFindings({ description, pairs: opened.pairs, chain: opened.chain, testSignature }, ruc, now);
  return { certificateDer, description, findings };
}

/** Signs a sample and has it verified by other code than the signer's. */
async function trySigning(certificateDer: Buffer, privateKey: KeyObject, now: Date, hostSigns: () => Promise<boolean>): Promise<CheckReason<'test_signature'>> {
  try {
    const signed = await new XadesSigner(certificateDer, privateKey).sign(SAMPLE_DOCUMENT, now);
    if (!verifySignedDocument(signed, { expectedCertificate: certificateDer }).valid) return 'test_signature_failed';
    return signed.length - Buffer.byteLength(SAMPLE_DOCUMENT) > SIGNATURE_BYTES ? 'signature_too_large' : 'verified';
  } catch (error) {
    // OpenSSL fails alike over a key whose numbers do not fit together and on a host that forbids SHA-1.
    if (!(error instanceof HostCannotSignError) || !(await hostSigns())) throw error;
    return 'test_signature_failed';
  }
}

const privateKeyOf = ({ privateKeyPkcs8 }: OpenedContainer): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKeyPkcs8.buffer, privateKeyPkcs8.byteOffset, privateKeyPkcs8.length), format: 'der', type: 'pkcs8' });
