import { ApiSchema } from '@nestjs/swagger';
import { Day, Money, NestedList, Text } from '../../platform/http/fields.js';
import { DocumentLineDto, DocumentTaxDto } from './documents.line.dto.js';

/** Body of `POST /documents/{document_id}/credit-note` (interface specification 4.6). */
@ApiSchema({ name: 'CreditNoteCreate' })
export class CreditNoteDto {
  @Text({ max: 500, about: 'Why it is credited; the SRI takes 300 characters', example: 'Devolución de mercadería' }) reason: string;
  @NestedList(() => DocumentLineDto, { min: 1, max: 2_000 }) lines: DocumentLineDto[];
  @NestedList(() => DocumentTaxDto, { min: 1, max: 200, about: 'The lines grouped by tax and rate' }) taxes: DocumentTaxDto[];
  @Money({ about: 'Amount before taxes and discounts', example: '100.00' }) subtotal: string;
  @Money({ default: '0.00', about: 'Sum of the discounts of the lines' }) total_discount: string = '0.00';
  @Money({ example: '15.00' }) total_tax: string;
  @Money({ example: '115.00' }) total: string;
  @Day({ nullable: true, about: 'Calendar day in Ecuador; default today' }) issue_date?: string | null;
  @Text({ min: 1, max: 255, nullable: true, about: 'Prevents duplicates' }) idempotency_key?: string | null;
}
