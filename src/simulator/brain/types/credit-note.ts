import { differences } from '../arithmetic/differences.js';
import { child, children, descend, textAt } from '../xml/element.js';
import { type DocumentReading, readLines, readTax, required } from './document-reading.js';

/** 04 nota de crédito: rates are those of the modified document's day. */
export const creditNote: DocumentReading = {
  code: '04',
  rootElement: 'notaCredito',
  hasIssueWindow: true,
  issueDate: (root) => required(root, 'infoNotaCredito', 'fechaEmision'),
  receivers: (root) => [
    {
      idType: textAt(root, 'infoNotaCredito', 'tipoIdentificacionComprador'),
      id: required(root, 'infoNotaCredito', 'identificacionComprador'),
    },
  ],
  supports: (root) => [
    {
      issuer: null,
      documentType: required(root, 'infoNotaCredito', 'codDocModificado'),
      number: required(root, 'infoNotaCredito', 'numDocModificado'),
    },
  ],
  structureProblem: () => null,
  differences: (root) => {
    const info = child(root, 'infoNotaCredito');
    return differences({
      lines: readLines(root),
      taxes: children(descend(info, 'totalConImpuestos'), 'totalImpuesto').map(readTax),
      net: required(info, 'totalSinImpuestos'),
      discount: null,
      tip: null,
      extras: [],
      total: required(info, 'valorModificacion'),
      payments: null,
      ratesOn: required(info, 'fechaEmisionDocSustento'),
    });
  },
};
