import { hasKeyShape, keySegments } from './access-key-segments.js';
import { monthCount } from './business-days.js';
import { dayNumberOf, guayaquilDayNumber } from './guayaquil-time.js';
import { type SriMessage, sriMessage } from './messages.js';
import type { ConsultationOutcome } from './outcome.js';
import type { AnnulmentState } from './portal.js';
import type { StoredDocument } from './register.js';

/** The document types in the words of the service. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  '01': 'Factura',
  '03': 'Liquidación de compra',
  '04': 'Nota de crédito',
  '05': 'Nota de débito',
  '06': 'Guía de remisión',
  '07': 'Comprobante de retención',
};

const ESTADO: Readonly<Record<AnnulmentState, string>> = {
  none: 'AUTORIZADO',
  pending: 'PENDIENTE DE ANULAR',
  annulled: 'ANULADO',
};

/**
 * `consultarEstadoAutorizacionComprobante`: the state of a decided document of
 * the current or the previous month (by the issue day in its key); message 99
 * for everything else.
 *
 * @param history every decided attempt under the key, oldest first
 */
export function consultation(
  accessKey: string,
  history: readonly StoredDocument[],
  annulment: AnnulmentState,
  now: Date,
): ConsultationOutcome {
  if (!hasKeyShape(accessKey)) return unanswered(accessKey, 'La clave de acceso no tiene el formato correcto');
  const { date, documentType, ruc } = keySegments(accessKey);
  const day = dayNumberOf(`${date.slice(0, 2)}/${date.slice(2, 4)}/${date.slice(4)}`);
  const age = day === null ? null : monthCount(guayaquilDayNumber(now)) - monthCount(day);
  if (age === null || age < 0 || age > 1) {
    return unanswered(accessKey, 'La fecha del comprobante está fuera del rango permitido');
  }
  const document = history.find(({ authorized }) => authorized) ?? history.at(-1);
  if (!document) return unanswered(accessKey, 'No existen datos para los parámetros ingresados');
  return {
    accessKey,
    refusal: null,
    estado: document.authorized ? ESTADO[annulment] : 'NO AUTORIZADO',
    documentType: TYPE_NAMES[documentType] ?? null,
    issuerRuc: ruc,
    authorizedAt: document.authorized ? document.decidedAt : null,
    messages: [],
  };
}

/** The service refuses the question. */
export function unanswered(accessKey: string, why: string, code = '99'): ConsultationOutcome {
  const message: SriMessage = sriMessage(code, why);
  return {
    accessKey,
    refusal: 'RECHAZADA',
    estado: null,
    documentType: null,
    issuerRuc: null,
    authorizedAt: null,
    messages: [message],
  };
}
