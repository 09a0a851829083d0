import { ApiSchema, OmitType, PartialType } from '@nestjs/swagger';
import { Day, Digits, Email, Flag, Money, Nested, NestedList, OneOf, Text, Uuid } from '../../platform/http/fields.js';
import type { DocumentTypeCode } from '../../sri/document-types/content.js';
import { DOCUMENT_TYPE_CODES } from '../../sri/document-types/registry.js';
import { ID_TYPE_ALIASES } from '../../sri/tables/documents.js';
import { ForeignTradeDto, ReimbursementDto, SubstituteGuideDto, ThirdPartyChargeDto } from './documents.additions.dto.js';
import { TransportDto } from './documents.delivery.dto.js';
import { DocumentLineDto, DocumentPaymentDto, DocumentTaxDto, DraftLineDto, NameValueDto } from './documents.line.dto.js';
import { WithholdingDto } from './documents.withholding.dto.js';

/** Request bodies of the document endpoints (interface specification, section 2.1). Names are the wire's. */

const MAX_LINES = 2_000;

const TYPE = {
  enumName: 'DocumentType',
  about: '01 invoice, 03 purchase settlement, 04 credit note, 05 debit note, 06 delivery guide, 07 withholding',
} as const;
const SUBTOTAL = { about: 'Amount before taxes and discounts', example: '100.00' } as const;
const TOTAL_DISCOUNT = { about: 'Sum of the discounts of the lines' } as const;
const TOTAL_TAX = { about: 'Sum of the taxes', example: '15.00' } as const;
const TOTAL = { about: 'subtotal - total_discount + total_tax (+ tip)', example: '115.00' } as const;
const IDEMPOTENCY_KEY = { min: 1, max: 255, nullable: true, about: 'Prevents duplicates; one namespace per issuer, for ever' } as const;

/** Groups of taxes that a document may have, which are more than any has. */
export const MOST_TAXES = 200;
const TAXES = { max: MOST_TAXES, about: 'The lines grouped by tax and rate' } as const;

/** Fields that a draft or dry run gives all together, or leaves to the service all together. */
export const COMPUTABLE = ['subtotal', 'total_tax', 'total', 'taxes'] as const;
const WITH_TOTALS = { optional: true, requiredWith: COMPUTABLE } as const;

/** What issuing and drafting have in common. */
export class DocumentBodyDto {
  @Uuid() issuer_id: string;
  @Uuid({ about: 'Establishment of the issuer' }) establishment_id: string;
  @Uuid({ about: 'Emission point of the establishment' }) emission_point_id: string;
  @Day({ about: 'Calendar day in Ecuador', example: '2026-08-25' }) issue_date: string;
  @Money({ ...TOTAL_DISCOUNT, default: '0.00' }) total_discount: string = '0.00';
  @Text({
    max: 10,
    nullable: true,
    aliases: ID_TYPE_ALIASES,
    about: '04 RUC, 05 cedula, 06 passport, 07 final consumer, 08 foreign; or RUC, CEDULA, PASAPORTE, CONSUMIDOR_FINAL, EXTERIOR',
    example: '05',
  })
  buyer_id_type?: string | null;
  @Text({ max: 20, nullable: true, about: 'Identification number of the buyer' }) buyer_id?: string | null;
  @Text({ max: 300, nullable: true, about: 'Legal name of the buyer' }) buyer_name?: string | null;
  @Email({ max: 255, nullable: true, about: 'Where the document is sent' }) buyer_email?: string | null;
  @Flag({ optional: true, about: 'false: the buyer is not mailed the document once it is authorized; not part of the document' }) send_email?: boolean;
  @Text({ max: 500, nullable: true, about: 'The SRI takes 300 characters' }) buyer_address?: string | null;
  @Uuid({ nullable: true, about: 'Original document that this one refers to' }) modified_document_id?: string | null;
  @Text({ max: 2, nullable: true, about: 'SRI type code of the modified document' }) modified_document_type?: string | null;
  @Text({ max: 20, nullable: true, about: 'Number of the modified document', example: '001-001-000000123' })
  modified_document_number?: string | null;
  @Day({ nullable: true, about: 'Issue date of the modified document' }) modified_document_issue_date?: string | null;
  @Text({ max: 500, nullable: true, about: 'Mainly for credit notes; the SRI takes 300 characters' }) reason?: string | null;
  @NestedList(() => DocumentPaymentDto, { max: 1000, optional: true, about: 'Add up to the total' }) payments?: DocumentPaymentDto[];
  @Digits(8, { about: 'Part of the access key', example: '12345678' }) numeric_code: string;
  @NestedList(() => NameValueDto, { max: 15, optional: true, about: 'Printed and sent with the document; 15 with those the service adds' })
  additional_info?: NameValueDto[];
  @Money({ nullable: true, about: 'Tip of an invoice (01)' }) tip?: string | null;
  @Text({ max: 17, nullable: true, pattern: /^[0-9]{3}-[0-9]{3}-[0-9]{9}$/, about: 'Delivery guide of an invoice (01)' })
  delivery_guide_number?: string | null;
  @Text({ max: 20, nullable: true, about: 'Vehicle plate of an invoice (01)' }) vehicle_plate?: string | null;
  @Nested(() => ForeignTradeDto, { nullable: true, about: 'Terms and charges of an export (01)' }) foreign_trade?: ForeignTradeDto | null;
  @NestedList(() => ReimbursementDto, { max: 1000, optional: true, about: 'Documents paid on behalf of the buyer (01, 03)' })
  reimbursements?: ReimbursementDto[];
  @NestedList(() => ThirdPartyChargeDto, { max: 100, optional: true, about: 'Charges collected for others: part of the total, not of its taxes (01)' })
  third_party_charges?: ThirdPartyChargeDto[];
  @Nested(() => SubstituteGuideDto, { nullable: true, about: 'Trip of an invoice that stands in for a delivery guide (01)' })
  substitute_guide?: SubstituteGuideDto | null;
  @Nested(() => TransportDto, { nullable: true, about: 'Trip of a delivery guide (06), required there' }) transport?: TransportDto | null;
  @Nested(() => WithholdingDto, { nullable: true, about: 'Full form of a withholding (07), version 2.0.0; absent: short form 1.0.0' })
  withholding?: WithholdingDto | null;
}

