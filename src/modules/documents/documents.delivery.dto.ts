import { ApiSchema } from '@nestjs/swagger';
import { Day, IntegerList, Nested, NestedList, Text } from '../../platform/http/fields.js';
import { CarrierDto } from './documents.additions.dto.js';
import { INT_MAX } from './documents.line.dto.js';

/** The trip of a delivery guide (06). */

const ESTABLISHMENT = { max: 3, nullable: true, about: 'Code of the establishment of destination', example: '001' } as const;
const CUSTOMS = { max: 20, nullable: true, about: 'Customs declaration' } as const;
const ROUTE = { max: 300, nullable: true } as const;

@ApiSchema({ name: 'SupportingReference' })
export class SupportingReferenceDto {
  @Text({ max: 2, about: 'SRI type code', example: '01' }) document_type: string;
  @Text({ max: 20, example: '001-001-000000123' }) number: string;
  @Text({ max: 49, nullable: true, about: '10, 37 or 49 digits' }) authorization_number?: string | null;
  @Day() issue_date: string;
}

@ApiSchema({ name: 'TransportDestination' })
export class TransportDestinationDto {
  @Text({ max: 20, about: 'Identification number of the consignee' }) id: string;
  @Text({ max: 300 }) name: string;
  @Text({ max: 300 }) address: string;
  @Text({ max: 300, about: 'Why the goods travel', example: 'Venta' }) reason: string;
  @Text(ROUTE) route?: string | null;
  @Text(ESTABLISHMENT) establishment?: string | null;
  @Text(CUSTOMS) customs_document?: string | null;
  @Nested(() => SupportingReferenceDto, { nullable: true, about: 'Document that the delivery rests on' })
  supporting_document?: SupportingReferenceDto | null;
  @IntegerList({ min: 1, max: INT_MAX, atLeast: 1, atMost: 2_000, about: 'line_number of the lines that go to this consignee' })
  line_numbers: number[];
}

@ApiSchema({ name: 'Transport' })
export class TransportDto {
  @Text({ max: 300, about: 'Where the trip starts' }) origin_address: string;
  @Nested(() => CarrierDto) carrier: CarrierDto;
  @Day({ about: 'First day of the trip: the issue_date' }) start_date: string;
  @Day() end_date: string;
  @Text({ max: 20, about: 'Plate of the vehicle', example: 'PBA1234' }) plate: string;
  @Text(ROUTE) route?: string | null;
  @Text(ESTABLISHMENT) destination_establishment?: string | null;
  @Text(CUSTOMS) customs_document?: string | null;
  @NestedList(() => TransportDestinationDto, { max: 500, optional: true, about: 'Several consignees; absent: the buyer receives everything' })
  destinations?: TransportDestinationDto[];
}
