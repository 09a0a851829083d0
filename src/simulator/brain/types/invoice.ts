import { differences } from '../arithmetic/differences.js';
import { reimbursementDifferences } from '../arithmetic/reimbursements.js';
import { child, children, descend, textAt } from '../xml/element.js';
import {
  type DocumentReading,
  readLines,
  readPayments,
  readTax,
  required,
  saleStructureProblem,
} from './document-reading.js';

const ADDED_OUTSIDE_BASES = ['fleteInternacional', 'seguroInternacional', 'gastosAduaneros', 'gastosTransporteOtros'];

/** 01 factura. */
export const invoice: DocumentReading = {
  code: '01',
  rootElement: 'factura',
  hasIssueWindow: true,
  issueDate: (root) => required(root, 'infoFactura', 'fechaEmision'),
  receivers: (root) => [
    {
      idType: textAt(root, 'infoFactura', 'tipoIdentificacionComprador'),
      id: required(root, 'infoFactura', 'identificacionComprador'),
    },
  ],
  supports: () => [],
  structureProblem: (root) => saleStructureProblem(root, child(root, 'infoFactura'), 'codigoPrincipal'),
  differences: (root) => {
    const info = child(root, 'infoFactura');
    const thirdParties = children(child(root, 'otrosRubrosTerceros'), 'rubro').map((item) => required(item, 'total'));
    const sums = differences({
      lines: readLines(root),
      taxes: children(descend(info, 'totalConImpuestos'), 'totalImpuesto').map(readTax),
      net: required(info, 'totalSinImpuestos'),
      discount: required(info, 'totalDescuento'),
      tip: textAt(info, 'propina'),
      extras: [...ADDED_OUTSIDE_BASES.flatMap((name) => textAt(info, name) ?? []), ...thirdParties],
      total: required(info, 'importeTotal'),
      payments: readPayments(info),
      ratesOn: required(info, 'fechaEmision'),
    });
    return [...sums, ...reimbursementDifferences(info, root)];
  },
};
