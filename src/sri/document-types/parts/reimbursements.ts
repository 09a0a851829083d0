import { money, sum } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { REIMBURSEMENT_DOCUMENT } from '../../tables/supporting-documents.js';
import { element, group, optional, optionalGroup } from '../../xml/canonical.js';
import type { DocumentTax, Reimbursement } from '../content.js';
import { tariffOf } from '../rules/tax-entry.js';

/** The four elements of the header that announce reimbursements (invoice and settlement); nothing without any. */
export function reimbursementTotals(reimbursements: readonly Reimbursement[]): string {
  if (reimbursements.length === 0) return '';
  return element('codDocReembolso', REIMBURSEMENT_DOCUMENT) + reimbursementSums(reimbursements);
}

/** Those three of them that a withholding has too. */
export function reimbursementSums(reimbursements: readonly Reimbursement[]): string {
  if (reimbursements.length === 0) return '';
  const taxes = reimbursements.flatMap((document) => document.taxes);
  const base = sum(taxes.map((tax) => tax.taxableBase));
  const amount = sum(taxes.map((tax) => tax.taxAmount));
  return (
    element('totalComprobantesReembolso', money(base.plus(amount))) +
    element('totalBaseImponibleReembolso', money(base)) +
    element('totalImpuestoReembolso', money(amount))
  );
}

/** `reembolsos` of the invoice and the settlement: one entry per reimbursed document. */
export function reimbursements(entries: readonly Reimbursement[]): string {
  return reimbursementsIn({ authorization: 'numeroautorizacionDocReemb', tariff: tariffOf }, entries);
}

/** What the schemas of the types do differently in a reimbursement: the authorization's name, how a tariff is written. */
interface ReimbursementForm {
  readonly authorization: string;
  readonly tariff: (tax: DocumentTax) => string;
}

/** `reembolsos` in the form of a type. */
export function reimbursementsIn(form: ReimbursementForm, entries: readonly Reimbursement[]): string {
  return optionalGroup('reembolsos', ...entries.map((entry) => reimbursement(form, entry)));
}

function reimbursement(form: ReimbursementForm, entry: Reimbursement): string {
  const [establishment = '', emissionPoint = '', sequential = ''] = entry.documentNumber.split('-');
  return group(
    'reembolsoDetalle',
    element('tipoIdentificacionProveedorReembolso', entry.supplierIdType),
    element('identificacionProveedorReembolso', entry.supplierId),
    optional('codPaisPagoProveedorReembolso', entry.supplierCountry),
    element('tipoProveedorReembolso', entry.supplierType),
    element('codDocReembolso', entry.documentType),
    element('estabDocReembolso', establishment),
    element('ptoEmiDocReembolso', emissionPoint),
    element('secuencialDocReembolso', sequential),
    element('fechaEmisionDocReembolso', toSriDate(entry.issueDate)),
    element(form.authorization, entry.authorizationNumber),
    group(
      'detalleImpuestos',
      ...entry.taxes.map((tax) =>
        group(
          'detalleImpuesto',
          element('codigo', tax.taxCode),
          element('codigoPorcentaje', tax.taxRateCode),
          element('tarifa', form.tariff(tax)),
          element('baseImponibleReembolso', tax.taxableBase),
          element('impuestoReembolso', tax.taxAmount),
        ),
      ),
    ),
  );
}

const ENTRY = 'reembolsos/reembolsoDetalle';
const AT = '/reimbursements/{reembolsoDetalle}';

/** Where the elements of reimbursements come from in a request. */
export const REIMBURSEMENT_POINTERS: Readonly<Record<string, string>> = {
  reembolsos: '/reimbursements',
  [ENTRY]: AT,
  [`${ENTRY}/tipoIdentificacionProveedorReembolso`]: `${AT}/supplier_id_type`,
  [`${ENTRY}/identificacionProveedorReembolso`]: `${AT}/supplier_id`,
  [`${ENTRY}/codPaisPagoProveedorReembolso`]: `${AT}/supplier_country`,
  [`${ENTRY}/tipoProveedorReembolso`]: `${AT}/supplier_type`,
  [`${ENTRY}/codDocReembolso`]: `${AT}/document_type`,
  [`${ENTRY}/estabDocReembolso`]: `${AT}/document_number`,
  [`${ENTRY}/ptoEmiDocReembolso`]: `${AT}/document_number`,
  [`${ENTRY}/secuencialDocReembolso`]: `${AT}/document_number`,
  [`${ENTRY}/fechaEmisionDocReembolso`]: `${AT}/issue_date`,
  [`${ENTRY}/numeroautorizacionDocReemb`]: `${AT}/authorization_number`,
  [`${ENTRY}/detalleImpuestos`]: `${AT}/taxes`,
  [`${ENTRY}/detalleImpuestos/detalleImpuesto`]: `${AT}/taxes/{detalleImpuesto}`,
};
