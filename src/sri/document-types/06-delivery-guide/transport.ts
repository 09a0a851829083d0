import type { Finding } from '../../../shared/finding.js';
import type { Carrier, DocumentContent, Transport } from '../content.js';
import { checkPartyIdText, PARTY_ID_TYPES, partyIdProblem, type PartyIdProblem } from '../rules/identification.js';
import { isUsualPlate, USUAL_PLATE } from '../rules/plate.js';
import { defineRules, excerpt, finding, type Rule } from '../rules/rule.js';
import { checkStructure, listOf, objectOf, orNull } from '../rules/structure.js';
import { checkText } from '../rules/texts.js';

const STRUCTURE = 'Ficha técnica 2.32, anexo 3 (guía de remisión)';
const TABLE_6 = 'Ficha técnica 2.32, tabla 6';

const RULES = defineRules({
  'carrier.id_type': {
    es: 'Tipo de identificación del transportista desconocido o consumidor final',
    en: 'Identification type of the carrier unknown, or final consumer',
    reference: TABLE_6,
  },
  'carrier.id': {
    es: 'La identificación del transportista no tiene la forma de su tipo',
    en: "The carrier's identification does not have the form of its type",
    reference: TABLE_6,
  },
  'carrier.check_digit': {
    severity: 'warning',
    es: 'El dígito verificador de la identificación del transportista no coincide',
    en: "The check digit of the carrier's identification does not match",
    reference: 'Ficha técnica 2.32, mensaje 62',
  },
  'transport.start_date': {
    es: 'El transporte empieza el día de emisión de la guía: la clave de acceso lleva esa fecha',
    en: "The trip starts on the guide's issue date: the access key carries that day",
    reference: 'Ficha técnica 2.32, tabla 1 y mensaje 82',
  },
  'transport.end_date': {
    es: 'El transporte termina antes de empezar',
    en: 'The trip ends before it starts',
    reference: 'Ficha técnica 2.32, mensaje 82',
  },
  'transport.plate_unusual': {
    severity: 'warning',
    es: 'La placa no tiene la forma de una ecuatoriana; se envía tal cual',
    en: 'The plate does not have the form of an Ecuadorian one; it is sent as it is',
    reference: 'Ficha técnica 2.32, tabla 29',
  },
  'transport.establishment': {
    es: 'El código de establecimiento de destino tiene tres dígitos',
    en: 'The code of the destination establishment has three digits',
    reference: STRUCTURE,
  },
});

const ESTABLISHMENT = /^[0-9]{3}$/;

const SUPPORT = objectOf({
  documentType: 'text',
  number: 'text',
  authorizationNumber: orNull('text'),
  issueDate: 'day',
});

const TRANSPORT = objectOf({
  originAddress: 'text',
  carrier: objectOf({ idType: 'text', id: 'text', name: 'text' }),
  startDate: 'day',
  endDate: 'day',
  plate: 'text',
  route: orNull('text'),
  destinationEstablishment: orNull('text'),
  customsDocument: orNull('text'),
  destinations: listOf(
    objectOf({
      id: 'text',
      name: 'text',
      address: 'text',
      reason: 'text',
      route: orNull('text'),
      establishment: orNull('text'),
      customsDocument: orNull('text'),
      supportingDocument: orNull(SUPPORT),
      lineNumbers: listOf('integer'),
    }),
  ),
});

/** The trip has the form that the rules take for granted. */
export function checkTransportShape({ transport }: DocumentContent): Iterable<Finding> {
  return checkStructure(transport, orNull(TRANSPORT), '/transport');
}

/** The trip itself: carrier, days, vehicle, texts. */
export function* checkTransport(transport: Transport, issueDate: string): Generator<Finding> {
  yield* checkCarrier(transport.carrier, issueDate);
  if (transport.startDate !== issueDate) {
    yield finding(RULES['transport.start_date'], '/transport/start_date', issueDate, transport.startDate);
  }
  if (transport.endDate < transport.startDate) {
    yield finding(RULES['transport.end_date'], '/transport/end_date', `≥ ${transport.startDate}`, transport.endDate);
  }
  if (transport.plate !== '' && !isUsualPlate(transport.plate)) {
    yield finding(RULES['transport.plate_unusual'], '/transport/plate', USUAL_PLATE, excerpt(transport.plate));
  }
  yield* checkEstablishment(transport.destinationEstablishment, '/transport/destination_establishment');
  yield* checkText({ pointer: '/transport/origin_address', value: transport.originAddress, max: 300, required: true });
  yield* checkText({ pointer: '/transport/carrier/name', value: transport.carrier.name, max: 300, required: true });
  yield* checkText({ pointer: '/transport/plate', value: transport.plate, max: 20, required: true });
  yield* checkText({ pointer: '/transport/route', value: transport.route, max: 300 });
  yield* checkText({ pointer: '/transport/customs_document', value: transport.customsDocument, max: 20 });
}

const CARRIER_RULES: Readonly<Record<PartyIdProblem, readonly [Rule, string]>> = {
  type: [RULES['carrier.id_type'], '/transport/carrier/id_type'],
  form: [RULES['carrier.id'], '/transport/carrier/id'],
  check_digit: [RULES['carrier.check_digit'], '/transport/carrier/id'],
};

function* checkCarrier({ idType, id }: Carrier, issueDate: string): Generator<Finding> {
  const problem = partyIdProblem(idType, id, issueDate);
  if (problem === null) {
    yield* checkPartyIdText(id, '/transport/carrier/id');
    return;
  }
  const [rule, pointer] = CARRIER_RULES[problem];
  yield problem === 'type' ? finding(rule, pointer, PARTY_ID_TYPES, excerpt(idType)) : finding(rule, pointer, null, excerpt(id));
}

/** An establishment of a consignee, `001`; an empty one is left out. */
export function* checkEstablishment(code: string | null, pointer: string): Generator<Finding> {
  if (code !== null && code !== '' && !ESTABLISHMENT.test(code)) {
    yield finding(RULES['transport.establishment'], pointer, '001', excerpt(code));
  }
}
