import type { Decimal } from 'decimal.js';
import { BANANA_CODES } from '../../../sri/tables/withholding.js';
import { ivaRate } from '../arithmetic/iva-rates.js';
import { reimbursementDifferences } from '../arithmetic/reimbursements.js';
import { agree, agreeByLines, amount, cents, difference, sumOf, TOLERANCE } from '../arithmetic/totals.js';
import { withheldDifferences } from '../arithmetic/withheld.js';
import { child, children, type Element, textAt } from '../xml/element.js';
import { type DocumentReading, required } from './document-reading.js';

const INCOME_TAX = '1';
const IVA = '2';
const DIVIDENDS = '10';
const REIMBURSEMENT = '41';
const ABROAD = '02';
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
  structureProblem: (root) =>
    supportsOf(root)
      .map(supportProblem)
      .find((problem) => problem !== null) ?? null,
  differences: (root) => {
    const info = child(root, 'infoCompRetencion');
    const issued = required(info, 'fechaEmision');
    return [
      ...subjectDifferences(info),
      ...children(child(root, 'impuestos'), 'impuesto').flatMap((entry) =>
        withheldDifferences(entry, [issued, required(entry, 'fechaEmisionDocSustento')]),
      ),
      ...supportsOf(root).flatMap((support) => supportDifferences(support, issued)),
    ];
  },
};

const supportsOf = (root: Element): readonly Element[] => children(child(root, 'docsSustento'), 'docSustento');
const withheldOf = (support: Element): readonly Element[] => children(child(support, 'retenciones'), 'retencion');

function subjectDifferences(info: Element | null): readonly string[] {
  const foreign = textAt(info, 'tipoIdentificacionSujetoRetenido') === FOREIGN_ID;
  return textAt(info, 'tipoSujetoRetenido') !== null && !foreign
    ? ['tipoSujetoRetenido solo corresponde a identificaciones del exterior']
    : [];
}

/** Elements that the schema leaves optional and the annex demands in the cases that they are for. */
function supportProblem(support: Element): string | null {
  const missing = (name: string): string => `Error en estructura de comprobante: falta ${name}`;
  const has = (name: string): boolean => child(support, name) !== null;
  if (textAt(support, 'pagoLocExt') === ABROAD) {
    const absent = ['tipoRegi', 'paisEfecPago'].find((name) => !has(name));
    if (absent !== undefined) return missing(absent);
  }
  if (textAt(support, 'codDocSustento') === REIMBURSEMENT && !has('reembolsos')) return missing('reembolsos');
  for (const entry of withheldOf(support)) {
    if (textAt(entry, 'codigo') !== INCOME_TAX) continue;
    if (textAt(support, 'codSustento') === DIVIDENDS && child(entry, 'dividendos') === null)
      return missing('dividendos');
    const code = textAt(entry, 'codigoRetencion') ?? '';
    if (BANANA_CODES.includes(code) && child(entry, 'compraCajBanano') === null) return missing('compraCajBanano');
  }
  return null;
}

function supportDifferences(support: Element, issued: string): readonly string[] {
  const day = required(support, 'fechaEmisionDocSustento');
  const withheld = withheldOf(support);
  const found = withheld.flatMap((entry) => withheldDifferences(entry, [issued, day]));
  const compare = (what: string, printed: Decimal, computed: Decimal): void => {
    if (!agree(printed, computed)) found.push(difference(what, printed, computed));
  };
  const bases = (tax: string): Decimal =>
    sumOf(
      withheld
        .filter((entry) => textAt(entry, 'codigo') === tax)
        .map((entry) => amount(required(entry, 'baseImponible'))),
    );
  const net = amount(required(support, 'totalSinImpuestos'));
  compare('El total sin impuestos del documento', net, bases(INCOME_TAX));
  const taxes = children(child(support, 'impuestosDocSustento'), 'impuestoDocSustento');
  const iva = taxes.filter((tax) => textAt(tax, 'codImpuestoDocSustento') === IVA);
  for (const tax of iva) {
    const rate = ivaRate(required(tax, 'codigoPorcentaje'), day);
    if (rate === null || !amount(required(tax, 'tarifa')).equals(rate)) {
      found.push(`El código de porcentaje de IVA ${required(tax, 'codigoPorcentaje')} no corresponde a la tarifa`);
    } else {
      const computed = cents(amount(required(tax, 'baseImponible')).times(rate).dividedBy(100));
      const printed = amount(required(tax, 'valorImpuesto'));
      if (!agreeByLines(printed, computed)) found.push(difference('El IVA del documento', printed, computed));
    }
  }
  if (withheld.some((entry) => textAt(entry, 'codigo') === IVA)) {
    const charged = sumOf(iva.map((tax) => amount(required(tax, 'valorImpuesto'))));
    // Less is no difference: only the bases of income tax have a sum to meet.
    if (bases(IVA).greaterThan(charged.plus(TOLERANCE))) found.push(difference('El IVA base de las retenciones', bases(IVA), charged));
  }
  // The total is the purchase's own: tip, freight, others' charges and refunded IVA are in it, and in no field of their own.
  const total = amount(required(support, 'importeTotal'));
  const payments = children(child(support, 'pagos'), 'pago').map((payment) => amount(required(payment, 'total')));
  compare('La suma de los pagos', sumOf(payments), total);
  return [...found, ...reimbursementDifferences(support, support)];
}
