import { dec, money } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { element, group, optional, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot, Numbering } from '../document.js';
import { additionalInfo, yesNo } from '../parts/additional-info.js';
import { payments, paymentPointers } from '../parts/goods.js';
import { modifiedDocument, modifiedDocumentPointers } from '../parts/modified-document.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';
import { tariffOf } from '../rules/tax-entry.js';

export const ROOT = 'notaDebito';
export const VERSION = '1.0.0';

/** The `notaDebito` element, canonical: taxes only in the header, and motives where other types have lines. */
export function buildDebitNote(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string {
  return withAttributes(
    ROOT,
    { id: 'comprobante', version: VERSION },
    taxInformation(content, issuer, numbering) +
      information(content, issuer) +
      group(
        'motivos',
        ...content.lines.map((line) =>
          group('motivo', element('razon', line.description), element('valor', line.subtotal)),
        ),
      ) +
      additionalInfo(content, issuer),
  );
}

function information(content: DocumentContent, issuer: IssuerSnapshot): string {
  return group(
    'infoNotaDebito',
    element('fechaEmision', toSriDate(content.issueDate)),
    optional('dirEstablecimiento', issuer.establishmentAddress),
    element('tipoIdentificacionComprador', content.buyerIdType ?? ''),
    element('razonSocialComprador', content.buyerName ?? ''),
    element('identificacionComprador', content.buyerId ?? ''),
    optional('contribuyenteEspecial', issuer.specialTaxpayer),
    yesNo('obligadoContabilidad', issuer.keepsAccounts),
    modifiedDocument(content),
    element('totalSinImpuestos', money(dec(content.subtotal).minus(content.totalDiscount))),
    group(
      'impuestos',
      ...content.taxes.map((tax) =>
        group(
          'impuesto',
          element('codigo', tax.taxCode),
          element('codigoPorcentaje', tax.taxRateCode),
          element('tarifa', tariffOf(tax)),
          element('baseImponible', tax.taxableBase),
          element('valor', tax.taxAmount),
        ),
      ),
    ),
    element('valorTotal', content.total),
    payments(content.payments),
  );
}

/** Where the elements of the debit note come from in a request. */
export const DEBIT_NOTE_POINTERS: Readonly<Record<string, string>> = {
  ...TAX_INFORMATION_POINTERS,
  ...modifiedDocumentPointers('infoNotaDebito'),
  ...paymentPointers('infoNotaDebito'),
  'infoNotaDebito/totalSinImpuestos': '/subtotal',
  'infoNotaDebito/impuestos': '/taxes',
  'infoNotaDebito/impuestos/impuesto': '/taxes/{impuesto}',
  'infoNotaDebito/valorTotal': '/total',
  motivos: '/lines',
  'motivos/motivo': '/lines/{motivo}',
  'motivos/motivo/razon': '/lines/{motivo}/description',
  'motivos/motivo/valor': '/lines/{motivo}/subtotal',
  infoAdicional: '/additional_info',
  'infoAdicional/campoAdicional': '/additional_info/{campoAdicional}',
};
