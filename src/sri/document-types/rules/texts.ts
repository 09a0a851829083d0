import { codePoints, textProblem } from '../../../shared/text.js';
import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, DocumentTypeCode, NameValue } from '../content.js';
import { firstNotPrinted } from './not-printed.js';
import { defineRules, finding } from './rule.js';

const STRUCTURE = 'Ficha técnica 2.32, anexo 3';

const RULES = defineRules({
  'text.length': {
    es: 'El SRI admite menos caracteres en este campo que la API',
    en: 'The SRI takes fewer characters in this field than the API',
    reference: STRUCTURE,
  },
  'text.length_in_code_units': {
    es: 'El esquema del SRI cuenta este texto en unidades UTF-16, en las que un emoji o un ideograma poco común son dos, y así no cabe: acórtelo o quite esos caracteres',
    en: "The SRI's schema counts this text in UTF-16 units, of which an emoji or a rare ideograph is two, and so it does not fit: shorten it or remove such characters",
    reference: 'Ficha técnica 2.32, mensaje 35',
  },
  'text.characters': {
    es: 'El texto lleva caracteres que el SRI no admite (saltos de línea, de control o invisibles)',
    en: 'The text holds characters that the SRI does not take (line breaks, control or invisible ones)',
    reference: STRUCTURE,
  },
  'text.not_printed': {
    severity: 'warning',
    es: 'El SRI admite el texto, pero el documento impreso (RIDE) no lo muestra como está escrito: letras que no tiene salen como recuadros, y lo que se escribe de derecha a izquierda sale desordenado, también sus números. Escríbalo en letras latinas',
    en: 'The SRI takes the text, but the printed document (RIDE) does not show it as it is written: letters that it lacks are boxes, and what is written from right to left gets out of order, its numbers too. Write it in Latin letters',
    reference: 'Consejo de este servicio; el SRI no lo exige',
  },
  'text.empty': { es: 'El texto está vacío', en: 'The text is empty', reference: STRUCTURE },
  'line.details': {
    es: 'Una línea lleva como máximo 3 detalles adicionales',
    en: 'A line carries at most 3 additional details',
    reference: STRUCTURE,
  },
});

const MOST_DETAILS = 3;

export interface TextField {
  readonly pointer: string;
  readonly value: string | null;
  /** The SRI's bound: in code points as XML Schema counts, and in UTF-16 units as Java does. */
  readonly max: number;
  /** The API's bound where it is wider: the finding names both. */
  readonly apiMax?: number;
  readonly required?: boolean;
}

/** Texts against the bounds of the SRI's schema, which are narrower than the API's. */
export function* checkTexts(content: DocumentContent): Generator<Finding> {
  for (const field of textsOf(content)) yield* checkText(field);
  for (const [index, line] of content.lines.entries()) {
    if (line.additionalDetails.length > MOST_DETAILS) {
      const count = String(line.additionalDetails.length);
      yield finding(RULES['line.details'], `/lines/${index}/additional_details`, String(MOST_DETAILS), count);
    }
  }
}

/** One text against its bound; null is no text. */
export function* checkText({ pointer, value, max, apiMax, required }: TextField): Generator<Finding> {
  if (value === null) return;
  const problem = textProblem(value, { min: required === true ? 1 : 0, max });
  switch (problem?.type) {
    case undefined: {
      yield* checkUtf16Length({ pointer, value, max, ...(apiMax === undefined ? {} : { apiMax }) });
      const letter = firstNotPrinted(value);
      if (letter !== null) yield finding(RULES['text.not_printed'], pointer, null, letter);
      return;
    }
    case 'string_too_long':
      yield finding(RULES['text.length'], pointer, bounds(max, apiMax), String(codePoints(value)));
      return;
    case 'string_too_short':
      yield finding(RULES['text.empty'], pointer);
      return;
    default:
      yield finding(RULES['text.characters'], pointer, null, String(problem?.ctx['code_point']));
  }
}

/** A text against its bound as Java counts, which validates at the SRI: a character beyond U+FFFF is two. */
export function* checkUtf16Length({ pointer, value, max, apiMax }: TextField & { readonly value: string }): Generator<Finding> {
  if (value.length > max) yield finding(RULES['text.length_in_code_units'], pointer, bounds(max, apiMax), `${codePoints(value)} (UTF-16: ${value.length})`);
}

/** Whether a finding is of {@link checkUtf16Length}. */
export const isUtf16Length = ({ rule }: Finding): boolean => rule === RULES['text.length_in_code_units'].id;

function bounds(max: number, apiMax: number | undefined): string {
  return apiMax === undefined ? `≤ ${max}` : `SRI ≤ ${max}, API ≤ ${apiMax}`;
}

/** Texts that the API takes longer than the SRI, and the types whose XML has them; in others the SRI has no say. */
const NARROWED = {
  address: { max: 300, apiMax: 500, types: ['01', '03', '06'] },
  reason: { max: 300, apiMax: 500, types: ['04', '06'] },
  description: { max: 300, apiMax: 1000, types: ['01', '03', '04', '05', '06'] },
  timeUnit: { max: 10, apiMax: 20, types: ['01', '03', '05'] },
} as const satisfies Record<string, { max: number; apiMax: number; types: readonly DocumentTypeCode[] }>;

function boundOf(name: keyof typeof NARROWED, { documentType, transport }: DocumentContent): Pick<TextField, 'max' | 'apiMax'> {
  const { max, apiMax, types } = NARROWED[name];
  // A guide that lists destinations has the addresses and reasons of those.
  const isOfDestinations = documentType === '06' && name !== 'description' && transport !== null && transport.destinations.length > 0;
  return !isOfDestinations && (types as readonly DocumentTypeCode[]).includes(documentType) ? { max, apiMax } : { max: apiMax };
}

function* textsOf(content: DocumentContent): Generator<TextField> {
  const descriptionBound = boundOf('description', content);
  yield { pointer: '/buyer_name', value: content.buyerName, max: 300 };
  yield { pointer: '/buyer_address', value: content.buyerAddress, ...boundOf('address', content) };
  yield { pointer: '/reason', value: content.reason, ...boundOf('reason', content) };
  yield { pointer: '/vehicle_plate', value: content.vehiclePlate, max: 20 };
  for (const [index, line] of content.lines.entries()) {
    const at = `/lines/${index}`;
    yield { pointer: `${at}/description`, value: line.description, ...descriptionBound, required: true };
    yield { pointer: `${at}/main_code`, value: line.mainCode, max: 25 };
    yield { pointer: `${at}/aux_code`, value: line.auxCode, max: 25 };
    yield { pointer: `${at}/unit_of_measure`, value: line.unitOfMeasure, max: 50 };
    yield* pairs(line.additionalDetails, `${at}/additional_details`);
  }
  for (const [index, payment] of content.payments.entries()) {
    yield { pointer: `/payments/${index}/time_unit`, value: payment.timeUnit, ...boundOf('timeUnit', content) };
  }
  yield* pairs(content.additionalInfo, '/additional_info');
}

function* pairs(entries: readonly NameValue[], at: string): Generator<TextField> {
  for (const [index, { name, value }] of entries.entries()) {
    yield { pointer: `${at}/${index}/name`, value: name, max: 300, required: true };
    yield { pointer: `${at}/${index}/value`, value, max: 300, required: true };
  }
}
