import { X509Certificate } from 'node:crypto';
import { CertificateError, describeCertificate } from './certificate.js';

/** Where the authorities of a container lead from its signing certificate. */
export interface CertificateChain {
  readonly end:
    /** A self-signed authority, every signature on the way being good. */
    | 'root'
    /** The issuer of the last one is not in the file. */
    | 'missing_issuer'
    /** The issuer of the last one is in the file and did not sign it. */
    | 'broken_signature'
    /** The certificate is its own issuer. */
    | 'self_issued';
  /** Names of the issuers on the way, from the one of the signing certificate on, in the form of RFC 2253. */
  readonly issuerNames: readonly string[];
  /** How many authorities of the file are on the way. */
  readonly authorities: number;
  /** When the first of them ends (or ended); null without any. */
  readonly authoritiesValidTo: Date | null;
}

interface Link {
  readonly isSelfIssued: boolean;
  readonly x509: X509Certificate;
  readonly issuerName: string;
  readonly validTo: Date;
}

/** Longer ways do not occur; they would only keep the processor busy. */
const MAX_AUTHORITIES = 8;

/**
 * Follows a certificate to its root through the other certificates of its file. Bounded, but every step verifies
 * signatures with keys of the file's choice: call it off the event loop.
 */
export function followChain(leafDer: Buffer, others: readonly Buffer[]): CertificateChain {
  const leaf = linkOf(leafDer);
  if (leaf === null) throw new CertificateError('not a certificate');
  const authorities = others.map(linkOf).filter((link) => link !== null).filter(({ x509 }) => x509.ca);
  const way: Link[] = [leaf];
  const ending = (end: CertificateChain['end']): CertificateChain => {
    const above = way.slice(1);
    const ends = above.map(({ validTo }) => validTo.getTime());
    return {
      end,
      issuerNames: way.map(({ issuerName }) => issuerName),
      authorities: above.length,
      authoritiesValidTo: ends.length === 0 ? null : new Date(Math.min(...ends)),
    };
  };
  if (leaf.isSelfIssued) return ending('self_issued');
  for (let last = leaf; way.length <= MAX_AUTHORITIES;) {
    const named = authorities.filter((authority) => !way.includes(authority) && issued(authority, last));
    if (named.length === 0) return ending(issued(last, last) ? 'broken_signature' : 'missing_issuer');
    // Authorities that renewed their key have two certificates of one name.
    const issuer = named.find((authority) => signed(authority, last));
    if (issuer === undefined) return ending('broken_signature');
    way.push(issuer);
    last = issuer;
    if (last.isSelfIssued && signed(last, last)) return ending('root');
  }
  return ending('missing_issuer');
}

/** Whether one names the other as its issuer, by name and key identifier; says nothing of signatures. */
const issued = (issuer: Link, subject: Link): boolean => subject.x509.checkIssued(issuer.x509);

const signed = (issuer: Link, subject: Link): boolean => subject.x509.verify(issuer.x509.publicKey);

/** Null for what cannot be read, or has a key of an unknown kind: it leads nowhere, and keeps nobody from signing. */
function linkOf(der: Buffer): Link | null {
  try {
    const { issuerName, validTo, isSelfIssued } = describeCertificate(der);
    return { x509: new X509Certificate(der), issuerName, validTo, isSelfIssued };
  } catch {
    return null;
  }
}
