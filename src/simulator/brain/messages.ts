/** One message of the SRI, as the services report it. */
export interface SriMessage {
  readonly identifier: string;
  readonly message: string;
  readonly additionalInfo: string | null;
  /** Missing only in the answer to a malformed key (80). */
  readonly type: MessageType | null;
}

export type MessageType = 'ERROR' | 'ADVERTENCIA' | 'INFORMATIVO';

/** Which answer carries a message: reception's, authorization's about a document or about the question, the consultation's. */
export type ReportedAt = 'reception' | 'authorization' | 'query' | 'consultation';

export interface MessageRow {
  /** In the style of the real services: upper case, no accents. */
  readonly label: string;
  readonly type: MessageType | null;
  readonly at: ReportedAt;
  readonly meaning: string;
}

const error = (at: ReportedAt, label: string, meaning: string): MessageRow => ({ label, type: 'ERROR', at, meaning });
const warning = (label: string, meaning: string): MessageRow => ({ label, type: 'ADVERTENCIA', at: 'authorization', meaning });

/** The codes of the ficha técnica, section 11, with the answer in which this SRI reports each. */
export const SRI_MESSAGES: Readonly<Record<string, MessageRow>> = {
  '2': error('authorization', 'RUC DEL EMISOR NO ESTA ACTIVO', 'the issuer’s RUC is not active'),
  '10': error('authorization', 'ESTABLECIMIENTO DEL EMISOR CLAUSURADO', 'the establishment is closed by sanction'),
  '26': error('reception', 'TAMANO MAXIMO SUPERADO', 'the file is larger than 320 KB'),
  '27': error('authorization', 'CLASE DE CONTRIBUYENTE NO PERMITIDA', 'this class of taxpayer may not issue'),
  '28': error('reception', 'ACUERDO DE MEDIOS ELECTRONICOS NO ACEPTADO', 'the electronic-media agreement is not accepted'),
  '34': error('authorization', 'COMPROBANTE NO AUTORIZADO PARA EL EMISOR', 'the type is not in the issuer’s authorization request'),
  '35': error('reception', 'ARCHIVO NO CUMPLE ESTRUCTURA XML', 'the XML does not pass the schema'),
  '36': error('reception', 'VERSION DE ESQUEMA DESCONTINUADA', 'the schema version is discontinued'),
  '37': error('authorization', 'RUC SIN AUTORIZACION DE EMISION', 'the issuer is not enrolled in this environment'),
  '39': error('authorization', 'FIRMA INVALIDA', 'the signature is invalid'),
  '40': error('authorization', 'ERROR EN EL CERTIFICADO', 'the certificate is unusable'),
  '42': error('authorization', 'CERTIFICADO REVOCADO O CADUCADO', 'the certificate is revoked or expired'),
  '43': error('reception', 'CLAVE ACCESO REGISTRADA', 'the key is registered already'),
  '45': error('reception', 'ERROR SECUENCIAL REGISTRADO', 'the number is registered already'),
  '46': error('authorization', 'RUC NO EXISTE', 'the issuer’s RUC does not exist'),
  '47': error('reception', 'TIPO DE COMPROBANTE NO EXISTE', 'the document type does not exist'),
  '48': error('reception', 'ESQUEMA XSD NO EXISTE', 'the type has no such schema'),
  '49': error('reception', 'ARGUMENTOS NULOS', 'the call carries nothing'),
  '50': error('reception', 'ERROR INTERNO GENERAL', 'internal error of the SRI'),
  '52': error('authorization', 'ERROR EN DIFERENCIAS', 'the arithmetic does not foot'),
  '56': error('authorization', 'ESTABLECIMIENTO CERRADO', 'the establishment is closed'),
  '57': error('authorization', 'AUTORIZACION SUSPENDIDA', 'the authorization to issue is suspended'),
  '58': error('authorization', 'ERROR EN LA ESTRUCTURA DE CLAVE DE ACCESO', 'the key differs from the document'),
  '59': warning('IDENTIFICACION NO EXISTE', 'the receiver’s identification does not exist'),
  '60': warning('ESTE PROCESO FUE REALIZADO EN EL AMBIENTE DE PRUEBAS', 'processed in the test environment'),
  '62': warning('IDENTIFICACION INCORRECTA', 'the receiver’s identification is malformed'),
  '63': error('authorization', 'RUC CLAUSURADO', 'the issuer’s RUC is closed by sanction'),
  '64': error('authorization', 'CODIGO DE DOCUMENTO SUSTENTO NO EXISTE', 'unknown code of supporting document'),
  '65': error('reception', 'FECHA EMISION EXTEMPORANEA', 'the issue date is out of time'),
  '67': error('reception', 'FECHA INVALIDA', 'a date is malformed or does not exist'),
  '68': warning('DOCUMENTO SUSTENTO NO ELECTRONICO', 'the supporting document is not held as electronic'),
  '69': error('authorization', 'IDENTIFICACION DEL RECEPTOR NO PERMITIDA', 'the receiver is not allowed'),
  '70': error('reception', 'CLAVE DE ACCESO EN PROCESAMIENTO', 'the key is still in process'),
  '80': { label: 'ERROR EN LA ESTRUCTURA DE LA CLAVE DE ACCESO', type: null, at: 'query', meaning: 'the question names a malformed key' },
  '82': error('reception', 'ERROR EN LA FECHA DE INICIO DE TRASLADO', 'the dates of the trip do not fit'),
  '92': error('reception', 'VALOR DE DEVOLUCION DE IVA NO AUTORIZADO', 'the refunded IVA is not the authorized one'),
  '99': error('consultation', 'ERROR AL CONSULTAR DATOS DEL SERVICIO WEB', 'the consultation knows nothing to answer'),
};

/**
 * The message with a code, in the SRI's shape. A code outside the table (only a
 * fault rule or a magic value can ask for one) becomes an ERROR with a neutral
 * label, so that a client's handling of unknown codes can be tried.
 */
export function sriMessage(code: string, additionalInfo: string | null = null): SriMessage {
  const row = SRI_MESSAGES[code];
  return {
    identifier: code,
    message: row?.label ?? 'MENSAJE SIN CATALOGAR',
    additionalInfo,
    type: row === undefined ? 'ERROR' : row.type,
  };
}
