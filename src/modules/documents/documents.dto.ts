import { ApiSchema } from '@nestjs/swagger';
import {
  Day,
  DecimalNumber,
  Digits,
  Email,
  Integer,
  Money,
  NestedList,
  OneOf,
  Text,
  Uuid,
} from '../../platform/http/fields.js';

/** Request bodies of the document endpoints (interface specification, sections 2.1 to 2.4). Names are the wire's. */

export const DOCUMENT_TYPES = ['01', '03', '04', '05', '06', '07'] as const;

/** Names that may stand for the SRI's codes of buyer identification. */
const BUYER_ID_TYPE_ALIASES = {
  RUC: '04',
  CEDULA: '05',
  PASAPORTE: '06',
  CONSUMIDOR_FINAL: '07',
  EXTERIOR: '08',
} as const;

const INT_MAX = 2_147_483_647;
const MAX_LINES = 2_000;

@ApiSchema({ name: 'NameValue' })
export class NameValueDto {
  @Text({ max: 300 }) name: string;
  @Text({ max: 300 }) value: string;
}

@ApiSchema({ name: 'DocumentTaxCreate' })
export class DocumentTaxDto {
  @Text({ max: 10, about: 'SRI tax code: 2 IVA, 3 ICE, 5 IRBPNR; on 07: 1 income, 2 IVA, 6 ISD', example: '2' }) tax_code: string;
  @Text({ max: 10, about: 'SRI rate code of the tax', example: '4' }) tax_rate_code: string;
  @Money({ about: 'Amount the tax is computed on', example: '100.00' }) taxable_base: string;
  @DecimalNumber({ fractionDigits: 4, max: '1', about: 'Fraction: 0.15 means 15 %', example: '0.15' }) rate: string;
  @Money({ about: 'taxable_base times rate', example: '15.00' }) tax_amount: string;
  @DecimalNumber({ fractionDigits: 2, nullable: true, about: 'XML `tarifa` where it is not rate x 100 (specific ICE, IRBPNR, over 100 %)' })
  tariff?: string | null;
}

@ApiSchema({ name: 'DocumentLineCreate' })
export class DocumentLineDto {
  @Integer({ min: 1, max: INT_MAX, about: 'Position, from 1' }) line_number: number;
  @Text({ max: 1000, about: 'The SRI takes 300 characters', example: 'Servicio de consultoría' }) description: string;
  @Text({ min: 1, max: 25, nullable: true, about: 'Catalogue main code; one is made from line_number when absent' })
  main_code?: string | null;
  @Text({ max: 25, nullable: true, about: 'Catalogue auxiliary code' }) aux_code?: string | null;
  @DecimalNumber({ fractionDigits: 6, positive: true, about: 'Above 0', example: '1' }) quantity: string;
  @DecimalNumber({ fractionDigits: 6, about: 'Price of one unit before discount and taxes', example: '100.00' }) unit_price: string;
  @Money({ default: '0.00', about: 'Discount of the line' }) discount: string = '0.00';
  @Money({ about: 'quantity x unit_price - discount, rounded half up', example: '100.00' }) subtotal: string;
  @Text({ max: 10, default: '2', about: 'SRI tax code; 2 is IVA' }) tax_code: string = '2';
  @Text({ max: 10, requiredUnless: 'taxes', about: 'SRI rate code; required unless `taxes` itemises the line', example: '4' })
  tax_rate_code?: string;
  @NestedList(() => DocumentTaxDto, { min: 1, max: 20, nullable: true, about: 'Taxes of the line where it has several' })
  taxes?: DocumentTaxDto[] | null;
  @Text({ max: 50, nullable: true, about: 'Unit of measure' }) unit_of_measure?: string | null;
  @NestedList(() => NameValueDto, { max: 3, optional: true, about: 'Up to 3 further details printed with the line' })
  additional_details?: NameValueDto[];
}

@ApiSchema({ name: 'DocumentPaymentCreate' })
export class DocumentPaymentDto {
  @Integer({ min: 1, max: INT_MAX, about: 'Position, from 1' }) line_number: number;
  @Text({ min: 2, max: 2, about: 'Code of the SRI payment-method table', example: '20' }) payment_method_code: string;
  @Money({ example: '115.00' }) total: string;
  @Integer({ min: 0, max: 999_999_999, nullable: true, about: 'Payment term, in time_unit' }) term?: number | null;
  @Text({ max: 20, nullable: true, about: 'Unit of the term; the SRI takes 10 characters', example: 'dias' }) time_unit?: string | null;
}

