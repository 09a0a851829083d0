import { child, children, textAt } from '../xml/element.js';
import { type DocumentReading, required } from './document-reading.js';

/** 06 guía de remisión: no amounts, and the start of the trip stands in for the issue date. */
export const deliveryGuide: DocumentReading = {
  code: '06',
  rootElement: 'guiaRemision',
  hasIssueWindow: false,
  issueDate: (root) => required(root, 'infoGuiaRemision', 'fechaIniTransporte'),
  receivers: (root) =>
    children(child(root, 'destinatarios'), 'destinatario').map((addressee) => ({
      idType: null,
      id: required(addressee, 'identificacionDestinatario'),
    })),
  supports: (root) =>
    children(child(root, 'destinatarios'), 'destinatario').flatMap((addressee) => {
      const documentType = textAt(addressee, 'codDocSustento');
      return documentType === null
        ? []
        : [{ issuer: null, documentType, number: required(addressee, 'numDocSustento') }];
    }),
  structureProblem: () => null,
  differences: () => [],
};
