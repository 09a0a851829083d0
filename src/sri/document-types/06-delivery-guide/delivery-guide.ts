import { fileURLToPath } from 'node:url';
import { IDENTIFICATION_TYPES } from '../../tables/documents.js';
import { TAX } from '../../tables/taxes.js';
import { withBuyerCode, withLineCodes } from '../completion.js';
import type { ComputedTotals, DocumentContent } from '../content.js';
import type { DocumentTypeDefinition, Normalised } from '../document-type.js';
import { DELIVERY_GUIDE_EXAMPLES } from './examples.js';
import { checkDeliveryGuide } from './rules.js';
import { checkTransportShape } from './transport.js';
import { BUYER_POINTERS, buildDeliveryGuide, DESTINATION_POINTERS, ROOT, VERSION } from './xml.js';

const SCHEMA = fileURLToPath(new URL('./delivery-guide-1.1.0.xsd', import.meta.url));

function normaliseDeliveryGuide(content: DocumentContent): Normalised {
  return { content: withCarrierCode(withLineCodes(withBuyerCode(content))), warnings: [] };
}

/** Alias of the carrier's identification type (`RUC`, `CEDULA`...) as a code. */
function withCarrierCode(content: DocumentContent): DocumentContent {
  const { transport } = content;
  const row = IDENTIFICATION_TYPES.rows.find(({ alias }) => alias === transport?.carrier.idType);
  if (transport === null || row === undefined) return content;
  return { ...content, transport: { ...transport, carrier: { ...transport.carrier, idType: row.code } } };
}

const ZERO = '0.00';

/** A guide carries no amounts: all zero, with the one tax entry that every request holds. */
const NO_TOTALS: ComputedTotals = {
  subtotal: ZERO,
  totalDiscount: ZERO,
  totalTax: ZERO,
  total: ZERO,
  taxes: [{ taxCode: TAX.iva, taxRateCode: '0', taxableBase: ZERO, rate: '0.0000', taxAmount: ZERO, tariff: null }],
};

/** Delivery guide (guía de remisión, 06). */
export const DELIVERY_GUIDE: DocumentTypeDefinition = {
  code: '06',
  rootElement: ROOT,
  version: () => VERSION,
  shape: checkTransportShape,
  normalise: normaliseDeliveryGuide,
  totals: () => NO_TOTALS,
  check: checkDeliveryGuide,
  buildXml: buildDeliveryGuide,
  schemaFile: () => SCHEMA,
  schemaPointers: BUYER_POINTERS,
  pointersFor: ({ transport }) =>
    transport === null || transport.destinations.length === 0 ? BUYER_POINTERS : DESTINATION_POINTERS,
  examples: DELIVERY_GUIDE_EXAMPLES,
};
