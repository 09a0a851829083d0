import type { Finding } from '../../../shared/finding.js';
import { FINAL_CONSUMER } from '../../tables/documents.js';
import { SOME_COUNTRIES } from '../../tables/supporting-documents.js';
import type { DocumentContent, SubstituteGuide } from '../content.js';
import { checkPartyIdText, PARTY_ID_TYPES, partyIdProblem } from '../rules/identification.js';
import { COUNTRY, REIMBURSEMENTS } from '../rules/reimbursements.js';
import { defineRules, finding } from '../rules/rule.js';
import { checkStructure, listOf, objectOf, orNull } from '../rules/structure.js';
import { checkText, type TextField } from '../rules/texts.js';

const ANNEX_4 = 'Ficha técnica 2.32, anexo 4';
const GUIDE = 'Ficha técnica 2.32, factura 2.1.0, infoSustitutivaGuiaRemision';

const RULES = defineRules({
  'foreign_trade.incoterm': {
    es: 'Un incoterm lleva de 1 a 10 letras mayúsculas',
    en: 'An incoterm has 1 to 10 upper-case letters',
    reference: ANNEX_4,
  },
  'foreign_trade.country': {
    es: 'El país lleva tres dígitos',
    en: 'The country has three digits',
    reference: 'Ficha técnica 2.32, tabla 25',
  },
  // Mandatory by the annex; whether the SRI insists is not known.
  'foreign_trade.incoterm_subtotal_missing': {
    severity: 'warning',
    es: 'En una exportación la ficha pide el incoterm del total sin impuestos',
    en: 'For an export the ficha asks for the incoterm of the total without taxes',
    reference: ANNEX_4,
  },
  'foreign_trade.buyer_address_missing': {
    severity: 'warning',
    es: 'En una exportación la ficha pide la dirección del comprador',
    en: "For an export the ficha asks for the buyer's address",
    reference: ANNEX_4,
  },
  'foreign_trade.final_consumer': {
    severity: 'warning',
    es: 'Una exportación se factura a un comprador identificado, no a consumidor final',
    en: 'An export is invoiced to an identified buyer, not to the final consumer',
    reference: `${ANNEX_4} y tabla 6`,
  },
  'substitute_guide.start_date': {
    es: 'El transporte no puede empezar antes de la emisión',
    en: 'The trip may not start before the document is issued',
    reference: 'Ficha técnica 2.32, mensaje 82',
  },
  'substitute_guide.end_date': {
    es: 'El transporte no puede terminar antes de empezar',
    en: 'The trip may not end before it starts',
    reference: GUIDE,
  },
  'substitute_guide.carrier': {
    es: 'La identificación del transportista no es de un tipo conocido o no tiene su forma',
    en: "The carrier's identification is not of a known type or does not have its form",
    reference: 'Ficha técnica 2.32, tabla 6',
  },
  'substitute_guide.carrier_check_digit': {
    severity: 'warning',
    es: 'El dígito verificador de la identificación del transportista no coincide',
    en: "The check digit of the carrier's identification does not match",
    reference: 'Ficha técnica 2.32, mensaje 62',
  },
  'substitute_guide.destinations': {
    es: 'Se necesita al menos un destino',
    en: 'At least one destination is needed',
    reference: GUIDE,
  },
  'substitute_guide.establishment': {
    es: 'El establecimiento de destino lleva tres dígitos',
    en: 'The establishment of the destination has three digits',
    reference: GUIDE,
  },
});

const FOREIGN_TRADE = orNull(
  objectOf({
    incoterm: 'text',
    incotermPlace: 'text',
    originCountry: 'text',
    loadingPort: 'text',
    destinationPort: 'text',
    destinationCountry: orNull('text'),
    acquisitionCountry: orNull('text'),
    incotermSubtotal: orNull('text'),
    freight: orNull('decimal'),
    insurance: orNull('decimal'),
    customsCharges: orNull('decimal'),
    otherCharges: orNull('decimal'),
  }),
);

const SUBSTITUTE_GUIDE = orNull(
  objectOf({
    originAddress: 'text',
    destinationAddress: 'text',
    startDate: 'day',
    endDate: 'day',
    carrier: objectOf({ idType: 'text', id: 'text', name: 'text' }),
    plate: 'text',
    destinations: listOf(
      objectOf({
        reason: 'text',
        customsDocument: orNull('text'),
        establishment: orNull('text'),
        route: orNull('text'),
      }),
    ),
  }),
);

/** Form of the fields that only an invoice (and in part a settlement) has. */
export function* checkInvoiceShape(content: DocumentContent): Generator<Finding> {
  yield* checkStructure(content.foreignTrade, FOREIGN_TRADE, '/foreign_trade');
  yield* checkStructure(content.reimbursements, REIMBURSEMENTS, '/reimbursements');
  const charges = listOf(objectOf({ concept: 'text', total: 'decimal' }));
  yield* checkStructure(content.thirdPartyCharges, charges, '/third_party_charges');
  yield* checkStructure(content.substituteGuide, SUBSTITUTE_GUIDE, '/substitute_guide');
}

