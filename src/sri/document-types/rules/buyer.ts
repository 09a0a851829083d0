import type { Finding } from '../../../shared/finding.js';
import { isFreeId, LONGEST_FREE_ID } from '../../identification.js';
import { lookup } from '../../tables/code-table.js';
import { FINAL_CONSUMER, IDENTIFICATION_TYPES } from '../../tables/documents.js';
import { checkCedula, checkRuc, type TaxpayerIdCheck } from '../../taxpayer-id.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import { defineRules, excerpt, finding, type Rule } from './rule.js';
import { checkText } from './texts.js';

/** `ambiente` of the SRI's test environment. */
const TEST_ENVIRONMENT = '1';

/** Passports and foreign identifications, whose digits cannot be checked. */
const FREE_IDS: readonly string[] = ['06', '08'];

const TABLE_6 = 'Ficha técnica 2.32, tabla 6';

const RULES = defineRules({
  'buyer.incomplete': {
    es: 'Tipo de identificación, identificación y nombre del comprador van juntos',
    en: 'Identification type, identification and name of the buyer go together',
    reference: TABLE_6,
  },
  'buyer.id_type': {
    es: 'Tipo de identificación desconocido',
    en: 'Unknown identification type',
    reference: TABLE_6,
  },
  'buyer.ruc': {
    es: 'La identificación del comprador no tiene la forma de un RUC',
    en: "The buyer's identification does not have the form of a RUC",
    reference: TABLE_6,
  },
  'buyer.cedula': {
    es: 'La identificación del comprador no tiene la forma de una cédula',
    en: "The buyer's identification does not have the form of a cédula",
    reference: TABLE_6,
  },
  'buyer.check_digit': {
    severity: 'warning',
    es: 'El dígito verificador de la identificación del comprador no coincide',
    en: "The check digit of the buyer's identification does not match",
    reference: 'Ficha técnica 2.32, mensaje 62',
  },
  'buyer.passport': {
    es: 'Un pasaporte lleva de 1 a 20 caracteres, sin espacios en los extremos ni caracteres de control',
    en: 'A passport has 1 to 20 characters, without spaces at its ends or control characters',
    reference: TABLE_6,
  },
  'buyer.foreign_id': {
    es: 'Una identificación del exterior lleva de 1 a 20 caracteres, sin espacios en los extremos ni caracteres de control',
    en: 'A foreign identification has 1 to 20 characters, without spaces at its ends or control characters',
    reference: TABLE_6,
  },
  'buyer.final_consumer_id': {
    es: 'La identificación del consumidor final es 9999999999999 y ningún otro tipo la usa',
    en: 'The identification of the final consumer is 9999999999999 and no other type uses it',
    reference: TABLE_6,
  },
  'buyer.final_consumer_name': {
    es: 'El consumidor final se nombra CONSUMIDOR FINAL; en el ambiente de pruebas también PRUEBAS SERVICIO DE RENTAS INTERNAS',
    en: 'The final consumer is named CONSUMIDOR FINAL; in the test environment also PRUEBAS SERVICIO DE RENTAS INTERNAS',
    reference: 'Ficha técnica 2.32, tablas 5 y 6',
  },
  'buyer.final_consumer_unusual': {
    severity: 'warning',
    es: 'El comprador se llama como el consumidor final pero lleva otra identificación: verifique su nombre',
    en: 'The buyer is named like the final consumer but has another identification: verify the name',
    reference: TABLE_6,
  },
  'buyer.final_consumer_banned': {
    es: 'Este documento exige un receptor identificado: no admite consumidor final',
    en: 'This document needs an identified receiver: the final consumer is not admitted',
    reference: 'Ficha técnica 2.32, tabla 6 y mensaje 69',
  },
});

/** The receiver of every type but the invoice is somebody: the final consumer is refused. */
export function* checkIdentifiedBuyer(content: DocumentContent, issuer: IssuerSnapshot): Generator<Finding> {
  if (content.buyerIdType === FINAL_CONSUMER.idType) {
    yield finding(RULES['buyer.final_consumer_banned'], '/buyer_id_type', '04, 05, 06, 08', content.buyerIdType);
  }
  yield* checkBuyer(content, issuer);
}

/** Who the receiver is: complete, of a known type, with an identification of that type's form. */
export function* checkBuyer(content: DocumentContent, issuer: IssuerSnapshot): Generator<Finding> {
  const { buyerIdType, buyerId, buyerName } = content;
  const parts = [
    ['/buyer_id_type', buyerIdType],
    ['/buyer_id', buyerId],
    ['/buyer_name', buyerName],
  ] as const;
  for (const [pointer, value] of parts) {
    if (value === null || value === '') yield finding(RULES['buyer.incomplete'], pointer);
  }
  if (buyerIdType === null || buyerIdType === '') return;
  if (lookup(IDENTIFICATION_TYPES, buyerIdType, content.issueDate) === undefined) {
    yield finding(RULES['buyer.id_type'], '/buyer_id_type', codes(), buyerIdType);
    return;
  }
  if (FREE_IDS.includes(buyerIdType) && buyerName?.trim().toUpperCase() === FINAL_CONSUMER.name) {
    yield finding(RULES['buyer.final_consumer_unusual'], '/buyer_name', null, excerpt(buyerName));
  }
  if (buyerIdType === FINAL_CONSUMER.idType) yield* checkFinalConsumer(buyerId, buyerName, issuer);
  else if (buyerId !== null && buyerId !== '') yield* checkIdentification(buyerIdType, buyerId);
}

function* checkIdentification(type: string, id: string): Generator<Finding> {
  if (id === FINAL_CONSUMER.id) {
    yield finding(RULES['buyer.final_consumer_id'], '/buyer_id_type', FINAL_CONSUMER.idType, type);
    return;
  }
  switch (type) {
    case '04':
      yield* ofTaxpayer(RULES['buyer.ruc'], id, checkRuc(id, { anyEstablishment: true }));
      break;
    case '05':
      yield* ofTaxpayer(RULES['buyer.cedula'], id, checkCedula(id));
      break;
    case '06':
      yield* checkFreeId(RULES['buyer.passport'], id);
      break;
    default:
      yield* checkFreeId(RULES['buyer.foreign_id'], id);
  }
}

function* checkFreeId(rule: Rule, id: string): Generator<Finding> {
  if (isFreeId(id)) yield* checkText({ pointer: '/buyer_id', value: id, max: LONGEST_FREE_ID });
  else yield finding(rule, '/buyer_id', null, id);
}

/** A wrong form is refused; a wrong check digit is what the SRI itself only warns about. */
function* ofTaxpayer(rule: Rule, id: string, check: TaxpayerIdCheck): Generator<Finding> {
  const doubt = check.problem ?? check.warning;
  if (doubt === undefined) return;
  yield finding(doubt === 'check_digit' ? RULES['buyer.check_digit'] : rule, '/buyer_id', null, id);
}

function* checkFinalConsumer(id: string | null, name: string | null, { environment }: IssuerSnapshot): Generator<Finding> {
  if (id !== null && id !== FINAL_CONSUMER.id) {
    yield finding(RULES['buyer.final_consumer_id'], '/buyer_id', FINAL_CONSUMER.id, id);
  }
  const isTestName = name === FINAL_CONSUMER.testName && environment === TEST_ENVIRONMENT;
  if (name !== null && name !== FINAL_CONSUMER.name && !isTestName) {
    yield finding(RULES['buyer.final_consumer_name'], '/buyer_name', FINAL_CONSUMER.name, name);
  }
}

function codes(): string {
  return IDENTIFICATION_TYPES.rows.map((row) => row.code).join(', ');
}
