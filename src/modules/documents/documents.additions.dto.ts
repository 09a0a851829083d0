import { ApiSchema } from '@nestjs/swagger';
import { Day, Money, Nested, NestedList, OneOf, Text } from '../../platform/http/fields.js';
import { ID_TYPE_ALIASES } from '../../sri/tables/documents.js';
import { DocumentTaxDto } from './documents.line.dto.js';

/** Fields that go beyond the specification's invoice: exports, reimbursements, charges of third parties, substitute guide. */

const COUNTRY = { max: 3, about: 'Three digits of SRI table 25; 593 is Ecuador. `GET /reference/countries` holds an extract: three digits that are not in it are taken as given', example: '593' } as const;
const ID_TYPE = { max: 10, aliases: ID_TYPE_ALIASES, about: '04 RUC, 05 cedula, 06 passport, 08 foreign, or their names' } as const;

@ApiSchema({ name: 'ForeignTrade' })
export class ForeignTradeDto {
  @Text({ max: 10, about: 'Upper-case letters', example: 'CIF' }) incoterm: string;
  @Text({ max: 300, example: 'Miami' }) incoterm_place: string;
  @Text(COUNTRY) origin_country: string;
  @Text({ max: 300, example: 'Guayaquil' }) loading_port: string;
  @Text({ max: 300, example: 'Miami' }) destination_port: string;
  @Text({ ...COUNTRY, nullable: true }) destination_country?: string | null;
  @Text({ ...COUNTRY, nullable: true }) acquisition_country?: string | null;
  @Text({ max: 10, nullable: true, about: 'Incoterm of the total before taxes', example: 'FOB' }) incoterm_subtotal?: string | null;
  @Money({ nullable: true, about: 'International freight, part of the total' }) freight?: string | null;
  @Money({ nullable: true, about: 'International insurance, part of the total' }) insurance?: string | null;
  @Money({ nullable: true, about: 'Customs charges, part of the total' }) customs_charges?: string | null;
  @Money({ nullable: true, about: 'Other charges of the transport, part of the total' }) other_charges?: string | null;
}

@ApiSchema({ name: 'Reimbursement' })
export class ReimbursementDto {
  @Text(ID_TYPE) supplier_id_type: string;
  @Text({ max: 20 }) supplier_id: string;
  @Text({ ...COUNTRY, nullable: true }) supplier_country?: string | null;
  @OneOf(['01', '02'], { about: '01 natural person, 02 company' }) supplier_type: string;
  @Text({ max: 3, about: 'SRI type code of the reimbursed document', example: '01' }) document_type: string;
  @Text({ max: 20, about: 'Number of the reimbursed document', example: '001-001-000000123' }) document_number: string;
  @Day({ about: 'Issue date of the reimbursed document' }) issue_date: string;
  @Text({ max: 49, about: '10, 37 or 49 digits' }) authorization_number: string;
  @NestedList(() => DocumentTaxDto, { min: 1, max: 20, about: 'Taxes of the reimbursed document' }) taxes: DocumentTaxDto[];
}

@ApiSchema({ name: 'ThirdPartyCharge' })
export class ThirdPartyChargeDto {
  @Text({ max: 300, example: 'Contribución bomberos' }) concept: string;
  @Money({ example: '5.30' }) total: string;
}

@ApiSchema({ name: 'Carrier' })
export class CarrierDto {
  @Text(ID_TYPE) id_type: string;
  @Text({ max: 20 }) id: string;
  @Text({ max: 300 }) name: string;
}

@ApiSchema({ name: 'SubstituteGuideDestination' })
export class SubstituteGuideDestinationDto {
  @Text({ max: 300, about: 'Why the goods travel', example: 'Venta' }) reason: string;
  @Text({ max: 64, nullable: true, about: 'Customs declaration' }) customs_document?: string | null;
  @Text({ max: 3, nullable: true, about: 'Code of the establishment of destination' }) establishment?: string | null;
  @Text({ max: 300, nullable: true }) route?: string | null;
}

@ApiSchema({ name: 'SubstituteGuide' })
export class SubstituteGuideDto {
  @Text({ max: 300 }) origin_address: string;
  @Text({ max: 300 }) destination_address: string;
  @Day({ about: 'First day of the trip, not before issue_date' }) start_date: string;
  @Day() end_date: string;
  @Nested(() => CarrierDto) carrier: CarrierDto;
  @Text({ max: 20, about: 'Plate of the vehicle', example: 'PBA1234' }) plate: string;
  @NestedList(() => SubstituteGuideDestinationDto, { min: 1, max: 100 }) destinations: SubstituteGuideDestinationDto[];
}