const INCOTERM = /^[A-Z]{1,10}$/;
const ESTABLISHMENT = /^[0-9]{3}$/;

const required = (pointer: string, value: string, max: number): TextField => ({ pointer, value, max, required: true });

/** Terms of an export: incoterms, countries, places; then who buys. */
export function* checkForeignTrade({ foreignTrade: trade, buyerAddress, buyerIdType }: DocumentContent): Generator<Finding> {
  if (trade === null) return;
  const at = '/foreign_trade';
  if (trade.incotermSubtotal === null) {
    yield finding(RULES['foreign_trade.incoterm_subtotal_missing'], `${at}/incoterm_subtotal`, 'FOB, CIF…');
  }
  for (const [name, value] of [
    ['incoterm', trade.incoterm],
    ['incoterm_subtotal', trade.incotermSubtotal],
  ] as const) {
    if (value !== null && !INCOTERM.test(value)) {
      yield finding(RULES['foreign_trade.incoterm'], `${at}/${name}`, 'FOB, CIF…', value);
    }
  }
  for (const [name, value] of [
    ['origin_country', trade.originCountry],
    ['destination_country', trade.destinationCountry],
    ['acquisition_country', trade.acquisitionCountry],
  ] as const) {
    if (value !== null && !COUNTRY.test(value)) {
      yield finding(RULES['foreign_trade.country'], `${at}/${name}`, SOME_COUNTRIES, value);
    }
  }
  yield* checkText(required(`${at}/incoterm_place`, trade.incotermPlace, 300));
  yield* checkText(required(`${at}/loading_port`, trade.loadingPort, 300));
  yield* checkText(required(`${at}/destination_port`, trade.destinationPort, 300));
  if (buyerAddress === null || buyerAddress === '') yield finding(RULES['foreign_trade.buyer_address_missing'], '/buyer_address');
  if (buyerIdType === FINAL_CONSUMER.idType) {
    yield finding(RULES['foreign_trade.final_consumer'], '/buyer_id_type', '04, 05, 06, 08', buyerIdType);
  }
}

/** Concepts of charges of third parties; their amounts are checked with the total. */
export function* checkThirdPartyCharges(content: DocumentContent): Generator<Finding> {
  for (const [index, charge] of content.thirdPartyCharges.entries()) {
    yield* checkText(required(`/third_party_charges/${index}/concept`, charge.concept, 300));
  }
}

/** The trip of an invoice that stands in for a delivery guide. */
export function* checkSubstituteGuide(content: DocumentContent): Generator<Finding> {
  const guide = content.substituteGuide;
  if (guide === null) return;
  const at = '/substitute_guide';
  if (guide.startDate < content.issueDate) {
    yield finding(RULES['substitute_guide.start_date'], `${at}/start_date`, `≥ ${content.issueDate}`, guide.startDate);
  }
  if (guide.endDate < guide.startDate) {
    yield finding(RULES['substitute_guide.end_date'], `${at}/end_date`, `≥ ${guide.startDate}`, guide.endDate);
  }
  yield* checkCarrier(guide, at, content.issueDate);
  yield* checkText(required(`${at}/origin_address`, guide.originAddress, 300));
  yield* checkText(required(`${at}/destination_address`, guide.destinationAddress, 300));
  yield* checkText(required(`${at}/plate`, guide.plate, 20));
  if (guide.destinations.length === 0) yield finding(RULES['substitute_guide.destinations'], `${at}/destinations`);
  for (const [index, destination] of guide.destinations.entries()) {
    const place = `${at}/destinations/${index}`;
    yield* checkText(required(`${place}/reason`, destination.reason, 300));
    yield* checkText({ pointer: `${place}/customs_document`, value: destination.customsDocument, max: 64 });
    yield* checkText({ pointer: `${place}/route`, value: destination.route, max: 300 });
    if (destination.establishment !== null && !ESTABLISHMENT.test(destination.establishment)) {
      const actual = destination.establishment;
      yield finding(RULES['substitute_guide.establishment'], `${place}/establishment`, '000', actual);
    }
  }
}

function* checkCarrier({ carrier }: SubstituteGuide, at: string, issueDate: string): Generator<Finding> {
  yield* checkText(required(`${at}/carrier/name`, carrier.name, 300));
  switch (partyIdProblem(carrier.idType, carrier.id, issueDate)) {
    case 'type':
      yield finding(RULES['substitute_guide.carrier'], `${at}/carrier/id_type`, PARTY_ID_TYPES, carrier.idType);
      break;
    case 'form':
      yield finding(RULES['substitute_guide.carrier'], `${at}/carrier/id`, null, carrier.id);
      break;
    case 'check_digit':
      yield finding(RULES['substitute_guide.carrier_check_digit'], `${at}/carrier/id`, null, carrier.id);
      break;
    case null:
      yield* checkPartyIdText(carrier.id, `${at}/carrier/id`);
  }
}
