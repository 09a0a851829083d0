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

/** 03 liquidación de compra de bienes y prestación de servicios. */
export const purchaseSettlement: DocumentReading = {
  code: '03',
  rootElement: 'liquidacionCompra',
  hasIssueWindow: true,
  issueDate: (root) => required(root, 'infoLiquidacionCompra', 'fechaEmision'),
  receivers: (root) => [
    {
      idType: textAt(root, 'infoLiquidacionCompra', 'tipoIdentificacionProveedor'),
      id: required(root, 'infoLiquidacionCompra', 'identificacionProveedor'),
    },
  ],
  supports: () => [],
  structureProblem: (root) => saleStructureProblem(root, child(root, 'infoLiquidacionCompra'), 'codigoPrincipal'),
  differences: (root) => {
    const info = child(root, 'infoLiquidacionCompra');
    const sums = differences({
      lines: readLines(root),
      taxes: children(descend(info, 'totalConImpuestos'), 'totalImpuesto').map(readTax),
      net: required(info, 'totalSinImpuestos'),
      discount: required(info, 'totalDescuento'),
      tip: null,
      extras: [],
      total: required(info, 'importeTotal'),
      payments: readPayments(info),
      ratesOn: required(info, 'fechaEmision'),
    });
    return [...sums, ...reimbursementDifferences(info, root)];
  },
};
