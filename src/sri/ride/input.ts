import { printedNumberOf } from '../access-key.js';
import type { DocumentContent, DocumentTypeCode, IssuerSnapshot } from '../document-types/content.js';
import type { Numbering } from '../document-types/document-type.js';
import type { Logo } from './logo.js';
import type { RideStatus } from './marks.js';

/** All that a printed representation shows. Content is the normalised one that made the XML. */
export interface RideInput {
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  /** Null for a draft. */
  readonly numbering: Numbering | null;
  readonly authorization: { readonly number: string; readonly date: Date } | null;
  readonly logo: Logo | null;
  readonly status: RideStatus;
}

/** Names of the documents as they are printed. */
export const TITLES: Readonly<Record<DocumentTypeCode, string>> = {
  '01': 'FACTURA',
  '03': 'LIQUIDACIÓN DE COMPRA DE BIENES Y PRESTACIÓN DE SERVICIOS',
  '04': 'NOTA DE CRÉDITO',
  '05': 'NOTA DE DÉBITO',
  '06': 'GUÍA DE REMISIÓN',
  '07': 'COMPROBANTE DE RETENCIÓN',
};

const UNNUMBERED = 'BORRADOR';

/** `001-002-000000101`; a document that has no sequential yet says so. */
export function documentNumber({ issuer, numbering }: RideInput): string {
  const { establishmentCode: establishment, emissionPointCode: emissionPoint } = issuer;
  return numbering === null ? `${establishment}-${emissionPoint}-${UNNUMBERED}` : printedNumberOf({ establishment, emissionPoint, sequential: numbering.sequential });
}