@ApiSchema({ name: 'DocumentCreate' })
export class DocumentCreateDto extends DocumentBodyDto {
  @OneOf(DOCUMENT_TYPE_CODES, TYPE) document_type: DocumentTypeCode;
  @NestedList(() => DocumentLineDto, { min: 1, max: MAX_LINES }) lines: DocumentLineDto[];
  @Money(SUBTOTAL) subtotal: string;
  @Money(TOTAL_TAX) total_tax: string;
  @Money(TOTAL) total: string;
  @NestedList(() => DocumentTaxDto, { ...TAXES, min: 1 }) taxes: DocumentTaxDto[];
  @Text(IDEMPOTENCY_KEY) idempotency_key?: string | null;
}

/**
 * As for issuing; the totals and `taxes` may be left out, all four together: then the service computes them from the lines. Where no
 * line has a tax in force it computes an empty list, which may be given back therefore: a finding, for which issuing refuses it.
 */
class DocumentFromLinesDto extends DocumentBodyDto {
  @NestedList(() => DraftLineDto, { min: 1, max: MAX_LINES }) lines: DraftLineDto[];
  @Money({ ...SUBTOTAL, ...WITH_TOTALS }) subtotal?: string;
  @Money({ ...TOTAL_TAX, ...WITH_TOTALS }) total_tax?: string;
  @Money({ ...TOTAL, ...WITH_TOTALS }) total?: string;
  @NestedList(() => DocumentTaxDto, { ...TAXES, ...WITH_TOTALS, about: `${TAXES.about}; empty, nothing can be issued yet` }) taxes?: DocumentTaxDto[];
}

/** A draft that exists already: an idempotency key belongs to its creation. */
export class StoredDraftDto extends DocumentFromLinesDto {
  @OneOf(DOCUMENT_TYPE_CODES, { ...TYPE, default: '01' }) document_type: DocumentTypeCode = '01';
}

@ApiSchema({ name: 'DocumentDraft' })
export class DocumentDraftDto extends StoredDraftDto {
  @Text(IDEMPOTENCY_KEY) idempotency_key?: string | null;
}

/** A dry run takes what issuing takes: only a draft is an invoice where no type is named. */
@ApiSchema({ name: 'DocumentValidate' })
export class DocumentValidateDto extends DocumentFromLinesDto {
  @OneOf(DOCUMENT_TYPE_CODES, TYPE) document_type: DocumentTypeCode;
  @Text(IDEMPOTENCY_KEY) idempotency_key?: string | null;
}

/** Any of the fields of a draft; those that are absent stay, so none has a default that a client could fill in. */
@ApiSchema({ name: 'DocumentPatch' })
export class DocumentPatchDto extends PartialType(OmitType(StoredDraftDto, ['document_type', 'total_discount'])) {
  @OneOf(DOCUMENT_TYPE_CODES, { ...TYPE, optional: true }) document_type?: DocumentTypeCode;
  @Money({ ...TOTAL_DISCOUNT, optional: true }) total_discount?: string;
}
