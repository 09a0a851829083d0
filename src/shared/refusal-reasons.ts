import { ERROR_CATALOGUE, type ErrorCode, messageOf } from './error-catalogue.js';
import type { Finding } from './finding.js';
import type { Language } from './language.js';

/** What happened and what to do next, in both languages. */
export interface RefusalReason {
  readonly es: string;
  readonly en: string;
  /** HTTP status of the answer, where it is not that of the code. */
  readonly status?: number;
}

const reason = (es: string, en: string, status?: number): RefusalReason => ({ es, en, ...(status !== undefined && { status }) });

/**
 * Every `detail.reason` of a refusal whose code has several causes: its message takes the place of the code's own, and
 * `docs/errors.md` lists it. A word never changes its meaning. Those of `INVALID_CERTIFICATE` are the checks of a certificate, which
 * `detail.explanation` explains.
 */
export const REFUSAL_REASONS: Partial<Readonly<Record<ErrorCode, Readonly<Record<string, RefusalReason>>>>> = {
  MALFORMED_REQUEST: {
    invalid_json: reason('El cuerpo no es JSON válido. Corrija el lugar que señala detail.', 'The body is not valid JSON. Correct the place that detail names.'),
    too_deep: reason('El JSON está anidado con demasiada profundidad. Envíelo más plano.', 'The JSON is nested too deeply. Send it flatter.'),
    too_many_members: reason('El JSON tiene demasiados miembros. Reparta el contenido en varias peticiones.', 'The JSON has too many members. Split it into several requests.'),
    duplicate_key: reason('El JSON repite una clave en el mismo objeto. Deje una sola.', 'The JSON repeats a key in one object. Leave one.'),
    byte_order_mark: reason('El cuerpo empieza con una marca de orden de bytes. Envíe UTF-8 sin ella.', 'The body begins with a byte order mark. Send UTF-8 without one.'),
    invalid_utf8: reason('El cuerpo no es UTF-8. Codifíquelo en UTF-8.', 'The body is not UTF-8. Encode it in UTF-8.'),
    empty_body: reason('Falta el cuerpo de la petición. Envíelo.', 'The request has no body. Send it.'),
    cut_off: reason('El cuerpo llegó incompleto. Envíelo de nuevo.', 'The body arrived incomplete. Send it again.'),
    too_slow: reason('La petición tardó demasiado en llegar. Envíela de nuevo.', 'The request took too long to arrive. Send it again.', 408),
    too_many_headers: reason('La petición tiene demasiadas cabeceras. Envíe menos.', 'The request has too many headers. Send fewer.'),
    headers_too_large: reason(
      'La dirección y las cabeceras son demasiado grandes en conjunto. Acórtelas; las cookies cuentan.',
      'Address and headers are too large together. Shorten them; cookies count.',
      431,
    ),
    host_missing: reason('La petición no trae la cabecera Host. Envíela.', 'The request has no Host header. Send one.'),
    unknown_expectation: reason('La cabecera Expect pide algo que no se puede cumplir. Quítela, o envíe 100-continue.', 'The Expect header asks for what cannot be met. Leave it out, or send 100-continue.'),
    invalid_http: reason('La petición no es HTTP válido. Revise el cliente.', 'The request is not valid HTTP. Check the client.'),
    path_encoding: reason('La dirección no se puede decodificar. Codifique sus partes con %.', 'The address cannot be decoded. Encode its parts with %.'),
    query_encoding: reason('Los parámetros de la dirección no son UTF-8 codificado con %. Codifíquelos así: ñ es %C3%B1.', 'The parameters of the address are not UTF-8 encoded with %. Encode them so: ñ is %C3%B1.'),
    invalid_form: reason('El formulario no se puede leer. Envíelo como multipart/form-data.', 'The form cannot be read. Send it as multipart/form-data.'),
    unexpected_part: reason('El formulario trae una parte que no se espera. Envíe las que nombra detail.', 'The form holds a part that is not expected. Send those that detail names.'),
    too_many_parts: reason('El formulario trae demasiadas partes. Envíe las que nombra detail.', 'The form holds too many parts. Send those that detail names.'),
    part_without_filename: reason('De este formulario solo se toma una parte con nombre de archivo. Envíe solo la que nombra detail, con filename.', 'Of this form only a part with a filename is taken. Send the one that detail names alone, with a filename.'),
    part_too_long: reason('Una parte del formulario es demasiado larga. Acorte la que nombra detail.', 'A part of the form is too long. Shorten the one that detail names.'),
    invalid_charset: reason(
      'El archivo no está en la codificación indicada (utf-8 si no indica ninguna), o Content-Type y charset indican distintas. Indique la suya en charset de la consulta: una de expected de detail.',
      'The file is not in the encoding that was named (utf-8 where none was), or Content-Type and charset name different ones. Name its own by charset in the query: one of expected of detail.',
    ),
    invalid_csv: reason('El archivo no es CSV válido. Corrija la línea que señala detail.', 'The file is not valid CSV. Correct the line that detail names.'),
  },
  INVALID_CERTIFICATE: {
    // The remedy of all other causes is another file, as the code's own message says.
    wrong_password: reason('La contraseña no abre el archivo. Verifíquela y súbalo de nuevo.', 'The password does not open the file. Check it and upload the file again.'),
  },
  UNAUTHENTICATED: {
    conflicting_credentials: reason(
      'La petición trae más de una credencial. Envíe una sola: X-API-Key, Authorization o la cookie de la sesión.',
      'The request carries more than one credential. Send one of them: X-API-Key, Authorization, or the cookie of the session.',
    ),
    email_or_password: reason('El correo o la contraseña no son correctos, o la cuenta está bloqueada por un rato. Verifíquelos o restablezca la contraseña.', 'The address or the password is wrong, or the account is locked for a while. Check them, or reset the password.'),
    token_invalid: reason('El enlace ya se usó, caducó o lo reemplazó otro. Pida uno nuevo.', 'The link was used, has expired, or was replaced by another. Ask for a new one.'),
    email_unverified: reason('Google no ha verificado este correo. Verifíquelo allí o ingrese con contraseña.', 'Google has not verified this address. Verify it there, or sign in with a password.'),
    cancelled: reason('El ingreso con Google se canceló. Empiece de nuevo si lo desea.', 'The sign-in with Google was cancelled. Begin again if you like.'),
    sign_in_expired: reason('El ingreso con Google caducó, ya se usó o empezó en otro navegador. Empiece de nuevo.', 'The sign-in with Google has expired, was used, or began in another browser. Begin again.'),
  },
  FORBIDDEN: {
    tenant_required: reason('Pertenece a varias empresas. Nombre una en X-Tenant-Id; GET /auth/me las lista.', 'You belong to several tenants. Name one in X-Tenant-Id; GET /auth/me lists them.'),
    tenant_mismatch: reason('X-Tenant-Id nombra una empresa que no es suya. Con una clave de API omítalo: GET /tenant muestra la de la clave. Una persona ve las suyas en GET /auth/me.', 'X-Tenant-Id names a tenant that is not yours. With an API key leave it out: GET /tenant shows the tenant of the key. A person sees theirs in GET /auth/me.'),
    no_active_membership: reason('Esta cuenta no pertenece a ninguna empresa, está suspendida en ella, o la empresa está cerrada. Pregunte a un propietario, o funde otra con POST /auth/tenants.', 'This account belongs to no tenant, is suspended there, or the tenant is closed. Ask one of its owners, or found a tenant of your own by POST /auth/tenants.'),
    tenant_closed: reason('La empresa está cerrada: en ella no se emite nada. Ábrala antes con PATCH /platform/tenants/{tenant_id}.', 'The tenant is closed: nothing is issued in it. Open it first, by PATCH /platform/tenants/{tenant_id}.'),
    email_unconfirmed: reason('El correo de la cuenta no está confirmado. Siga el enlace del mensaje, o pídalo de nuevo con POST /auth/email/verify/send.', 'The address of the account is not confirmed. Follow the link of the mail, or have it sent again by POST /auth/email/verify/send.'),
    owners_only: reason('Solo un propietario puede hacerlo. Pídaselo a uno o, si la empresa no tiene ninguno, a la plataforma.', 'Only an owner may do this. Ask one or, where the tenant has none, the platform.'),
    own_role: reason('Nadie se da a sí mismo un rol mayor ni se reactiva, tampoco con una clave que creó. Pídalo a otra persona.', 'Nobody raises themselves to a higher role or resumes themselves, not even by a key that they made. Ask somebody else.'),
    own_key: reason('Una clave no retira ni invita a quien la creó. Use otra clave o hágalo una persona.', 'A key neither removes nor invites whoever made it. Use another key, or let a person do it.'),
    other_person: reason('La invitación es para una persona distinta de la que ingresó. Cierre esta sesión; luego ingrese con la cuenta invitada o, si no la hay, acepte con nombre y contraseña.', 'The invitation is for somebody else than who is signed in. Sign out; then sign in as the invited person or, if there is no such account, accept with name and password.'),
    person_required: reason('Esta operación es de una persona, no de una clave de API. Ingrese con una cuenta.', 'This operation is a person\'s, not an API key\'s. Sign in with an account.'),
    role_changed: reason('Su rol en la empresa cambió mientras se atendía la petición: no se hizo nada. Repítala si su rol actual la permite.', 'Your role in the tenant changed while the request was under way: nothing was done. Repeat it if your present role allows it.'),
    origin: reason('La página que llama con la cookie no es de un origen admitido. Agréguelo a ALLOWED_ORIGINS.', 'The page that calls by cookie is of no allowed origin. Add it to ALLOWED_ORIGINS.'),
    content_type: reason('Con la cookie de la sesión el cuerpo debe ser application/json. Para un archivo envíe además el access_token de la misma sesión como Authorization: Bearer.', 'By session cookie the body must be application/json. For a file send the access_token of the same session as Authorization: Bearer too.'),
  },
  NOT_FOUND: {
    link_expired: reason(
      'La vinculación con Google caducó, ya se usó, la anuló un restablecimiento de la contraseña o es de otra persona. Empiece de nuevo el ingreso con Google.',
      'The link with Google has expired, was used, was voided by a reset of the password, or is another person\'s. Begin the sign-in with Google anew.',
    ),
    unknown_route: reason('No existe tal llamada. Verifique el método y la ruta: minúsculas y sin barra al final.', 'There is no such call. Check method and path: lower case, and no slash at its end.'),
    google_sign_in_is_off: reason('El ingreso con Google no está activado aquí. Ingrese con contraseña.', 'The sign-in with Google is off here. Sign in with a password.'),
    draft_deleted: reason('El borrador se eliminó. Envíe otro con una clave de idempotencia nueva.', 'The draft was deleted. Send another with a new idempotency key.'),
    not_yet: reason('Este XML todavía no existe. Pídalo cuando el documento avance.', 'There is no such XML yet. Ask for it once the document has gone on.'),
    none: reason('Este documento terminó sin este XML. Consulte su historial.', 'This document ended without such XML. Look at its history.'),
  },
  INVALID_STATE: {
    sign_in_required: reason('La persona invitada ya tiene cuenta. Ingrese con ella y acepte de nuevo.', 'The invited person has an account. Sign in with it and accept again.'),
    no_password: reason('Esta cuenta no tiene contraseña: ingresa con Google. Pida un enlace con POST /auth/password/forgot para poner una.', 'This account has no password: it signs in with Google. Ask for a link by POST /auth/password/forgot to set one.'),
    last_owner: reason('Es el último propietario de la empresa. Dé antes a otro miembro el rol tenant_owner con PATCH /tenant/members/{member_id}.', 'This is the last owner of the tenant. Give another member the role tenant_owner first, by PATCH /tenant/members/{member_id}.'),
    too_many_tenants: reason('Ya es propietario del máximo de empresas, que consta en detail. Entregue una antes, o contacte a soporte.', 'You own as many tenants as one may, told in detail. Hand one over first, or contact support.'),
    has_documents: reason('Hay documentos que dependen de esto. Desactívelo en lugar de eliminarlo.', 'Documents stand on this. Make it inactive instead of removing it.'),
    numbers_left_out: reason('Aquí se dejaron números sin usar: se subió el contador, o se restauró la base. Desactívelo en lugar de eliminarlo.', 'Numbers were left out here: the counter was raised, or the database restored. Make it inactive instead of removing it.'),
    inactive: reason('El webhook está apagado. Actívelo antes.', 'The webhook is off. Make it active first.'),
    referred_to: reason('Otro borrador lo nombra como su documento original. Elimine o cambie ese antes.', 'Another draft names it as its original. Delete or change that one first.'),
    SEQUENTIAL_TAKEN: reason('El SRI tiene registrado este número con otra clave de acceso: reenviarlo no sirve. Ajuste el contador, abandone este documento y emita otro.', 'The SRI holds this number under another access key: sending it again does not help. Raise the counter, abandon this document and issue anew.'),
    CONTENT_REFUSED: reason('El SRI rechazó el contenido: reenviar lo mismo no sirve. Lea sri_messages y corrija el documento si detail lo permite; si no, emita otro.', 'The SRI refused the content: sending the same again does not help. Read sri_messages and correct the document where detail allows it, else issue another.'),
    GIVEN_UP_YET_VALID: reason('El documento se abandonó, pero el SRI tiene autorizado uno con su clave: no emita la venta de nuevo. Si lo anula en el portal, use retry y, cuando vuelva a revisión, abandónelo otra vez.', 'The document was given up, but the SRI has authorized one under its key: do not issue the sale anew. If you annul it in the portal, retry, and once it is for a person again, abandon it once more.'),
    NOT_ANNULLED: reason('El SRI no lo muestra anulado. Anúlelo en el portal antes, o abandónelo sin annulled.', 'The SRI does not show it annulled. Annul it in the portal first, or abandon it without annulled.'),
    DECIDED_AT_SRI: reason('El SRI ya decidió sobre el documento, y así consta ahora: no se abandonó. Consulte el documento.', 'The SRI has decided on the document, as is on record now: it was not given up. Look at the document.'),
    GIVEN_UP: reason('El documento se abandonó y no se envía de nuevo. Si ya se envió, compruebe que el SRI no lo autorizó antes de emitir otro.', 'The document was given up and is not sent again. If it was sent before, make sure that the SRI has not authorized it before you issue another.'),
    PENDING_AT_SRI: reason('La anulación ya se pidió en el SRI y espera al receptor. Espere su respuesta.', 'The annulment was asked for at the SRI already and waits for the receiver. Wait for the answer.'),
    ANNULLED_AT_SRI: reason('El SRI ya muestra el documento como anulado: no queda nada que retirar. Consulte el documento.', 'The SRI shows the document as annulled already: nothing is left to withdraw. Look at the document.'),
    original_not_standing: reason('El estado del documento original no lo permite; consta en detail. Si está en trámite, espere a que se autorice; uno rechazado o anulado no se puede modificar.', 'The state of the original document does not allow it; detail tells it. If it is under way, wait until it is authorized; one that was refused or annulled cannot be modified.'),
    revoked: reason('Este certificado se revocó y su clave se destruyó. Suba otro.', 'This certificate was revoked and its key destroyed. Upload another.'),
    not_valid: reason('Solo se envía un documento que vale ante el SRI: no uno en trámite, rechazado o anulado.', 'Only a document that is valid before the SRI is mailed: not one that is under way, was refused or annulled.'),
    not_higher: reason('El secuencial ya llegó a ese número. Envíe uno mayor que next_number de detail.', 'The sequence has reached that number already. Send one above next_number of detail.'),
    BEING_CHANGED: reason('Otra petición, quizá una importación, está cambiando o usando lo que esta nombra. Repita la petición cuando termine.', 'Another request, perhaps an import, is changing or using what this one names. Send the request again when it has ended.'),
    IT_MOVES: reason('El documento cambió varias veces mientras tanto. Repita la petición.', 'The document changed several times meanwhile. Send the request again.'),
  },
  ALREADY_EXISTS: {
    has_account: reason('Ya hay una cuenta con este correo. Ingrese con ella, o pida otra contraseña con POST /auth/password/forgot.', 'There is an account with this address. Sign in with it, or ask for another password by POST /auth/password/forgot.'),
    link_required: reason('Ya hay una cuenta con este correo. Ingrese en ella y envíe link_token a POST /auth/google/link.', 'There is an account with this address. Sign in to it and send link_token to POST /auth/google/link.'),
    verified_by_another_issuer: reason('Otro emisor ya demostró con su certificado que el RUC es suyo. Revise el RUC o contacte a soporte.', 'Another issuer has proved by its certificate that the RUC is its own. Check the RUC, or contact support.'),
  },
  DUPLICATE_IDEMPOTENCY_KEY: {
    draft_made: reason('Con esta clave se creó un borrador con el mismo contenido. Si no se cambió ni emitió desde entonces, emítalo con POST /documents/{id}/issue; su id consta en detail.', 'This key made a draft of the same content. Unless it was changed or issued since, issue it by POST /documents/{id}/issue; detail has its id.'),
    already_issued: reason('Con esta clave ya se emitió el mismo contenido. Lea el documento que detail nombra; para otra venta genere una clave nueva.', 'Under this key the same content was issued already. Read the document that detail names; for another sale generate a new key.'),
  },
  PAYLOAD_TOO_LARGE: {
    too_large: reason('El archivo del certificado es demasiado grande. Exporte solo el certificado con su clave.', 'The certificate file is too large. Export the certificate with its key alone.'),
  },
  UNSUPPORTED_MEDIA_TYPE: {
    content_type: reason('El tipo de contenido no se admite en esta ruta. Envíe application/json, o la clase de archivo que admite.', 'The route does not take this media type. Send application/json, or the kind of file that it takes.'),
    charset: reason('El cuerpo debe estar en UTF-8. Declare charset=utf-8 o nada.', 'The body must be UTF-8. Say charset=utf-8, or nothing.'),
    file_charset: reason('El archivo no puede venir en la codificación que declara Content-Type. Envíelo en una de las que nombra detail.', 'The file may not be in the encoding that Content-Type declares. Send it in one of those that detail names.'),
    content_encoding: reason('El cuerpo no puede venir comprimido. Envíelo sin Content-Encoding.', 'The body may not be compressed. Send it without Content-Encoding.'),
  },
  RATE_LIMITED: {
    account_locked: reason('La cuenta está bloqueada por contraseñas equivocadas. Espere los segundos de Retry-After o restablezca la contraseña por correo.', 'The account is locked after wrong passwords. Wait the seconds of Retry-After, or reset the password by mail.'),
    email_unconfirmed: reason('Mientras quien invita no confirme su correo, el límite diario de invitaciones es menor. Confírmelo.', 'As long as whoever invites has not confirmed an address, fewer invitations a day are sent. Confirm it.'),
  },
  SERVICE_UNAVAILABLE: {
    too_many_bodies: reason('Se están leyendo demasiadas peticiones grandes a la vez. Reintente después de Retry-After.', 'Too many large requests are being read at once. Try again after Retry-After.'),
    uploads_waiting: reason('Se están abriendo demasiados certificados a la vez. Reintente después de Retry-After.', 'Too many certificates are being opened at once. Try again after Retry-After.'),
    machine_busy: reason('Ahora no hay recursos para abrir el certificado o imprimir el documento. Reintente después de Retry-After.', 'There is no room now to open the certificate or to print the document. Try again after Retry-After.'),
    printing_busy: reason('Se están imprimiendo demasiados documentos a la vez. Reintente después de Retry-After.', 'Too many documents are being printed at once. Try again after Retry-After.'),
    printing_too_costly: reason('Imprimir este documento toma más tiempo o memoria de lo que se admite para uno. Si es un borrador, acórtelo; si no, reintente después de Retry-After.', 'Printing this document takes more time or memory than there is for one. If it is a draft, shorten it; else try again after Retry-After.'),
  },
};

/** Of a cancellation that the rules refuse there is nothing to correct. Its detail is the findings, all by rules of cancellations. */
const NOT_CANCELLED = reason('El documento no se puede anular; detail dice por qué.', 'The document cannot be cancelled; detail says why.');

/** What a refusal says: of its reason where the detail names one that is listed, else of its code. */
export const refusalMessage = (code: ErrorCode, detail: unknown, language: Language): string => listedReason(code, detail)?.[language] ?? messageOf(code, language);

/** HTTP status of a refusal: of its reason where that has one of its own, else of its code. */
export const refusalStatus = (code: ErrorCode, detail: unknown): number => listedReason(code, detail)?.status ?? ERROR_CATALOGUE[code].status;

function listedReason(code: ErrorCode, detail: unknown): RefusalReason | undefined {
  if (code === 'FISCAL_RULE_VIOLATED' && isOfCancellation(detail)) return NOT_CANCELLED;
  const word = typeof detail === 'object' && detail !== null && 'reason' in detail ? String(detail.reason) : '';
  return REFUSAL_REASONS[code]?.[word];
}

const isOfCancellation = (detail: unknown): boolean => Array.isArray(detail) && (detail as readonly Finding[]).some(({ rule }) => rule.startsWith('cancellation.'));
