import type { Decimal } from 'decimal.js';
import { ivaRate } from '../arithmetic/iva-rates.js';
import { agree, amount, cents, difference, sumOf, type Tax, TOLERANCE } from '../arithmetic/totals.js';
import { child, children, textAt } from '../xml/element.js';
import { type DocumentReading, readPayments, readTax, required } from './document-reading.js';

/** 05 nota de débito: reasons instead of lines, taxes only in the header. */
export const debitNote: DocumentReading = {
  code: '05',
  rootElement: 'notaDebito',
  hasIssueWindow: true,
  issueDate: (root) => required(root, 'infoNotaDebito', 'fechaEmision'),
  receivers: (root) => [
    {
      idType: textAt(root, 'infoNotaDebito', 'tipoIdentificacionComprador'),
      id: required(root, 'infoNotaDebito', 'identificacionComprador'),
    },
  ],
  supports: (root) => [
    {
      issuer: null,
      documentType: required(root, 'infoNotaDebito', 'codDocModificado'),
      number: required(root, 'infoNotaDebito', 'numDocModificado'),
    },
  ],
  structureProblem: () => null,
  differences: (root) => {
    const info = child(root, 'infoNotaDebito');
    const taxes = children(child(info, 'impuestos'), 'impuesto').map(readTax);
    const net = amount(required(info, 'totalSinImpuestos'));
    const total = amount(required(info, 'valorTotal'));
    const found: string[] = [];
    const compare = (what: string, printed: typeof net, computed: typeof net): void => {
      if (!agree(printed, computed)) found.push(difference(what, printed, computed));
    };
    const reasons = children(child(root, 'motivos'), 'motivo').map((reason) => amount(required(reason, 'valor')));
    compare('El total sin impuestos', net, sumOf(reasons));
    for (const tax of taxes.filter(({ code }) => code === '2')) {
      const rate = ivaRate(tax.rateCode, required(info, 'fechaEmisionDocSustento'));
      if (rate === null || !amount(tax.rate).equals(rate)) {
        found.push(`El código de porcentaje de IVA ${tax.rateCode} no corresponde a la tarifa`);
      } else {
        compare('El IVA', amount(tax.amount), cents(amount(tax.base).times(rate).dividedBy(100)));
      }
    }
    found.push(...baseDifferences(net, taxes));
    const taxed = sumOf(taxes.map((tax) => amount(tax.amount).minus(amount(tax.refund))));
    compare('El valor total', total, net.plus(taxed));
    const payments = readPayments(info);
    if (payments.length > 0) compare('La suma de los pagos', sumOf(payments.map(amount)), total);
    return found;
  },
};

/** Every reason is taxed by one IVA group, on top of its ICE; groups may each be a cent off. */
function baseDifferences(net: Decimal, taxes: readonly Tax[]): readonly string[] {
  const found: string[] = [];
  const groups = new Set(taxes.map(({ code, rateCode }) => `${code}/${rateCode}`));
  if (groups.size < taxes.length) found.push('Un impuesto y tarifa están en dos entradas');
  const iva = taxes.filter(({ code }) => code === '2');
  const bases = sumOf(iva.map(({ base }) => amount(base)));
  const ice = sumOf(taxes.filter(({ code }) => code === '3').map((tax) => amount(tax.amount)));
  if (
    bases
      .minus(net)
      .minus(ice)
      .abs()
      .greaterThan(TOLERANCE.times(Math.max(1, taxes.length)))
  ) {
    found.push(difference('La base del IVA', bases, net.plus(ice)));
  }
  return found;
}