const TYPE = {
  enumName: 'DocumentType',
  about: '01 invoice, 03 purchase settlement, 04 credit note, 05 debit note, 06 delivery guide, 07 withholding',
} as const;
const SUBTOTAL = { about: 'Amount before taxes and discounts', example: '100.00' } as const;
const TOTAL_TAX = { about: 'Sum of the taxes', example: '15.00' } as const;
const TOTAL = { about: 'subtotal - total_discount + total_tax (+ tip)', example: '115.00' } as const;
const TAXES = { min: 1, max: 200, about: 'The lines grouped by tax and rate' } as const;

/** What issuing and drafting have in common. */
export class DocumentBodyDto {
  @Uuid() issuer_id: string;
  @Uuid({ about: 'Establishment of the issuer' }) establishment_id: string;
  @Uuid({ about: 'Emission point of the establishment' }) emission_point_id: string;
  @Day({ about: 'Calendar day in Ecuador', example: '2026-08-25' }) issue_date: string;
  @Money({ default: '0.00', about: 'Sum of the discounts of the lines' }) total_discount: string = '0.00';
  @Text({
    max: 10,
    nullable: true,
    aliases: BUYER_ID_TYPE_ALIASES,
    about: '04 RUC, 05 cedula, 06 passport, 07 final consumer, 08 foreign; or RUC, CEDULA, PASAPORTE, CONSUMIDOR_FINAL, EXTERIOR',
    example: '05',
  })
  buyer_id_type?: string | null;
  @Text({ max: 20, nullable: true, about: 'Identification number of the buyer' }) buyer_id?: string | null;
  @Text({ max: 300, nullable: true, about: 'Legal name of the buyer' }) buyer_name?: string | null;
  @Email({ max: 255, nullable: true, about: 'Where the document is sent' }) buyer_email?: string | null;
  @Text({ max: 500, nullable: true, about: 'The SRI takes 300 characters' }) buyer_address?: string | null;
  @Uuid({ nullable: true, about: 'Original document that this one refers to' }) modified_document_id?: string | null;
  @Text({ max: 2, nullable: true, about: 'SRI type code of the modified document' }) modified_document_type?: string | null;
  @Text({ max: 20, nullable: true, about: 'Number of the modified document', example: '001-001-000000123' })
  modified_document_number?: string | null;
  @Day({ nullable: true, about: 'Issue date of the modified document' }) modified_document_issue_date?: string | null;
  @Text({ max: 500, nullable: true, about: 'Mainly for credit notes; the SRI takes 300 characters' }) reason?: string | null;
  @Text({ min: 1, max: 255, nullable: true, about: 'Prevents duplicates; one namespace per issuer, for ever' })
  idempotency_key?: string | null;
  @NestedList(() => DocumentLineDto, { min: 1, max: MAX_LINES }) lines: DocumentLineDto[];
  @NestedList(() => DocumentPaymentDto, { max: 1000, optional: true, about: 'Add up to the total' }) payments?: DocumentPaymentDto[];
  @Digits(8, { about: 'Part of the access key', example: '12345678' }) numeric_code: string;
  @NestedList(() => NameValueDto, { max: 15, optional: true, about: 'Printed and sent with the document; 15 with those the service adds' })
  additional_info?: NameValueDto[];
  @Money({ nullable: true, about: 'Tip of an invoice (01)' }) tip?: string | null;
  @Text({ max: 17, nullable: true, pattern: /^[0-9]{3}-[0-9]{3}-[0-9]{9}$/, about: 'Delivery guide of an invoice (01)' })
  delivery_guide_number?: string | null;
  @Text({ max: 20, nullable: true, about: 'Vehicle plate of an invoice (01)' }) vehicle_plate?: string | null;
}

@ApiSchema({ name: 'DocumentCreate' })
export class DocumentCreateDto extends DocumentBodyDto {
  @OneOf(DOCUMENT_TYPES, TYPE) document_type: (typeof DOCUMENT_TYPES)[number];
  @Money(SUBTOTAL) subtotal: string;
  @Money(TOTAL_TAX) total_tax: string;
  @Money(TOTAL) total: string;
  @NestedList(() => DocumentTaxDto, TAXES) taxes: DocumentTaxDto[];
}

/** As for issuing; the totals and `taxes` may be left out, all four together: then the service computes them from the lines. */
@ApiSchema({ name: 'DocumentDraft' })
export class DocumentDraftDto extends DocumentBodyDto {
  @OneOf(DOCUMENT_TYPES, { ...TYPE, default: '01' }) document_type: (typeof DOCUMENT_TYPES)[number] = '01';
  @Money({ ...SUBTOTAL, optional: true }) subtotal?: string;
  @Money({ ...TOTAL_TAX, optional: true }) total_tax?: string;
  @Money({ ...TOTAL, optional: true }) total?: string;
  @NestedList(() => DocumentTaxDto, { ...TAXES, optional: true }) taxes?: DocumentTaxDto[];
}
