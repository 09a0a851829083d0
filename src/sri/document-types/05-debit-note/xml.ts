import { element, group, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { Numbering } from '../document-type.js';
import { additionalInfo } from '../parts/additional-info.js';
import { payments, paymentPointers, taxEntry } from '../parts/goods.js';
import { noteInformation, noteInformationPointers } from '../parts/modified-document.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';

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
    noteInformation(content, issuer),
    group('impuestos', ...content.taxes.map(taxEntry)),
    element('valorTotal', content.total),
    payments(content.payments),
  );
}

/** Where the elements of the debit note come from in a request. */
export const DEBIT_NOTE_POINTERS: Readonly<Record<string, string>> = {
  ...TAX_INFORMATION_POINTERS,
  ...noteInformationPointers('infoNotaDebito'),
  ...paymentPointers('infoNotaDebito'),
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
