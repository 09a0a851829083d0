import type { DocumentCreateDto } from '../../src/modules/documents/documents.dto.js';
import type { PlaceRow } from './memory-store.js';

/** Requests as validation hands them on. The numeric code tells the variants apart wherever they turn up. */
const VARIANTS = [
  { code: '10000000', net: '100.00', tax: '15.00', total: '115.00' },
  { code: '20000000', net: '200.00', tax: '30.00', total: '230.00' },
  // 6.70 x 0.15 is 1.005: half up gives 1.01, binary floats give 1.00.
  { code: '30000000', net: '6.70', tax: '1.01', total: '7.71' },
] as const;

export const VARIANT_COUNT = VARIANTS.length;

export function totalOf(numericCode: string): string | undefined {
  return VARIANTS.find(({ code }) => code === numericCode)?.total;
}

/** What a request asks for, as the checker names it. */
export function identityOf(pointId: string, numericCode: string, issueDate: string): string {
  return `${pointId}/${numericCode}/${issueDate}`;
}

export interface RequestBody {
  readonly dto: DocumentCreateDto;
  readonly identity: string;
}

/** As the first request writes it; a correction writes another. */
export const FIRST_BUYER = 'María Pérez';

export function requestBody(place: PlaceRow, point: number, variant: number, issueDate: string): RequestBody {
  const pointId = place.points[point]!.id;
  const { code } = VARIANTS[variant]!;
  return { dto: dtoOf(place, pointId, code, issueDate, FIRST_BUYER), identity: identityOf(pointId, code, issueDate) };
}

/** What a document asks for, by its numeric code: a correction keeps its amounts. */
export function dtoOf(place: PlaceRow, pointId: string, numericCode: string, issueDate: string, buyerName: string): DocumentCreateDto {
  const { code, net, tax, total } = VARIANTS.find((variant) => variant.code === numericCode)!;
  return {
    issuer_id: place.issuerId, establishment_id: place.establishmentId, emission_point_id: pointId,
    document_type: '01', issue_date: issueDate, numeric_code: code, subtotal: net, total_discount: '0.00', total_tax: tax, total,
    buyer_id_type: '05', buyer_id: '1710034065', buyer_name: buyerName,
    lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: net, discount: '0.00', subtotal: net, tax_code: '2', tax_rate_code: '4' }],
    taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: net, rate: '0.15', tax_amount: tax }],
    payments: [{ line_number: 1, payment_method_code: '20', total }],
  } as unknown as DocumentCreateDto;
}
