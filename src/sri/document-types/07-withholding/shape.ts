import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent } from '../content.js';
import { REIMBURSEMENTS } from '../rules/reimbursements.js';
import { checkStructure, listOf, objectOf, orNull } from '../rules/structure.js';

const SUPPORTING_TAX = objectOf({
  taxCode: 'text',
  taxRateCode: 'text',
  taxableBase: 'decimal',
  tariff: 'decimal',
  taxAmount: 'decimal',
});

const WITHHELD_TAX = objectOf({
  taxCode: 'text',
  withholdingCode: 'text',
  taxableBase: 'decimal',
  rate: 'decimal',
  amount: 'decimal',
  dividend: orNull(objectOf({ paymentDate: 'day', incomeTaxPaid: 'decimal', fiscalYear: 'text' })),
  bananaBoxes: orNull(objectOf({ boxes: 'integer', pricePerBox: 'decimal' })),
});

const SUPPORTING_DOCUMENT = objectOf({
  sustentoCode: 'text',
  documentType: 'text',
  number: 'text',
  issueDate: 'day',
  accountingDate: orNull('day'),
  authorizationNumber: orNull('text'),
  paymentLocation: 'text',
  regimeType: orNull('text'),
  country: orNull('text'),
  treaty: orNull('flag'),
  subtotal: 'decimal',
  total: 'decimal',
  taxes: listOf(SUPPORTING_TAX),
  withholdings: listOf(WITHHELD_TAX),
  payments: listOf(objectOf({ paymentMethodCode: 'text', total: 'decimal' })),
  reimbursements: REIMBURSEMENTS,
});

const WITHHOLDING = objectOf({
  fiscalPeriod: 'text',
  relatedParty: 'flag',
  subjectType: orNull('text'),
  supportingDocuments: listOf(SUPPORTING_DOCUMENT),
});

/** The full form has the form that the rules take for granted. */
export function checkWithholdingShape({ withholding }: DocumentContent): Iterable<Finding> {
  return checkStructure(withholding, orNull(WITHHOLDING), '/withholding');
}
