import { ApiSchema } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { LOGO_LIMITS } from '../../sri/ride/logo.js';
import { RefusedLater } from '../../platform/http/refused-later.js';
import { MAX_PKCS12_BYTES } from '../../sri/signing/pkcs12-size.js';
import { checkRuc } from '../../sri/taxpayer-id.js';
import { logoFailure } from './domain/logo.js';
import { PAYMENT_METHODS } from '../../sri/tables/payments.js';
import { DOCUMENT_TYPE_CODES } from '../../sri/document-types/registry.js';
import { Base64, Digits, Flag, Integer, OneOf, Secret, Text, Uuid } from '../../platform/http/fields.js';

/** Request bodies and queries of the issuer endpoints. Names are the wire's; text bounds are those of the SRI's schemas. */


export const RIMPE_REGIMES = ['none', 'entrepreneur', 'popular_business'] as const;
export type RimpeRegime = (typeof RIMPE_REGIMES)[number];

const LEGAL_NAME = { max: 300, about: 'Legal name' } as const;
const TRADE_NAME = { max: 300, nullable: true, about: 'Trade name' } as const;
const HEAD_OFFICE = { max: 300, about: 'Address of the head office' } as const;
const SPECIAL = { min: 3, max: 13, nullable: true, pattern: /^[0-9A-Za-z]+$/, about: 'Resolution number of contribuyente especial' } as const;
const AGENT = { max: 8, min: 1, nullable: true, pattern: /^[1-9][0-9]*$/, about: 'Resolution number of agente de retención, digits without leading zeros' } as const;
const LARGE = { max: 300, nullable: true, about: 'Resolution number of Gran Contribuyente' } as const;
const PAYMENT_METHOD_CODES = PAYMENT_METHODS.rows.map(({ code }) => code);
const PAYMENT_METHOD = { about: 'Code of the payment-method table used where a document names none' } as const;
const LOGO = {
  maxBytes: LOGO_LIMITS.bytes,
  holds: logoFailure,
  nullable: true,
  about: 'PNG or JPEG in base64 that is printed on documents, at most 200 KB and one megapixel; null removes it. Answers hold its path',
} as const;
const EMAIL_BUYERS = 'Buyers are mailed each document once it is authorized';
const REGIME = { enumName: 'RimpeRegime', about: 'RIMPE regime' } as const;

/** Alone, a RUC that cannot be one is `INVALID_RUC`; beside other faults it is one of the findings. */
@ApiSchema({ name: 'IssuerCreate' })
@RefusedLater<IssuerCreateDto>(({ ruc = '' }, { STRICT_RUC_CHECK: strict }) => {
  const check = checkRuc(ruc, { strict });
  return check.valid ? [] : [{ field: 'ruc', type: 'identification_ruc', ctx: { problem: check.problem } }];
})
export class IssuerCreateDto {
  @Text({ max: 20, about: '13 digits', example: '1790012345001' }) ruc: string;
  @Text(LEGAL_NAME) razon_social: string;
  @Text(TRADE_NAME) nombre_comercial?: string | null;
  @Text(HEAD_OFFICE) direccion_matriz: string;
  @Flag({ about: 'Obliged to keep accounts' }) obligado_contabilidad: boolean;
  @Text(SPECIAL) contribuyente_especial?: string | null;
  @Text(AGENT) agente_retencion?: string | null;
  @Text(LARGE) gran_contribuyente?: string | null;
  @OneOf(RIMPE_REGIMES, { ...REGIME, default: 'none' }) regimen_rimpe: RimpeRegime = 'none';
  @OneOf(PAYMENT_METHOD_CODES, { ...PAYMENT_METHOD, default: '01' }) default_payment_method: string = '01';
  @Base64(LOGO) logo?: string | null;
  @Flag({ default: true, about: EMAIL_BUYERS }) email_buyers: boolean = true;
  @Flag({ default: true, about: 'May issue' }) is_active: boolean = true;
}

@ApiSchema({ name: 'IssuerUpdate' })
export class IssuerUpdateDto {
  @Text({ ...LEGAL_NAME, optional: true }) razon_social?: string;
  @Text(TRADE_NAME) nombre_comercial?: string | null;
  @Text({ ...HEAD_OFFICE, optional: true }) direccion_matriz?: string;
  @Flag({ optional: true, about: 'Obliged to keep accounts' }) obligado_contabilidad?: boolean;
  @Text(SPECIAL) contribuyente_especial?: string | null;
  @Text(AGENT) agente_retencion?: string | null;
  @Text(LARGE) gran_contribuyente?: string | null;
  @OneOf(RIMPE_REGIMES, { ...REGIME, optional: true }) regimen_rimpe?: RimpeRegime;
  @OneOf(PAYMENT_METHOD_CODES, { ...PAYMENT_METHOD, optional: true }) default_payment_method?: string;
  @Base64(LOGO) logo?: string | null;
  @Flag({ optional: true, about: EMAIL_BUYERS }) email_buyers?: boolean;
  @Flag({ optional: true, about: 'May issue' }) is_active?: boolean;
}

@ApiSchema({ name: 'EstablishmentCreate' })
export class EstablishmentCreateDto {
  @Digits(3, { not: '000', about: 'Code at the SRI', example: '001' }) code: string;
  @Text({ max: 300, nullable: true }) name?: string | null;
  @Text({ max: 300 }) address: string;
}

@ApiSchema({ name: 'EmissionPointCreate' })
export class EmissionPointCreateDto {
  @Digits(3, { not: '000', about: 'Code at the SRI', example: '001' }) code: string;
  @Integer({ min: 1, max: 999_999_999, default: 1, about: 'First number of each document type' }) initial_sequential: number = 1;
}

@ApiSchema({ name: 'EstablishmentUpdate' })
export class EstablishmentUpdateDto {
  @Text({ max: 300, nullable: true }) name?: string | null;
  @Text({ max: 300, optional: true }) address?: string;
  @Flag({ optional: true, about: 'May issue' }) is_active?: boolean;
}

@ApiSchema({ name: 'EmissionPointUpdate' })
export class EmissionPointUpdateDto {
  @Flag({ optional: true, about: 'May issue' }) is_active?: boolean;
}

export class EmissionPointPath {
  @Uuid() emission_point_id: string;
}

export class SequencePath extends EmissionPointPath {
  @OneOf(DOCUMENT_TYPE_CODES, { enumName: 'DocumentType' }) document_type: string;
}

@ApiSchema({ name: 'SequenceRaise' })
export class SequenceRaiseDto {
  @Integer({ min: 2, max: 999_999_999, about: 'Number of the next document', example: 1501 }) next_number: number;
  @Text({ max: 500, about: 'Why the numbers before it stay unused', example: 'Issued with the former system' }) reason: string;
}

/** Query of the lists that can be narrowed to active entries. */
export class ActivePageQuery extends PageQuery {
  @Flag({ fromText: true, optional: true, about: 'Only active (true) or inactive (false) ones' }) is_active?: boolean;
}

@ApiSchema({ name: 'CertificateUpload' })
export class CertificateUploadDto {
  @Base64({ maxBytes: MAX_PKCS12_BYTES, about: 'The .p12 file in base64; in a multipart body the part `file`' }) file_base64: string;
  @Secret({ max: 1024, about: 'Password of the file; used once, never stored' }) password: string;
}
