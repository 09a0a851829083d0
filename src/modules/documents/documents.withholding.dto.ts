import { ApiSchema } from '@nestjs/swagger';
import { Day, DecimalNumber, Digits, Flag, Integer, Money, Nested, NestedList, OneOf, Text } from '../../platform/http/fields.js';
import { ReimbursementDto } from './documents.additions.dto.js';

/** Full form of a withholding certificate (07, version 2.0.0): per supporting document, as the ATS wants it. */

const PERCENT = { fractionDigits: 2, max: '100' } as const;

@ApiSchema({ name: 'SupportingTax' })
export class SupportingTaxDto {
  @Text({ max: 10, about: 'SRI tax code of the supporting document: 2 IVA, 3 ICE, 5 IRBPNR', example: '2' }) tax_code: string;
  @Text({ max: 10, about: 'SRI rate code of the tax', example: '4' }) tax_rate_code: string;
  @Money({ example: '1000.00' }) taxable_base: string;
  @DecimalNumber({ fractionDigits: 2, about: 'Percent, above 100 too; the amount per unit of a specific rate', example: '15.00' }) tariff: string;
  @Money({ example: '150.00' }) tax_amount: string;
}

@ApiSchema({ name: 'Dividend' })
export class DividendDto {
  @Day() payment_date: string;
  @Money({ about: 'Income tax that the company paid on it' }) income_tax_paid: string;
  @Digits(4, { about: 'Fiscal year of the profit', example: '2025' }) fiscal_year: string;
}

@ApiSchema({ name: 'BananaBoxes' })
export class BananaBoxesDto {
  @Integer({ min: 0, max: 9_999_999 }) boxes: number;
  @Money() price_per_box: string;
}

@ApiSchema({ name: 'WithheldTax' })
export class WithheldTaxDto {
  @Text({ max: 10, about: '1 income, 2 IVA, 6 ISD', example: '1' }) tax_code: string;
  @Text({ max: 5, about: 'SRI withholding code', example: '312' }) withholding_code: string;
  @Money({ about: 'Income: the net base; IVA: the amount of IVA', example: '1000.00' }) taxable_base: string;
  @DecimalNumber({ ...PERCENT, about: 'Percent withheld', example: '2.00' }) rate: string;
  @Money({ about: 'taxable_base x rate / 100', example: '20.00' }) amount: string;
  @Nested(() => DividendDto, { nullable: true, about: 'Dividends (sustento code 10)' }) dividend?: DividendDto | null;
  @Nested(() => BananaBoxesDto, { nullable: true, about: 'Purchases of bananas' }) banana_boxes?: BananaBoxesDto | null;
}

@ApiSchema({ name: 'SupportingPayment' })
export class SupportingPaymentDto {
  @Text({ min: 2, max: 2, about: 'Code of the SRI payment-method table', example: '20' }) payment_method_code: string;
  @Money({ example: '1150.00' }) total: string;
}

@ApiSchema({ name: 'SupportingDocument' })
export class SupportingDocumentDto {
  @Text({ max: 2, about: 'ATS table 5', example: '01' }) sustento_code: string;
  @Text({ max: 3, about: 'ATS table 4', example: '01' }) document_type: string;
  @Text({ max: 20, example: '001-001-000000123' }) number: string;
  @Day() issue_date: string;
  @Day({ nullable: true, about: 'Day of the accounting entry' }) accounting_date?: string | null;
  @Text({ max: 49, nullable: true, about: '10, 37 or 49 digits' }) authorization_number?: string | null;
  @OneOf(['01', '02'], { about: '01 paid to a resident, 02 abroad' }) payment_location: string;
  @Text({ max: 2, nullable: true, about: 'Abroad: 01 general, 02 tax haven, 03 preferential' }) regime_type?: string | null;
  @Text({ max: 4, nullable: true, about: 'Abroad: country, three or four digits; `GET /reference/countries` holds an extract, and other codes are taken as given' }) country?: string | null;
  @Flag({ nullable: true, about: 'Abroad: a double-taxation treaty applies' }) treaty?: boolean | null;
  @Money({ about: 'Total before taxes', example: '1000.00' }) subtotal: string;
  @Money({ about: 'What the document comes to: with taxes, tip and whatever else it charges', example: '1150.00' }) total: string;
  @NestedList(() => SupportingTaxDto, { min: 1, max: 50 }) taxes: SupportingTaxDto[];
  @NestedList(() => WithheldTaxDto, { min: 1, max: 100, about: 'What is withheld of this document' }) withholdings: WithheldTaxDto[];
  @NestedList(() => SupportingPaymentDto, { min: 1, max: 100 }) payments: SupportingPaymentDto[];
  @NestedList(() => ReimbursementDto, { max: 1000, optional: true, about: 'Reimbursed documents (document type 41)' })
  reimbursements?: ReimbursementDto[];
}

@ApiSchema({ name: 'Withholding' })
export class WithholdingDto {
  @Text({ max: 7, about: 'Month mm/yyyy', example: '09/2026' }) fiscal_period: string;
  @Flag({ about: 'The subject is a related party' }) related_party: boolean;
  @Text({ max: 2, nullable: true, about: '01 person, 02 company; only for buyers of type 08' }) subject_type?: string | null;
  @NestedList(() => SupportingDocumentDto, { min: 1, max: 500, about: '`taxes` of the document sums up their withholdings' })
  supporting_documents: SupportingDocumentDto[];
}
