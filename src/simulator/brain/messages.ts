/** One message of the SRI, as both services report it. */
export interface SriMessage {
  readonly identifier: string;
  readonly message: string;
  readonly additionalInfo: string | null;
  /** Missing only in the answer to a malformed key (80). */
  readonly type: MessageType | null;
}

export type MessageType = 'ERROR' | 'ADVERTENCIA' | 'INFORMATIVO';

interface MessageRow {
  readonly label: string;
  readonly type: MessageType | null;
}

const error = (label: string): MessageRow => ({ label, type: 'ERROR' });
const warning = (label: string): MessageRow => ({ label, type: 'ADVERTENCIA' });

/** Labels in the style of the real services: upper case, no accents (ficha técnica, section 11). */
const MESSAGES: Readonly<Record<string, MessageRow>> = {
  '2': error('RUC DEL EMISOR NO ESTA ACTIVO'),
  '10': error('ESTABLECIMIENTO DEL EMISOR CLAUSURADO'),
  '26': error('TAMANO MAXIMO SUPERADO'),
  '27': error('CLASE DE CONTRIBUYENTE NO PERMITIDA'),
  '28': error('ACUERDO DE MEDIOS ELECTRONICOS NO ACEPTADO'),
  '34': error('COMPROBANTE NO AUTORIZADO PARA EL EMISOR'),
  '35': error('ARCHIVO NO CUMPLE ESTRUCTURA XML'),
  '36': error('VERSION DE ESQUEMA DESCONTINUADA'),
  '37': error('RUC SIN AUTORIZACION DE EMISION'),
  '39': error('FIRMA INVALIDA'),
  '40': error('ERROR EN EL CERTIFICADO'),
  '42': error('CERTIFICADO REVOCADO O CADUCADO'),
  '43': error('CLAVE ACCESO REGISTRADA'),
  '45': error('ERROR SECUENCIAL REGISTRADO'),
  '46': error('RUC NO EXISTE'),
  '47': error('TIPO DE COMPROBANTE NO EXISTE'),
  '48': error('ESQUEMA XSD NO EXISTE'),
  '49': error('ARGUMENTOS NULOS'),
  '50': error('ERROR INTERNO GENERAL'),
  '52': error('ERROR EN DIFERENCIAS'),
  '56': error('ESTABLECIMIENTO CERRADO'),
  '57': error('AUTORIZACION SUSPENDIDA'),
  '58': error('ERROR EN LA ESTRUCTURA DE CLAVE DE ACCESO'),
  '59': warning('IDENTIFICACION NO EXISTE'),
  '60': warning('ESTE PROCESO FUE REALIZADO EN EL AMBIENTE DE PRUEBAS'),
  '62': warning('IDENTIFICACION INCORRECTA'),
  '63': error('RUC CLAUSURADO'),
  '64': error('CODIGO DE DOCUMENTO SUSTENTO NO EXISTE'),
  '65': error('FECHA EMISION EXTEMPORANEA'),
  '67': error('FECHA INVALIDA'),
  '68': warning('DOCUMENTO SUSTENTO NO ELECTRONICO'),
  '69': error('IDENTIFICACION DEL RECEPTOR NO PERMITIDA'),
  '70': error('CLAVE DE ACCESO EN PROCESAMIENTO'),
  '80': { label: 'ERROR EN LA ESTRUCTURA DE LA CLAVE DE ACCESO', type: null },
  '82': error('ERROR EN LA FECHA DE INICIO DE TRASLADO'),
  '99': error('ERROR AL CONSULTAR DATOS DEL SERVICIO WEB'),
  '92': error('VALOR DE DEVOLUCION DE IVA NO AUTORIZADO'),
};

/**
 * The message with a code, in the SRI's shape. A code outside the table (only a
 * fault rule can ask for one) becomes an ERROR with a neutral label, so that a
 * client's handling of unknown codes can be tried.
 */
export function sriMessage(code: string, additionalInfo: string | null = null): SriMessage {
  const row = MESSAGES[code] ?? error('MENSAJE SIN CATALOGAR');
  return { identifier: code, message: row.label, additionalInfo, type: row.type };
}
