import type { Finding } from '../../../shared/finding.js';
import { lookup } from '../../tables/code-table.js';
import { PERSON_KINDS, SOME_COUNTRIES, SUPPORTING_NOTES } from '../../tables/supporting-documents.js';
import type { Reimbursement } from '../content.js';
import { checkPartyIdText, PARTY_ID_TYPES, partyIdProblem, rucOf } from './identification.js';
import { defineRules, excerpt, finding, repeated } from './rule.js';
import { listOf, objectOf, orNull, type Structure } from './structure.js';
import { checkSupport } from './supporting-reference.js';
import { checkTaxEntry, checkTaxOfOther, type Holder } from './tax-entry.js';

const ANNEX_5 = 'Ficha técnica 2.32, anexo 5';

const RULES = defineRules({
  'reimbursement.supplier_id_type': {
    es: 'Tipo de identificación del proveedor desconocido o consumidor final',
    en: "Unknown type of the supplier's identification, or the final consumer",
    reference: `${ANNEX_5} y tabla 6`,
  },
  'reimbursement.supplier_id': {
    es: 'La identificación del proveedor no tiene la forma de su tipo',
    en: "The supplier's identification does not have the form of its type",
    reference: `${ANNEX_5} y tabla 6`,
  },
  'reimbursement.supplier_check_digit': {
    severity: 'warning',
    es: 'El dígito verificador de la identificación del proveedor no coincide',
    en: "The check digit of the supplier's identification does not match",
    reference: 'Ficha técnica 2.32, mensaje 62',
  },
  'reimbursement.supplier_type': {
    es: 'El proveedor es persona natural (01) o sociedad (02)',
    en: 'The supplier is a natural person (01) or a company (02)',
    reference: 'Ficha técnica 2.32, tabla 26',
  },
  'reimbursement.country': {
    es: 'El país lleva tres dígitos',
    en: 'The country has three digits',
    reference: 'Ficha técnica 2.32, tabla 25',
  },
  'reimbursement.repeated': {
    severity: 'warning',
    es: 'Este documento reembolsado ya está en la lista: verifique que no conste dos veces',
    en: 'This reimbursed document is listed already: verify that it is not told twice',
    reference: ANNEX_5,
  },
  'reimbursement.taxes': {
    es: 'Cada documento reembolsado dice sus impuestos',
    en: 'Each reimbursed document tells its taxes',
    reference: ANNEX_5,
  },
});

const TAX: Structure = objectOf({
  taxCode: 'text',
  taxRateCode: 'text',
  taxableBase: 'decimal',
  rate: 'decimal',
  taxAmount: 'decimal',
  tariff: orNull('decimal'),
});

/** Form of `reimbursements`. */
export const REIMBURSEMENTS: Structure = listOf(
  objectOf({
    supplierIdType: 'text',
    supplierId: 'text',
    supplierCountry: orNull('text'),
    supplierType: 'text',
    documentType: 'text',
    documentNumber: 'text',
    issueDate: 'day',
    authorizationNumber: 'text',
    taxes: listOf(TAX),
  }),
);

/** Three digits of table 25. The table at hand is an excerpt, so only the form is checked. */
export const COUNTRY = /^[0-9]{3}$/;

/**
 * Documents paid on behalf of another: supplier, number, date, authorization and taxes
 * at the rates of each document's own day.
 *
 * @param at JSON Pointer of the list
 * @param issueDate day of the document that claims them
 */
export function* checkReimbursements(
  entries: readonly Reimbursement[],
  at: string,
  issueDate: string,
  holder: Holder = {},
): Generator<Finding> {
  const identity = ({ supplierId, documentType, documentNumber }: Reimbursement): string => `${supplierId}/${documentType}/${documentNumber}`;
  for (const [{ documentNumber }, index] of repeated(entries, identity)) {
    yield finding(RULES['reimbursement.repeated'], `${at}/${index}/document_number`, null, excerpt(documentNumber));
  }
  for (const [index, entry] of entries.entries()) yield* checkReimbursement(entry, `${at}/${index}`, issueDate, holder);
}

function* checkReimbursement(entry: Reimbursement, at: string, issueDate: string, holder: Holder): Generator<Finding> {
  yield* checkSupplier(entry, at, issueDate);
  yield* checkSupport(
    {
      documentType: entry.documentType,
      number: entry.documentNumber,
      authorizationNumber: entry.authorizationNumber,
      issueDate: entry.issueDate,
      sellerRuc: rucOf(entry.supplierIdType, entry.supplierId),
    },
    {
      documentType: `${at}/document_type`,
      number: `${at}/document_number`,
      authorizationNumber: `${at}/authorization_number`,
      issueDate: `${at}/issue_date`,
    },
    issueDate,
  );
  if (entry.taxes.length === 0) yield finding(RULES['reimbursement.taxes'], `${at}/taxes`);
  for (const [index, tax] of entry.taxes.entries()) {
    const place = `${at}/taxes/${index}`;
    const pointers = {
      taxCode: `${place}/tax_code`,
      rateCode: `${place}/tax_rate_code`,
      rate: `${place}/rate`,
      tariff: `${place}/tariff`,
      amount: `${place}/tax_amount`,
    };
    const rate = yield* checkTaxEntry(tax, pointers, entry.issueDate, { ...holder, isNote: SUPPORTING_NOTES.includes(entry.documentType) });
    if (rate !== null) yield* checkTaxOfOther(tax, rate, pointers);
  }
}

function* checkSupplier(entry: Reimbursement, at: string, issueDate: string): Generator<Finding> {
  switch (partyIdProblem(entry.supplierIdType, entry.supplierId, issueDate)) {
    case 'type':
      yield finding(RULES['reimbursement.supplier_id_type'], `${at}/supplier_id_type`, PARTY_ID_TYPES, entry.supplierIdType);
      break;
    case 'form':
      yield finding(RULES['reimbursement.supplier_id'], `${at}/supplier_id`, null, entry.supplierId);
      break;
    case 'check_digit':
      yield finding(RULES['reimbursement.supplier_check_digit'], `${at}/supplier_id`, null, entry.supplierId);
      break;
    case null:
      yield* checkPartyIdText(entry.supplierId, `${at}/supplier_id`);
  }
  if (entry.supplierCountry !== null && !COUNTRY.test(entry.supplierCountry)) {
    yield finding(RULES['reimbursement.country'], `${at}/supplier_country`, SOME_COUNTRIES, entry.supplierCountry);
  }
  if (lookup(PERSON_KINDS, entry.supplierType, issueDate) === undefined) {
    yield finding(RULES['reimbursement.supplier_type'], `${at}/supplier_type`, '01, 02', entry.supplierType);
  }
}
