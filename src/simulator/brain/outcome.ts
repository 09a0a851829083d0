import { type SriMessage, sriMessage } from './messages.js';

/** What reception says about one submission. */
export interface ReceptionOutcome {
  /** Null reproduces the answer without `estado` that unparseable XML gets. */
  readonly estado: 'RECIBIDA' | 'DEVUELTA' | null;
  /** Key of the document, `N/A` when it could not be read. */
  readonly accessKey: string;
  /** Empty when received. */
  readonly messages: readonly SriMessage[];
}

/** What authorization says about one key. */
export interface AuthorizationOutcome {
  /** Null when the key of the query is malformed. */
  readonly consultedKey: string | null;
  readonly entries: readonly AuthorizationEntry[];
}

/** One `autorizacion` node. */
export interface AuthorizationEntry {
  /** AUTORIZADO, NO AUTORIZADO, EN PROCESO, RECHAZADA, or whatever a fault rule says. */
  readonly estado: string;
  /** The key, only when authorised. */
  readonly authorizationNumber: string | null;
  readonly authorizedAt: Date | null;
  readonly environment: '1' | '2' | null;
  /** The signed XML exactly as received; null when the SRI no longer shows it. */
  readonly document: string | null;
  readonly messages: readonly SriMessage[];
}

/** What the consultation service says about one key. */
export interface ConsultationOutcome {
  readonly accessKey: string;
  /** `RECHAZADA` when the service refuses the question itself (99); then nothing else is known. */
  readonly refusal: 'RECHAZADA' | null;
  /** AUTORIZADO, NO AUTORIZADO, PENDIENTE DE ANULAR, ANULADO, or whatever a fault rule says. */
  readonly estado: string | null;
  /** The document type in words. */
  readonly documentType: string | null;
  readonly issuerRuc: string | null;
  readonly authorizedAt: Date | null;
  readonly messages: readonly SriMessage[];
}

/** A refusal at reception: nothing is stored. */
export function returned(accessKey: string, messages: readonly SriMessage[]): ReceptionOutcome {
  return { estado: 'DEVUELTA', accessKey, messages };
}

/** Authorization refuses the question itself: no echo, one entry without a document. */
export function refusedQuery(code: string): AuthorizationOutcome {
  const entry: AuthorizationEntry = {
    estado: 'RECHAZADA',
    authorizationNumber: null,
    authorizedAt: null,
    environment: null,
    document: null,
    messages: [sriMessage(code)],
  };
  return { consultedKey: null, entries: [entry] };
}
