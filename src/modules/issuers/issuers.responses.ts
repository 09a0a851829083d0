import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { count, instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { CHECK_NAMES, CHECK_OUTCOMES, type CheckOutcome } from './domain/certificate-checks.js';
import { CERTIFICATE_STATUSES, type CertificateStatus } from './domain/certificate-status.js';
import { DOCUMENT_TYPE_CODES } from '../../sri/document-types/registry.js';
import { RIMPE_REGIMES } from './issuers.dto.js';

/** Response shapes of the issuer endpoints (interface specification 2.7; decisions, section 5). */


@ApiSchema({ name: 'Issuer' })
export class IssuerRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(text) ruc: string;
  @ApiProperty(text) razon_social: string;
  @ApiProperty({ ...text, ...orNull }) nombre_comercial: string | null;
  @ApiProperty(text) direccion_matriz: string;
  @ApiProperty({ type: Boolean }) obligado_contabilidad: boolean;
  @ApiProperty({ ...text, ...orNull }) contribuyente_especial: string | null;
  @ApiProperty({ ...text, ...orNull }) agente_retencion: string | null;
  @ApiProperty({ ...text, ...orNull }) gran_contribuyente: string | null;
  @ApiProperty({ enum: RIMPE_REGIMES, enumName: 'RimpeRegime' }) regimen_rimpe: string;
  @ApiProperty(text) default_payment_method: string;
  @ApiProperty({ ...text, ...orNull, description: 'Path of the image that is printed on documents' }) logo: string | null;
  @ApiProperty({ type: Boolean, description: 'Buyers are mailed each document once it is authorized' }) email_buyers: boolean;
  @ApiProperty({ type: Boolean }) is_active: boolean;
  @ApiProperty({ ...instant, ...orNull, description: 'Set while the platform has disabled the issuer' }) disabled_at: Date | null;
  @ApiProperty({ type: [String], description: '`ruc.check_digit`: modulo 11 fails, which the SRI tolerates for companies and public bodies', example: [] })
  warnings: string[];
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
}

@ApiSchema({ name: 'IssuerPage' })
export class IssuerPage extends Page {
  @ApiProperty({ type: [IssuerRecord] }) items: IssuerRecord[];
}

@ApiSchema({ name: 'Establishment' })
export class EstablishmentRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty(text) code: string;
  @ApiProperty({ ...text, ...orNull }) name: string | null;
  @ApiProperty(text) address: string;
  @ApiProperty({ type: Boolean }) is_active: boolean;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
}

@ApiSchema({ name: 'EstablishmentPage' })
export class EstablishmentPage extends Page {
  @ApiProperty({ type: [EstablishmentRecord] }) items: EstablishmentRecord[];
}

@ApiSchema({ name: 'EmissionPoint' })
export class EmissionPointRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) establishment_id: string;
  @ApiProperty(text) code: string;
  @ApiProperty(count) initial_sequential: number;
  @ApiProperty({ type: Boolean }) is_active: boolean;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
}

@ApiSchema({ name: 'EmissionPointPage' })
export class EmissionPointPage extends Page {
  @ApiProperty({ type: [EmissionPointRecord] }) items: EmissionPointRecord[];
}

@ApiSchema({ name: 'Sequence' })
export class SequenceRecord {
  @ApiProperty({ enum: DOCUMENT_TYPE_CODES, enumName: 'DocumentType' }) document_type: string;
  @ApiProperty({ ...count, ...orNull, description: 'Number of the next document; null when all are used' }) next_number: number | null;
  @ApiProperty({ ...count, description: 'Numbers left, up to 999999999' }) remaining: number;
}

@ApiSchema({ name: 'SequenceList' })
export class SequenceList {
  @ApiProperty({ type: [SequenceRecord] }) items: SequenceRecord[];
  @ApiProperty(count) total: number;
}

const GAP_KINDS = ['raised', 'not_authorized', 'authorized_elsewhere', 'unexplained'] as const;

