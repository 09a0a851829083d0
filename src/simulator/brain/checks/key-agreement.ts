import { expectedCheckDigit, hasKeyShape, keySegments } from '../access-key-segments.js';
import { type SriMessage, sriMessage } from '../messages.js';
import type { Header } from '../submission.js';

/**
 * Message 58: every segment of the key must repeat the document, and its check
 * digit must be right (ficha técnica, table 1).
 *
 * @param issueDate `dd/mm/yyyy` of the document
 */
export function keyDisagreement(header: Header, issueDate: string): SriMessage | null {
  if (!hasKeyShape(header.accessKey)) return sriMessage('58', 'La clave de acceso no tiene 49 dígitos');
  const key = keySegments(header.accessKey);
  const pairs: readonly (readonly [name: string, inKey: string, inDocument: string])[] = [
    ['fecha de emisión', key.date, issueDate.replaceAll('/', '')],
    ['tipo de comprobante', key.documentType, header.documentType],
    ['RUC', key.ruc, header.ruc],
    ['ambiente', key.environment, header.environment],
    ['establecimiento', key.establishment, header.establishment],
    ['punto de emisión', key.emissionPoint, header.emissionPoint],
    ['secuencial', key.sequential, header.sequential],
    ['tipo de emisión', key.emissionType, header.emissionType],
    ['dígito verificador', key.checkDigit, expectedCheckDigit(header.accessKey)],
  ];
  const wrong = pairs.find(([, inKey, inDocument]) => inKey !== inDocument);
  if (!wrong) return null;
  const [name, inKey, inDocument] = wrong;
  return sriMessage('58', `El campo ${name} de la clave (${inKey}) no coincide con el comprobante (${inDocument})`);
}
