import type { Decimal } from 'decimal.js';
import { agree, amount, cents, difference, sumOf } from '../arithmetic/totals.js';
import { child, children, type Element, textAt } from '../xml/element.js';
import { type DocumentReading, required } from './document-reading.js';

const INCOME_TAX = '1';
const FOREIGN_ID = '08';

/** 07 comprobante de retención: 2.0.0 (per supporting document) and the legacy 1.0.0. */
export const withholding: DocumentReading = {
  code: '07',
  rootElement: 'comprobanteRetencion',
  hasIssueWindow: true,
  issueDate: (root) => required(root, 'infoCompRetencion', 'fechaEmision'),
  receivers: (root) => [
    {
      idType: textAt(root, 'infoCompRetencion', 'tipoIdentificacionSujetoRetenido'),
      id: required(root, 'infoCompRetencion', 'identificacionSujetoRetenido'),
    },
  ],
  supports: (root) => {
    const entries = [
      ...children(child(root, 'docsSustento'), 'docSustento'),
      ...children(child(root, 'impuestos'), 'impuesto'),
    ];
    const issuer = required(root, 'infoCompRetencion', 'identificacionSujetoRetenido');
    return entries.flatMap((entry) => {
      const documentType = textAt(entry, 'codDocSustento');
      return documentType === null ? [] : [{ issuer, documentType, number: required(entry, 'numDocSustento') }];
    });
  },
  structureProblem: () => null,
  differences: (root) => [
    ...subjectDifferences(child(root, 'infoCompRetencion')),
    ...children(child(root, 'impuestos'), 'impuesto').flatMap(withheldDifferences),
    ...children(child(root, 'docsSustento'), 'docSustento').flatMap(supportDifferences),
  ],
};

function subjectDifferences(info: Element | null): readonly string[] {
  const foreign = textAt(info, 'tipoIdentificacionSujetoRetenido') === FOREIGN_ID;
  return textAt(info, 'tipoSujetoRetenido') !== null && !foreign
    ? ['tipoSujetoRetenido solo corresponde a identificaciones del exterior']
    : [];
}

function supportDifferences(support: Element): readonly string[] {
  const withheld = children(child(support, 'retenciones'), 'retencion');
  const found = withheld.flatMap(withheldDifferences);
  const compare = (what: string, printed: Decimal, computed: Decimal): void => {
    if (!agree(printed, computed)) found.push(difference(what, printed, computed));
  };
  const net = amount(required(support, 'totalSinImpuestos'));
  const income = withheld.filter((entry) => textAt(entry, 'codigo') === INCOME_TAX);
  if (income.length > 0) {
    compare(
      'El total sin impuestos del documento',
      net,
      sumOf(income.map((entry) => amount(required(entry, 'baseImponible')))),
    );
  }
  const taxes = children(child(support, 'impuestosDocSustento'), 'impuestoDocSustento');
  const taxed = sumOf(taxes.map((tax) => amount(required(tax, 'valorImpuesto'))));
  const total = amount(required(support, 'importeTotal'));
  compare('El importe total del documento', total, net.plus(taxed));
  const payments = children(child(support, 'pagos'), 'pago').map((payment) => amount(required(payment, 'total')));
  compare('La suma de los pagos', sumOf(payments), total);
  return found;
}

function withheldDifferences(entry: Element): string[] {
  const printed = amount(required(entry, 'valorRetenido'));
  const rate = amount(required(entry, 'porcentajeRetener'));
  const computed = cents(amount(required(entry, 'baseImponible')).times(rate).dividedBy(100));
  return agree(printed, computed) ? [] : [difference('El valor retenido', printed, computed)];
}
