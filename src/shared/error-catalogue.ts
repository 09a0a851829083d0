import type { Language } from './language.js';

/**
 * Every error code that leaves the service, once. The exception filter, the
 * OpenAPI document and `docs/errors.md` are derived from this table; `code`
 * values never change their meaning.
 */
export interface ErrorEntry {
  readonly status: number;
  readonly es: string;
  readonly en: string;
  /** What the reader should do next. */
  readonly actionEs: string;
  readonly actionEn: string;
}

const entry = (status: number, es: string, en: string, actionEs: string, actionEn: string): ErrorEntry => ({
  status,
  es,
  en,
  actionEs,
  actionEn,
});

export const ERROR_CATALOGUE = {
  MALFORMED_REQUEST: entry(400, 'La petición no se puede leer', 'The request cannot be read', 'Corrija lo que detail señala y reenvíe', 'Correct what detail points at and send again'),
  INVALID_PAYLOAD: entry(400, 'Faltan campos obligatorios', 'Required fields are missing', 'Complete los campos señalados en detail', 'Fill in the fields named in detail'),
  FISCAL_RULE_VIOLATED: entry(400, 'El documento incumple reglas fiscales', 'The document breaks fiscal rules', 'Corrija cada hallazgo de detail; no se consumió ningún número', 'Correct each finding in detail; no number was consumed'),
  CERTIFICATE_EXPIRED: entry(400, 'El certificado de firma del emisor está caducado', "The issuer's signing certificate is expired", 'Suba un certificado .p12 vigente', 'Upload a valid .p12 certificate'),
  CERTIFICATE_NOT_FOUND: entry(400, 'El emisor no tiene un certificado de firma activo', 'The issuer has no active signing certificate', 'Suba un certificado .p12', 'Upload a .p12 certificate'),
  INVALID_CERTIFICATE: entry(400, 'El archivo no sirve como certificado de firma', 'The file cannot serve as a signing certificate', 'Lea la causa en detail y suba otro archivo', 'Read the cause in detail and upload another file'),
  INVALID_RUC: entry(400, 'El RUC no es válido', 'The RUC is not valid', 'Verifique los 13 dígitos y el dígito verificador', 'Check the 13 digits and the check digit'),
  UNAUTHENTICATED: entry(401, 'Credencial ausente, inválida o revocada', 'Credential missing, invalid or revoked', 'Envíe una clave vigente de este ambiente en X-API-Key, o inicie sesión de nuevo', 'Send a valid key of this environment in X-API-Key, or sign in again'),
  FORBIDDEN: entry(403, 'La credencial no tiene permiso para esta operación', 'The credential lacks permission for this operation', 'Use una credencial con el permiso indicado', 'Use a credential that holds the permission'),
  ISSUER_DISABLED: entry(403, 'El emisor está deshabilitado', 'The issuer is disabled', 'Actívelo con is_active; si disabled_at tiene fecha, lo deshabilitó la plataforma: contacte a soporte', 'Enable it with is_active; where disabled_at has a date, the platform disabled it: contact support'),
  NOT_FOUND: entry(404, 'El recurso no existe', 'The resource does not exist', 'Verifique el identificador; si venía en el cuerpo, detail nombra su campo', 'Check the identifier; if it came in the body, detail names its field'),
  DUPLICATE_IDEMPOTENCY_KEY: entry(409, 'La clave de idempotencia ya se usó con otro contenido', 'The idempotency key was already used with other content', 'Si es la misma venta, lea el documento que detail nombra; si es otra, genere una clave nueva', 'If it is the same sale, read the document that detail names; if it is another, generate a new key'),
  INVALID_STATE: entry(409, 'El estado actual no permite la operación', 'The current state does not allow the operation', 'Consulte en detail el estado y las acciones permitidas', 'See the state and the allowed actions in detail'),
  SEQUENCE_EXHAUSTED: entry(409, 'El secuencial del punto de emisión llegó a 999999999', 'The sequential of the emission point reached 999999999', 'Cree otro punto de emisión o contacte a soporte', 'Create another emission point or contact support'),
  ALREADY_EXISTS: entry(409, 'El recurso ya existe', 'The resource already exists', 'Use el recurso existente o cambie el código', 'Use the existing resource or change the code'),
  CREDIT_EXCEEDS_ORIGINAL: entry(409, 'Las notas de crédito superan el documento original', 'The credit notes exceed the original document', 'Reduzca el valor al saldo disponible, que consta en detail, o corrija o abandone las notas de held_by que el SRI rechazó', 'Lower the amount to the available balance, told in detail, or correct or abandon those notes in held_by that the SRI refused'),
  PAYLOAD_TOO_LARGE: entry(413, 'El cuerpo excede el tamaño permitido', 'The body exceeds the allowed size', 'Envíe menos contenido', 'Send less content'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, 'El tipo de contenido no se admite', 'The media type is not supported', 'Envíe application/json en UTF-8, o la clase de archivo que admite la ruta, sin compresión', 'Send application/json in UTF-8, or the kind of file that the route takes, without compression'),
  VALIDATION_FAILED: entry(422, 'Hay campos con tipo o formato inválido', 'Some fields have an invalid type or format', 'Corrija los campos señalados en detail', 'Correct the fields named in detail'),
  RATE_LIMITED: entry(429, 'Se excedió el límite de peticiones', 'The rate limit was exceeded', 'Espere los segundos de Retry-After', 'Wait the seconds of Retry-After'),
  INTERNAL: entry(500, 'Error interno', 'Internal error', 'Reintente y, si persiste, cite request_id a soporte', 'Try again and, if it persists, quote request_id to support'),
  SRI_UNAVAILABLE: entry(503, 'El SRI no está disponible', 'The SRI is not available', 'Reintente después de Retry-After', 'Try again after Retry-After'),
  SERVICE_UNAVAILABLE: entry(503, 'El servicio no está disponible', 'The service is not available', 'Reintente después de Retry-After', 'Try again after Retry-After'),
  SRI_REJECTED: entry(200, 'El SRI rechazó el documento', 'The SRI refused the document', 'Lea sri_messages; corrija el documento, o envíelo de nuevo una vez resuelta la causa, según suggested_action de detail', 'Read sri_messages; correct the document, or send it again once the cause is settled, as suggested_action in detail says'),
  SEQUENTIAL_TAKEN: entry(200, 'El SRI tiene registrado este secuencial con otra clave de acceso', 'The SRI holds this sequential under another access key', 'Vea en el portal que no es esta misma venta, como puede serlo tras restaurar la base; luego ajuste el contador, abandone este documento y emita otro', 'Look in the portal that it is not this very sale, as it may be after a restore; then raise the counter, abandon this document and issue anew'),
  ISSUER_PAUSED: entry(200, 'El documento espera: el SRI bloqueó al emisor, o parte de él, o dio sus números a otros', 'The document waits: the SRI has blocked the issuer, or part of it, or gave its numbers to others', 'Resuelva la causa, que detail nombra (con sri_code 45, ajuste el contador), y reanude la pausa', 'Settle the cause, which detail names (with sri_code 45 raise the counter), and resume the pause'),
  ANSWER_OVERDUE: entry(200, 'El SRI no resolvió a tiempo', 'The SRI did not decide in time', 'Reconcilie el documento o espere la conciliación diaria', 'Reconcile the document or wait for the daily reconciliation'),
  ATTEMPTS_EXHAUSTED: entry(200, 'Se agotaron los intentos automáticos', 'The automatic attempts are exhausted', 'Revise el historial y use retry', 'Look at the history and use retry'),
  SIGNING_KEY_UNAVAILABLE: entry(200, 'La clave de firma no está disponible por el momento', 'The signing key is not available at the moment', 'Espere: el documento continúa solo', 'Wait: the document goes on by itself'),
  SIGNING_FAILED: entry(200, 'No se pudo construir o firmar el documento', 'The document could not be built or signed', 'Contacte a soporte con el identificador del documento', "Contact support with the document's identifier"),
  ANSWER_MISMATCH: entry(200, 'El SRI tiene autorizado con la clave de este documento, o con la anterior que nombra detail, otro distinto del que consta aquí', 'The SRI has authorized another document than is on record here under the key of this one, or under the former one that detail names', 'No emita la venta de nuevo: vea en el portal qué documento es. Si no debe valer, anúlelo allí y abandone después este', 'Do not issue the sale anew: look in the portal which document it is. If it is not to stand, annul it there and abandon this one afterwards'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** What happened, and what the reader does next. Of a stored code that a later version wrote only the code is known. */
export function messageOf(code: ErrorCode, language: Language): string {
  if (!Object.hasOwn(ERROR_CATALOGUE, code)) return language === 'es' ? `Error ${code}. Consulte su significado en la documentación.` : `Error ${code}. Look its meaning up in the documentation.`;
  const { es, en, actionEs, actionEn } = ERROR_CATALOGUE[code];
  return language === 'es' ? `${es}. ${actionEs}.` : `${en}. ${actionEn}.`;
}
