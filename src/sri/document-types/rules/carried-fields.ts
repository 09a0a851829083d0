import { dec } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, DocumentLine } from '../content.js';
import { defineRules, excerpt, finding } from './rule.js';

const STRUCTURE = 'Ficha técnica 2.32, anexo 3 y los de cada tipo';

const RULES = defineRules({
  'document.unused_field': {
    severity: 'warning',
    es: 'Este tipo de documento no lleva este campo; no se envía al SRI',
    en: 'This document type does not carry this field; it is not sent to the SRI',
    reference: STRUCTURE,
  },
  'document.field_of_other_type': {
    es: 'Este campo es de otro tipo de documento y cambiaría su contenido: no se admite aquí',
    en: 'This field belongs to another document type and would change its content: it is not taken here',
    reference: STRUCTURE,
  },
});

/** Fields of the specification that every request may hold: what a type does not carry is left out, with a warning. */
const COMMON = {
  reason: '/reason',
  modifiedDocumentId: '/modified_document_id',
  modifiedDocumentType: '/modified_document_type',
  modifiedDocumentNumber: '/modified_document_number',
  modifiedDocumentIssueDate: '/modified_document_issue_date',
  payments: '/payments',
} as const;

/** Fields that exist for one or two types: elsewhere they are a mistake that must not pass in silence. */
const OWN = {
  tip: '/tip',
  deliveryGuideNumber: '/delivery_guide_number',
  vehiclePlate: '/vehicle_plate',
  foreignTrade: '/foreign_trade',
  reimbursements: '/reimbursements',
  thirdPartyCharges: '/third_party_charges',
  substituteGuide: '/substitute_guide',
  transport: '/transport',
  withholding: '/withholding',
} as const;

export type OptionalField = keyof typeof COMMON | keyof typeof OWN;

/**
 * Optional fields that a request fills although its type does not carry them.
 *
 * @param carried the optional fields of the type
 */
export function* checkCarriedFields(content: DocumentContent, carried: readonly OptionalField[]): Generator<Finding> {
  const of = <Name extends OptionalField>(fields: Readonly<Record<Name, string>>) =>
    (Object.entries(fields) as [Name, string][]).filter(([name]) => !carried.includes(name) && isTold(content, name));
  for (const [name, pointer] of of(COMMON)) {
    const value = content[name];
    yield finding(RULES['document.unused_field'], pointer, null, typeof value === 'string' ? excerpt(value) : null);
  }
  for (const [, pointer] of of(OWN)) yield finding(RULES['document.field_of_other_type'], pointer);
}

/** A tip of nothing says nothing: typed clients send zero where nobody asked. */
function isTold(content: DocumentContent, name: OptionalField): boolean {
  return name === 'tip' ? content.tip !== null && !dec(content.tip).isZero() : isFilled(content[name]);
}

const LINE_FIELDS = {
  main_code: ({ mainCode }: DocumentLine) => mainCode,
  aux_code: ({ auxCode }: DocumentLine) => auxCode,
  unit_of_measure: ({ unitOfMeasure }: DocumentLine) => unitOfMeasure,
  taxes: ({ taxes }: DocumentLine) => taxes,
  additional_details: ({ additionalDetails }: DocumentLine) => additionalDetails,
} as const;

/** Fields of lines that the XML of a type has no place for: left out, with a warning. */
export function* checkCarriedLineFields(
  content: DocumentContent,
  missing: readonly (keyof typeof LINE_FIELDS)[],
): Generator<Finding> {
  for (const [index, line] of content.lines.entries()) {
    for (const name of missing) {
      if (isFilled(LINE_FIELDS[name](line))) yield finding(RULES['document.unused_field'], `/lines/${index}/${name}`);
    }
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null;
}