@ApiSchema({ name: 'SequenceGap' })
export class SequenceGap {
  @ApiProperty(count) from_number: number;
  @ApiProperty({ ...count, description: 'Included' }) to_number: number;
  @ApiProperty({
    enum: GAP_KINDS, enumName: 'SequenceGapKind',
    description: '`raised`: skipped on purpose; `not_authorized`: its document was refused, failed or was abandoned; `authorized_elsewhere`: its document was abandoned while the SRI shows another one authorized under its access key; `unexplained`: must not happen, tell support',
  })
  kind: (typeof GAP_KINDS)[number];
  @ApiProperty({ ...text, ...orNull, description: 'What was said when the counter was raised or the document abandoned, or the error code of the document' }) reason: string | null;
  @ApiProperty({ ...uuid, ...orNull, example: null }) document_id: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'Status of the document', example: null }) status: string | null;
  @ApiProperty({ ...instant, ...orNull }) at: Date | null;
}

@ApiSchema({ name: 'SequenceGapPage' })
export class SequenceGapPage extends Page {
  @ApiProperty({ type: [SequenceGap] }) items: SequenceGap[];
}

@ApiSchema({ name: 'CertificateCheck' })
export class CertificateCheck {
  @ApiProperty({ enum: CHECK_NAMES, enumName: 'CertificateCheckName' }) check: string;
  @ApiProperty({ enum: CHECK_OUTCOMES, enumName: 'CertificateCheckOutcome' }) outcome: CheckOutcome;
  @ApiProperty({ ...text, description: 'Spanish, or English by `Accept-Language`', example: 'The file opens with the password' }) message: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: '`reason`, stable, and the facts behind it', example: { reason: 'opened' } }) detail: Readonly<Record<string, unknown>>;
}

@ApiSchema({ name: 'CertificateReport' })
export class CertificateReport {
  @ApiProperty({ enum: CHECK_OUTCOMES, enumName: 'CertificateCheckOutcome', description: 'The worst of the checks: an upload refuses what is `failed`' }) outcome: CheckOutcome;
  @ApiProperty({ ...text, ...orNull, example: 'CN=ROSA CALLE', description: 'Null, like all that follows, when the file does not open or holds no pair of key and certificate' }) subject: string | null;
  @ApiProperty({ ...text, ...orNull, example: 'CN=AC BANCO CENTRAL DEL ECUADOR' }) issuer_name: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'Decimal' }) serial_number: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'The RUC that the certificate serves for: that of the issuer if it does, else the first one that it carries' }) ruc: string | null;
  @ApiProperty({ ...instant, ...orNull }) valid_from: Date | null;
  @ApiProperty({ ...instant, ...orNull }) valid_to: Date | null;
  @ApiProperty({ type: [CertificateCheck] }) checks: CertificateCheck[];
}

@ApiSchema({ name: 'Certificate' })
export class CertificateEntry {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty({ ...text, example: 'CN=ROSA CALLE' }) subject: string;
  @ApiProperty({ ...text, example: 'CN=AC BANCO CENTRAL DEL ECUADOR' }) issuer_name: string;
  @ApiProperty({ ...text, description: 'Decimal' }) serial_number: string;
  @ApiProperty(text) ruc: string;
  @ApiProperty(instant) valid_from: Date;
  @ApiProperty(instant) valid_to: Date;
  @ApiProperty({ enum: CERTIFICATE_STATUSES, enumName: 'CertificateStatus' }) status: CertificateStatus;
  @ApiProperty({ type: Boolean, description: 'The one that signs' }) is_active: boolean;
  @ApiProperty({ ...text, description: 'Lower-case hexadecimal' }) fingerprint_sha256: string;
  @ApiProperty({ type: [CertificateCheck], description: 'What was found when it was uploaded; empty for uploads of before there were checks' }) checks: CertificateCheck[];
  @ApiProperty(instant) created_at: Date;
}

/** The parts of an upload as a form. */
@ApiSchema({ name: 'CertificateForm' })
export class CertificateForm {
  @ApiProperty({ type: String, format: 'binary', description: 'The .p12 file' }) file: string;
  @ApiProperty({ type: String, format: 'password', writeOnly: true }) password: string;
}

@ApiSchema({ name: 'CertificateList' })
export class CertificateList {
  @ApiProperty({ type: [CertificateEntry] }) items: CertificateEntry[];
  @ApiProperty(count) total: number;
}
