import { DomainError } from '../../../shared/domain-error.js';
import { type Decimal, dec, money, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { addMonths } from '../../../shared/guayaquil.js';
import type { DocumentContent, DocumentTax } from '../../../sri/document-types/content.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { FINAL_CONSUMER } from '../../../sri/tables/documents.js';
import { type ActionSubject, allowedActions } from './actions.js';
import { allows, type DocumentStatus } from './lifecycle.js';

const RESOLUTION = 'Res. NAC-DGERCGC25-00000017';

const RULES = defineRules({
  'credit.original_type': { es: 'Solo se acreditan facturas', en: 'Only invoices are credited', reference: RESOLUTION },
  'credit.final_consumer': {
    es: 'No se acreditan facturas a consumidor final',
    en: 'Invoices to a final consumer are not credited',
    reference: RESOLUTION,
  },
  'credit.too_old': {
    es: 'La factura es más antigua que el plazo',
    en: 'The invoice is older than allowed',
    reference: 'Regla de este servicio (CREDIT_NOTE_MAX_AGE_MONTHS); el SRI no fija límite',
  },
  'credit.tax_not_charged': {
    severity: 'warning',
    es: 'La nota, con las que ya tiene la factura, devuelve un impuesto que esta no cobró, o no sobre tanta base',
    en: 'The note, with those that the invoice has already, gives back a tax that it did not charge, or not on so much',
    reference: 'Ficha técnica 2.32, anexo de la nota de crédito',
  },
});

/** What a credit note needs to know of its original. */
export interface Original extends ActionSubject {
  readonly documentType: string;
  /** `YYYY-MM-DD`. */
  readonly issueDate: string;
  readonly buyerIdType: string | null;
}

/**
 * Refuses a credit note that the original does not admit (interface
 * specification 4.6; resolution NAC-DGERCGC25-00000017 on final consumers).
 * @param today     Guayaquil day, `YYYY-MM-DD`
 * @param maxMonths oldest original, in months
 * @param field     of the body, which names the original
 * @throws DomainError INVALID_STATE or FISCAL_RULE_VIOLATED
 */
export function refuseUncreditable(original: Original, today: string, maxMonths: number, field?: NamingField): void {
  if (!allows(original.status, 'credit')) throw originalNotStanding(original, field);
  const at = '/modified_document_id';
  const findings = [
    ...(original.documentType === '01' ? [] : [finding(RULES['credit.original_type'], at, '01', original.documentType)]),
    ...(original.buyerIdType === FINAL_CONSUMER.idType ? [finding(RULES['credit.final_consumer'], at, 'identified buyer', original.buyerIdType)] : []),
    ...tooOld(original.issueDate, today, maxMonths, at),
  ];
  if (findings.length > 0) throw new DomainError('FISCAL_RULE_VIOLATED', findings);
}

/** Refuses an invoice whose day is known and too long ago to be credited (interface specification 4.6); `pointer`: the field of the note's body that is named. */
export function tooOld(issueDate: string | null, today: string, maxMonths: number, pointer: string): Finding[] {
  if (issueDate === null || addMonths(issueDate, maxMonths) >= today) return [];
  return [finding(RULES['credit.too_old'], pointer, `${maxMonths} months`, issueDate)];
}

/** The taxes of an invoice, and of the credit notes that it has. */
export interface Charged {
  readonly taxes: readonly DocumentTax[];
  readonly creditedTaxes: readonly DocumentTax[];
}

/**
 * The taxes of a credit note that its original did not charge, or on a base of which less than that, by more than a cent, is
 * not credited yet. The balance alone would let it give back IVA on what was sold without; why it does so only a person knows.
 */
export function uncharged(note: Pick<DocumentContent, 'taxes'>, { taxes, creditedTaxes }: Charged): Finding[] {
  return note.taxes.flatMap(({ taxCode, taxRateCode, taxableBase, taxAmount }, index) => {
    // No tax is given back: a tip or freight of the invoice, which a note can only have as a line.
    if (dec(taxAmount).isZero()) return [];
    const baseOf = (all: readonly DocumentTax[]): Decimal =>
      sum(all.filter((tax) => tax.taxCode === taxCode && tax.taxRateCode === taxRateCode).map((tax) => tax.taxableBase));
    const left = baseOf(taxes).minus(baseOf(creditedTaxes));
    if (dec(taxableBase).lessThanOrEqualTo(left.plus('0.01'))) return [];
    return [finding(RULES['credit.tax_not_charged'], `/taxes/${index}/taxable_base`, `≤ ${money(left.isNegative() ? dec('0') : left)}`, taxableBase)];
  });
}

/** The refusal of a note to a document whose state does not allow it: state and actions are that document's. */
export const originalNotStanding = (original: ActionSubject, field?: NamingField): DomainError =>
  new DomainError('INVALID_STATE', { reason: 'original_not_standing', ...(field !== undefined && { field }), status: original.status, allowed_actions: allowedActions(original) });

/** Where a body names the document that it modifies or rests on. */
export type NamingField = 'modified_document_id' | 'modified_document_number' | `withholding/supporting_documents/${number}/number`;

/** A credit note that holds part of its original's balance, in the wire's names. */
export interface CreditHolder {
  readonly document_id: string;
  /** `001-002-000000003` */
  readonly number: string;
  readonly status: DocumentStatus;
  readonly total: string;
}

/** The refusal of a credit note for more than its original has left; `available` comes from the database. A refused note in `held_by` can be given up. */
export const creditExceeded = (available: string | null, heldBy: readonly CreditHolder[]): DomainError =>
  new DomainError('CREDIT_EXCEEDS_ORIGINAL', { field: 'total', available, held_by: heldBy });
