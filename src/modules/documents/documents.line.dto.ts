import { ApiSchema } from '@nestjs/swagger';
import { DecimalNumber, Integer, Money, NestedList, Text } from '../../platform/http/fields.js';

/** Lines, taxes and payments of a document (interface specification, sections 2.2 to 2.4), and what several bodies share. */

export const INT_MAX = 2_147_483_647;

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

const DESCRIPTION = { max: 1000, about: 'The SRI takes 300 characters', example: 'Servicio de consultoría' } as const;
const UNIT_PRICE = { fractionDigits: 6, about: 'Price of one unit before discount and taxes', example: '100.00' } as const;
const SUBTOTAL = { about: 'quantity x unit_price - discount, rounded half up', example: '100.00' } as const;
const TAX_CODE = { max: 10, about: 'SRI tax code; 2 is IVA' } as const;

/** What issuing and drafting have in common. */
export class LineBodyDto {
  @Integer({ min: 1, max: INT_MAX, about: 'Position, from 1' }) line_number: number;
  @Text({ min: 1, max: 25, nullable: true, about: 'Catalogue main code; one is made from line_number when absent' })
  main_code?: string | null;
  @Text({ max: 25, nullable: true, about: 'Catalogue auxiliary code' }) aux_code?: string | null;
  @DecimalNumber({ fractionDigits: 6, positive: true, about: 'Above 0', example: '1' }) quantity: string;
  @NestedList(() => DocumentTaxDto, { min: 1, max: 20, nullable: true, about: 'Taxes of the line where it has several' })
  taxes?: DocumentTaxDto[] | null;
  @Text({ max: 50, nullable: true, about: 'Unit of measure' }) unit_of_measure?: string | null;
  @NestedList(() => NameValueDto, { max: 3, optional: true, about: 'Up to 3 further details printed with the line' })
  additional_details?: NameValueDto[];
}

@ApiSchema({ name: 'DocumentLineCreate' })
export class DocumentLineDto extends LineBodyDto {
  @Text(DESCRIPTION) description: string;
  @DecimalNumber(UNIT_PRICE) unit_price: string;
  @Money({ default: '0.00', about: 'Discount of the line' }) discount: string = '0.00';
  @Money(SUBTOTAL) subtotal: string;
  @Text({ ...TAX_CODE, default: '2' }) tax_code: string = '2';
  @Text({ max: 10, requiredUnless: ['taxes'], about: 'SRI rate code; required unless `taxes` itemises the line', example: '4' })
  tax_rate_code?: string;
}

/** As for issuing; what a line leaves out is taken from the product that its `main_code` names. */
@ApiSchema({ name: 'DocumentLineDraft' })
export class DraftLineDto extends LineBodyDto {
  @Text({ ...DESCRIPTION, requiredUnless: ['main_code'] }) description?: string;
  @DecimalNumber({ ...UNIT_PRICE, requiredUnless: ['main_code'] }) unit_price?: string;
  @Money({ optional: true, about: "Discount of the line; absent: the product's where subtotal is absent too, else none" }) discount?: string;
  @Money({ ...SUBTOTAL, requiredUnless: ['main_code'] }) subtotal?: string;
  @Text({ ...TAX_CODE, optional: true }) tax_code?: string;
  @Text({ max: 10, requiredUnless: ['taxes', 'main_code'], about: 'SRI rate code; required unless `taxes` itemises the line or a product tells it', example: '4' })
  tax_rate_code?: string;
}

@ApiSchema({ name: 'DocumentPaymentCreate' })
export class DocumentPaymentDto {
  @Integer({ min: 1, max: INT_MAX, about: 'Position, from 1' }) line_number: number;
  @Text({ min: 2, max: 2, about: 'Code of the SRI payment-method table', example: '20' }) payment_method_code: string;
  @Money({ example: '115.00' }) total: string;
  @Integer({ min: 0, max: 999_999_999, nullable: true, about: 'Payment term, in time_unit' }) term?: number | null;
  @Text({ max: 20, nullable: true, about: 'Unit of the term; the SRI takes 10 characters', example: 'dias' }) time_unit?: string | null;
}
