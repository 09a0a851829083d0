import type { Language } from '../../shared/language.js';

type Ctx = Readonly<Record<string, unknown>>;
type Say = (ctx: Ctx) => string;

const text = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value));
const counted = (count: unknown, one: string, many = `${one}s`): string => `${text(count)} ${count === 1 ? one : many}`;

/** The message of every field failure, both languages in one row. */
const MESSAGES: Readonly<Record<string, readonly [es: Say, en: Say]>> = {
  missing: [() => 'Campo obligatorio', () => 'Field required'],
  extra_forbidden: [() => 'Campo desconocido', () => 'Unknown field'],
  object_type: [() => 'Debe ser un objeto', () => 'Must be an object'],
  object_too_deep: [(c) => `Admite como máximo ${text(c['max_depth'])} niveles`, (c) => `Takes at most ${text(c['max_depth'])} levels`],
  object_too_large: [(c) => `Admite como máximo ${text(c['max_values'])} valores y ${text(c['max_bytes'])} bytes`, (c) => `Takes at most ${text(c['max_values'])} values and ${text(c['max_bytes'])} bytes`],
  object_text: [() => 'Contiene un texto que no se puede guardar', () => 'Contains a text that cannot be stored'],
  object_number: [() => 'Contiene un número que pierde precisión; envíe un texto', () => 'Contains a number that loses precision; send a string'],
  list_type: [() => 'Debe ser una lista', () => 'Must be a list'],
  too_short: [(c) => `Necesita al menos ${counted(c['min_length'], 'elemento')}`, (c) => `Needs at least ${counted(c['min_length'], 'item')}`],
  too_long: [(c) => `Admite como máximo ${text(c['max_length'])} elementos`, (c) => `Takes at most ${text(c['max_length'])} items`],
  repeated: [() => 'El parámetro se dio más de una vez', () => 'The parameter was given more than once'],
  too_many_objects: [(c) => `Admite como máximo ${text(c['max'])} objetos en total`, (c) => `Takes at most ${text(c['max'])} objects in all`],
  too_many_findings: [() => 'Hay más errores que no se muestran', () => 'There are more errors that are not shown'],
  string_type: [() => 'Debe ser texto', () => 'Must be a string'],
  string_too_short: [(c) => `Necesita al menos ${counted(c['min_length'], 'carácter', 'caracteres')}`, (c) => `Needs at least ${counted(c['min_length'], 'character')}`],
  string_too_long: [(c) => `Admite como máximo ${text(c['max_length'])} caracteres`, (c) => `Takes at most ${text(c['max_length'])} characters`],
  string_line_break: [() => 'No se admiten saltos de línea', () => 'Line breaks are not allowed'],
  string_control_character: [() => 'Contiene un carácter de control', () => 'Contains a control character'],
  string_lone_surrogate: [() => 'Contiene Unicode inválido', () => 'Contains invalid Unicode'],
  string_invisible_character: [(c) => `Contiene el carácter invisible ${text(c['code_point'])}`, (c) => `Contains the invisible character ${text(c['code_point'])}`],
  string_noncharacter: [(c) => `Contiene ${text(c['code_point'])}, que no es un carácter`, (c) => `Contains ${text(c['code_point'])}, which is not a character`],
  string_pattern_mismatch: [(c) => `No cumple el formato ${text(c['pattern'])}`, (c) => `Does not match the format ${text(c['pattern'])}`],
  uuid_parsing: [() => 'Debe ser un UUID', () => 'Must be a UUID'],
  email: [() => 'Debe ser un correo electrónico', () => 'Must be an e-mail address'],
  date_type: [() => 'Debe ser una fecha AAAA-MM-DD de este siglo', () => 'Must be a date YYYY-MM-DD of this century'],
  enum: [(c) => `Debe ser uno de: ${text(c['expected'])}`, (c) => `Must be one of: ${text(c['expected'])}`],
  code_unknown: [(c) => `No es un código de la tabla ${text(c['table'])}`, (c) => `Is not a code of the table ${text(c['table'])}`],
  product_unknown: [
    () => 'Ningún producto activo tiene este código: créelo, o complete la línea',
    () => 'No active product has this code: create it, or complete the line',
  ],
  taxes_not_derivable: [
    (c) => `El producto lleva ICE ${text(c['ice_code'])}, que no se deduce de su precio (es por litro, gramo o unidad), o una tarifa que no rige ese día: detalle ICE e IVA en taxes`,
    (c) => `The product has ICE ${text(c['ice_code'])}, which does not derive from its price (it is per litre, gram or piece), or a rate that is not in force that day: itemise ICE and IVA in taxes`,
  ],
  iva_only: [() => 'Debe ser 2 (IVA): iva_rate_code es una tarifa de IVA; el ICE va en ice_code', () => 'Must be 2 (IVA): iva_rate_code is a rate of IVA; ICE goes into ice_code'],
  tourism_rate: [(c) => `La tarifa ${text(c['iva_rate_code'])} no tiene tarifa reducida de turismo`, (c) => `The rate ${text(c['iva_rate_code'])} has no reduced rate for tourism`],
  csv_cells: [(c) => `Tiene ${text(c['actual'])} celdas; el encabezado tiene ${text(c['expected'])}`, (c) => `Has ${text(c['actual'])} cells; the header has ${text(c['expected'])}`],
  csv_repeated: [(c) => `Ya está en la línea ${text(c['line'])}`, (c) => `Is already in line ${text(c['line'])}`],
  bool_type: [() => 'Debe ser true o false', () => 'Must be true or false'],
  int_type: [() => 'Debe ser un entero', () => 'Must be an integer'],
  int_list: [(c) => `Cada elemento debe ser un entero de ${text(c['ge'])} a ${text(c['le'])}`, (c) => `Each item must be an integer from ${text(c['ge'])} to ${text(c['le'])}`],
  decimal_type: [() => 'Debe ser un número o un texto decimal', () => 'Must be a number or a decimal string'],
  decimal_parsing: [() => 'Debe ser un número decimal simple, como 12.30', () => 'Must be a plain decimal number such as 12.30'],
  decimal_max_digits: [(c) => `Un número JSON admite ${text(c['max_digits'])} dígitos; envíe un texto`, (c) => `A JSON number takes ${text(c['max_digits'])} digits; send a string`],
  decimal_max_places: [(c) => `Admite como máximo ${text(c['decimal_places'])} decimales`, (c) => `Takes at most ${text(c['decimal_places'])} decimal places`],
  decimal_whole_digits: [(c) => `Admite como máximo ${text(c['whole_digits'])} dígitos enteros`, (c) => `Takes at most ${text(c['whole_digits'])} whole digits`],
  greater_than: [(c) => `Debe ser mayor que ${text(c['gt'])}`, (c) => `Must be greater than ${text(c['gt'])}`],
  greater_than_equal: [(c) => `Debe ser mayor o igual a ${text(c['ge'])}`, (c) => `Must be at least ${text(c['ge'])}`],
  less_than_equal: [(c) => `Debe ser menor o igual a ${text(c['le'])}`, (c) => `Must be at most ${text(c['le'])}`],
  base64: [() => 'Debe ser base64', () => 'Must be base64'],
  file_type: [() => 'Debe ser un archivo: una parte con nombre de archivo', () => 'Must be a file: a part with a file name'],
  image_type: [() => 'Debe ser una imagen PNG o JPEG', () => 'Must be a PNG or JPEG image'],
  image_damaged: [() => 'La imagen está dañada', () => 'The image is damaged'],
  image_unsupported: [() => 'Use un PNG de 8 bits sin entrelazado o un JPEG común', () => 'Use a PNG of 8 bits without interlacing, or a plain JPEG'],
  image_too_large: [(c) => `Admite como máximo ${text(c['max_bytes'])} bytes y ${text(c['max_pixels'])} píxeles`, (c) => `Takes at most ${text(c['max_bytes'])} bytes and ${text(c['max_pixels'])} pixels`],
  identification_type: [(c) => `Debe ser uno de: ${text(c['expected'])}`, (c) => `Must be one of: ${text(c['expected'])}`],
  identification_final_consumer: [() => 'El consumidor final no es nadie en particular: no lleva perfil', () => 'The final consumer is nobody in particular: it has no profile'],
  identification_ruc: [() => 'No es un RUC válido', () => 'Is not a valid RUC'],
  identification_cedula: [() => 'No es una cédula válida', () => 'Is not a valid cédula'],
  identification_passport: [() => 'Un pasaporte lleva de 1 a 20 caracteres, sin espacios en los extremos ni caracteres de control', () => 'A passport has 1 to 20 characters, without spaces at its ends or control characters'],
  identification_foreign: [() => 'Una identificación del exterior lleva de 1 a 20 caracteres, sin espacios en los extremos ni caracteres de control', () => 'A foreign identification has 1 to 20 characters, without spaces at its ends or control characters'],
  mail_recipient: [() => 'El documento no tiene correo del comprador: indique a quién se envía', () => "The document has no buyer's address: say where it goes"],
  template_placeholder: [
    (c) => `No existe {{${text(c['placeholder'])}}}; existen: ${text(c['expected'])}`,
    (c) => `There is no {{${text(c['placeholder'])}}}; there are: ${text(c['expected'])}`,
  ],
  template_braces: [() => 'Las llaves dobles van en pares alrededor de un nombre: {{buyer_name}}', () => 'Double braces go in pairs around a name: {{buyer_name}}'],
  template_single_braces: [
    (c) => `{${text(c['placeholder'])}} se leería tal cual: un lugar lleva llaves dobles, {{...}}; existen: ${text(c['expected'])}`,
    (c) => `{${text(c['placeholder'])}} would be read as it stands: a place has double braces, {{...}}; there are: ${text(c['expected'])}`,
  ],
  wrong_password: [() => 'No es la contraseña actual', () => 'Is not the current password'],
  weak_password: [() => 'Contraseña demasiado fácil de adivinar', () => 'Password too easy to guess'],
  enum_list: [(c) => `Cada elemento debe ser uno de: ${text(c['expected'])}`, (c) => `Each item must be one of: ${text(c['expected'])}`],
  instant: [() => 'Debe ser un instante ISO 8601 con zona, como 2026-01-31T12:00:00Z', () => 'Must be an ISO 8601 instant with its zone, such as 2026-01-31T12:00:00Z'],
  cursor: [() => 'No es un cursor de este servicio', () => 'Is not a cursor of this service'],
  cursor_expired: [
    () => 'Se restauró la base de datos desde entonces, o ya se eliminaron por antiguos eventos que le siguen: empiece de nuevo sin cursor y compare con las listas',
    () => 'The database was restored since, or events behind it were removed because of their age: start anew without a cursor and compare with the lists',
  ],
  local_path: [() => 'Debe ser una ruta de este servicio, como /inicio', () => 'Must be a path of this service, such as /start'],
  url_parsing: [() => 'Debe ser una dirección absoluta', () => 'Must be an absolute address'],
  url_scheme: [(c) => `Debe usar: ${text(c['expected'])}`, (c) => `Must use: ${text(c['expected'])}`],
  url_credentials: [() => 'No admite usuario ni contraseña', () => 'Takes no user and no password'],
  url_fragment: [() => 'No admite fragmento', () => 'Takes no fragment'],
  url_port: [() => 'Ese puerto no se admite', () => 'That port is not allowed'],
  url_address: [() => 'Debe llevar a una dirección pública', () => 'Must lead to a public address'],
  too_many_keys: [(c) => `Admite como máximo ${text(c['max'])} claves vigentes: revoque las que no use`, (c) => `Takes at most ${text(c['max'])} active keys: revoke those that are not used`],
  too_many_webhooks: [(c) => `Admite como máximo ${text(c['max'])} webhooks`, (c) => `Takes at most ${text(c['max'])} webhooks`],
  too_many_certificates: [(c) => `El emisor ya tiene ${text(c['max'])} certificados sin revocar: revoque los que no use`, (c) => `The issuer has ${text(c['max'])} certificates that are not revoked: revoke those that are not used`],
  range_order: [
    (c) => (c['gt'] === undefined ? `No puede ser anterior a ${text(c['ge'])}` : `Debe ser posterior a ${text(c['gt'])}`),
    (c) => (c['gt'] === undefined ? `Must not be before ${text(c['ge'])}` : `Must be later than ${text(c['gt'])}`),
  ],
  range_too_large: [(c) => `Abarca más de ${text(c['max'])} eventos; acorte el intervalo`, (c) => `Covers more than ${text(c['max'])} events; shorten the range`],
  header_repeated: [() => 'La cabecera se dio más de una vez', () => 'The header was given more than once'],
  header_not_utf8: [() => 'No es UTF-8: codifique la cabecera en UTF-8, o use el campo idempotency_key', () => 'Is not UTF-8: encode the header as UTF-8, or use the field idempotency_key'],
  header_conflict: [() => 'La cabecera Idempotency-Key y el campo idempotency_key difieren', () => 'The Idempotency-Key header and the idempotency_key field differ'],
};

const FALLBACK: readonly [Say, Say] = [() => 'Valor inválido', () => 'Invalid value'];

/** Message of a failure type in the asked language; an unlisted type reads as an invalid value. */
export function fieldMessage(type: string, ctx: Ctx, language: Language): string {
  const [es, en] = (hasFieldMessage(type) ? MESSAGES[type] : undefined) ?? FALLBACK;
  return language === 'es' ? es(ctx) : en(ctx);
}

/** True for a failure type that has its own message; specs hold every type in use against it. */
export const hasFieldMessage = (type: string): boolean => Object.hasOwn(MESSAGES, type);
