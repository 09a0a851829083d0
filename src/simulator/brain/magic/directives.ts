import type { DocumentService, FaultAction } from '../fault-actions.js';
import { DOCUMENT_SERVICES } from '../fault-actions.js';
import { MAGIC_VALUES } from './values.js';

/** Name of the additional field whose value steers the simulator. */
export const MAGIC_FIELD = 'Simulador';
const MAX_DIRECTIVES = 20;

/** One value of a document, ready to act. */
export interface Directive {
  /** As written, without white space. */
  readonly text: string;
  /** Whose requests it acts on. */
  readonly service: DocumentService;
  /** Requests about the key that it hits; null for all. */
  readonly times: number | null;
  readonly action: FaultAction;
}

/** A value that means nothing; the message says which and why. */
export class UnknownMagicValue extends Error {}

/** The field, and its value where it is no longer than that of an additional field may be: details of lines have names, too. */
const FIELD = new RegExp(`<campoAdicional\\s+nombre="${MAGIC_FIELD}"\\s*(?:>([^<]{0,300})<)?`);

/** The value of the first magic field in a document's bytes, without parsing them; null when there is none. */
export function magicFieldOf(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return FIELD.exec(text)?.[1]?.trim() ?? null;
}

/**
 * Reads `50x3, in-process:3600, html:503@authorization`: values separated by
 * commas, each `name[:argument][@service][xN]`, `x*` for every request.
 *
 * @throws UnknownMagicValue
 */
export function readDirectives(field: string): readonly Directive[] {
  const texts = field
    .toLowerCase()
    .split(',')
    .map((text) => text.replaceAll(/\s+/g, ''))
    .filter((text) => text !== '');
  if (texts.length > MAX_DIRECTIVES) throw new UnknownMagicValue(`más de ${MAX_DIRECTIVES} valores`);
  return texts.map(readDirective);
}

const SHAPE = /^([a-z0-9-]+?)(?::([a-z0-9._]+?))?(?:@([a-z]+?))?(?:x(\d{1,4}|\*))?$/;

function readDirective(written: string): Directive {
  const match = SHAPE.exec(written.replace(/^html-(\d{3})/, 'html:$1'));
  const [, name = '', argument, at, count] = match ?? [];
  const value = MAGIC_VALUES.find((candidate) => candidate.name === name);
  if (!value) throw new UnknownMagicValue(`no existe el valor "${written}"`);
  const given = argument ?? value.argument?.fallback ?? null;
  if (value.argument === null ? argument !== undefined : given === null || !value.argument.pattern.test(given)) {
    throw new UnknownMagicValue(`"${written}": ${value.argument === null ? 'no lleva argumento' : `falta ${value.argument.name}`}`);
  }
  const service = DOCUMENT_SERVICES.find((candidate) => candidate === at);
  if (at !== undefined && (service === undefined || !value.movableTo.includes(service))) {
    throw new UnknownMagicValue(`"${written}": no actúa en ${at}`);
  }
  const action = value.action(given ?? '', service ?? null);
  return {
    text: written,
    // A refusal at authorization is decided when the document is stored: it acts on the submission.
    service: action.kind === 'refuse' ? 'reception' : (service ?? value.service),
    times: count === undefined ? value.times : count === '*' ? null : Number(count),
    action,
  };
}
