import type { Finding } from '../shared/finding.js';
import type { DocumentContent, IssuerSnapshot } from './document-types/content.js';
import type { DocumentTypeDefinition, Numbering, RuleContext } from './document-types/document-type.js';
import { documentType } from './document-types/registry.js';
import { checkBeyondBmp } from './document-types/rules/beyond-bmp.js';
import { defineRules, finding, MOST_FINDINGS } from './document-types/rules/rule.js';
import { checkShape, EMPTY_LIST } from './document-types/rules/shape.js';
import { isUtf16Length } from './document-types/rules/texts.js';
import { Positions } from './positions.js';
import { MAX_DOCUMENT_BYTES, validateAgainstSchema, type SchemaProblem } from './xml/schema.js';

const RULES = defineRules({
  'document.type': {
    es: 'Este tipo de documento no se emite',
    en: 'This document type is not issued',
    reference: 'Ficha técnica 2.32, tabla 3',
  },
  'document.size': {
    es: 'El documento firmado superaría el tamaño que admite el SRI',
    en: 'The signed document would exceed the size that the SRI takes',
    reference: 'Ficha técnica 2.32, mensaje 26',
  },
  'document.more_errors': {
    es: 'Hay más errores que no se muestran',
    en: 'There are more errors that are not shown',
    reference: 'Límite de este servicio',
  },
  'document.more_warnings': {
    severity: 'warning',
    es: 'Hay más advertencias que no se muestran',
    en: 'There are more warnings that are not shown',
    reference: 'Límite de este servicio',
  },
  schema: {
    es: 'El documento no cumple el esquema XML',
    en: 'The document does not satisfy the XML schema',
    reference: 'Ficha técnica 2.32, anexo 3 y mensaje 35',
  },
});

/** Stands for the number that is not taken yet; as long as a real one. */
const PLACEHOLDER: Numbering = { sequential: 999_999_999, accessKey: '0'.repeat(49) };

/** Prolog and XAdES signature: about 5 KB with a 2048-bit key; room for 4096 bits and long certificates. No certificate is taken whose signature needs more. */
export const SIGNATURE_BYTES = 10 * 1024;

export interface Preflight {
  /** Content with everything that the service fills in; as given when its shape is broken. */
  readonly content: DocumentContent;
  /** Errors and warnings of one pass; none of severity `error` means that the document may be issued. */
  readonly findings: readonly Finding[];
  /** UTF-8 size of the unsigned XML; 0 when none could be built. */
  readonly xmlBytes: number;
}

/**
 * Everything that can be known about a document before a number is spent on it:
 * fills in, applies every fiscal rule, builds the XML with a placeholder number and
 * checks it against our schema and the SRI's size limit. Pure; never throws on bad
 * content.
 */
export function preflight(content: DocumentContent, issuer: IssuerSnapshot, context: RuleContext): Preflight {
  const type = documentType(content.documentType);
  if (type === undefined) {
    return refused(content, [finding(RULES['document.type'], '/document_type', null, content.documentType)]);
  }
  const malformed = shapeFindings(type, content);
  if (malformed.length > 0) return refused(content, whyUntaxed(type, content, issuer, context, malformed) ?? malformed);

  const normalised = type.normalise(content, issuer);
  const xml = type.buildXml(normalised.content, issuer, PLACEHOLDER);
  const beyondBmp = [...checkBeyondBmp(normalised.content, issuer, xml)];
  const ofRules = ofSentTexts(type.check(normalised.content, issuer, context), beyondBmp);
  const findings = [...normalised.warnings, ...ofRules, ...beyondBmp];
  const xmlBytes = Buffer.byteLength(xml);
  const tooLarge = sizeFinding(xmlBytes);
  findings.push(...(tooLarge === null ? schemaFindings(xml, type, normalised.content, findings) : [tooLarge]));
  return { content: normalised.content, findings: bounded(findings), xmlBytes };
}

/**
 * Findings without those of the UTF-16 length of texts that are not sent: nobody at the SRI counts them.
 *
 * @param beyondBmp what is found of the texts that are sent, if they have characters that count as two
 */
function ofSentTexts(findings: readonly Finding[], beyondBmp: readonly Finding[]): readonly Finding[] {
  const sent = new Set(beyondBmp.map(({ pointer }) => pointer));
  return findings.filter((one) => !isUtf16Length(one) || sent.has(one.pointer));
}

/** What a preview shows, and whether it is of a document that could be sent at all. */
export interface Preview {
  /** As {@link preflight} completes it, unchecked; as given when its type or shape is none. */
  readonly content: DocumentContent;
  /** Why it can never be issued: the XML alone exceeds the SRI's size. Null for one that fits, and where no XML can be built. */
  readonly tooLarge: Finding | null;
}

/** Content for a preview: completed and measured by its XML, but held against no other rule and no schema. Pure; never throws on bad content. */
export function preview(content: DocumentContent, issuer: IssuerSnapshot): Preview {
  const type = documentType(content.documentType);
  if (type === undefined) return { content, tooLarge: null };
  const malformed = shapeFindings(type, content);
  // An XML can be built without the lines or taxes that a draft lacks, and is only larger with them.
  if (malformed.some(({ rule }) => rule !== EMPTY_LIST)) return { content, tooLarge: null };
  const whole = type.normalise(content, issuer).content;
  const tooLarge = sizeFinding(Buffer.byteLength(type.buildXml(whole, issuer, PLACEHOLDER)));
  return { content: malformed.length > 0 ? content : whole, tooLarge };
}

/** @param xmlBytes UTF-8 size of the unsigned XML */
function sizeFinding(xmlBytes: number): Finding | null {
  const signedBytes = xmlBytes + SIGNATURE_BYTES;
  return signedBytes > MAX_DOCUMENT_BYTES ? finding(RULES['document.size'], '', `≤ ${MAX_DOCUMENT_BYTES}`, String(signedBytes)) : null;
}

function shapeFindings(type: DocumentTypeDefinition, content: DocumentContent): readonly Finding[] {
  return [...checkShape(content), ...(type.shape?.(content) ?? [])];
}

/**
 * Tax groups are made of the lines, so there are none when no line has a tax that exists. The findings about the lines then say
 * more than that groups are missing. Null when the missing groups are not the only fault, or nothing is wrong with the lines.
 */
function whyUntaxed(type: DocumentTypeDefinition, content: DocumentContent, issuer: IssuerSnapshot, context: RuleContext, malformed: readonly Finding[]): readonly Finding[] | null {
  if (malformed.length > 1 || malformed[0]?.pointer !== '/taxes' || content.taxes.length > 0) return null;
  const ofLines = [...type.check(type.normalise(content, issuer).content, issuer, context)].filter(({ pointer, severity }) => severity === 'error' && pointer.startsWith('/lines/'));
  return ofLines.length > 0 ? ofLines : null;
}

function refused(content: DocumentContent, findings: readonly Finding[]): Preflight {
  return { content, findings: bounded(findings), xmlBytes: 0 };
}

/** The first of each severity, and whether there are more: no answer and no row grows with what a body repeats. */
function bounded(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MOST_FINDINGS) return findings;
  const [errors, warnings] = (['error', 'warning'] as const).map((severity) => findings.filter((one) => one.severity === severity)) as [Finding[], Finding[]];
  return [
    ...errors.slice(0, MOST_FINDINGS), ...(errors.length > MOST_FINDINGS ? [finding(RULES['document.more_errors'], '')] : []),
    ...warnings.slice(0, MOST_FINDINGS), ...(warnings.length > MOST_FINDINGS ? [finding(RULES['document.more_warnings'], '')] : []),
  ];
}

/** Schema problems by position; where a rule has spoken already, the schema's words add nothing. */
function schemaFindings(
  xml: string,
  type: DocumentTypeDefinition,
  content: DocumentContent,
  known: readonly Finding[],
): readonly Finding[] {
  const spoken = new Positions(known.filter(({ severity }) => severity === 'error').map(({ pointer }) => pointer));
  const pointers = type.pointersFor?.(content) ?? type.schemaPointers;
  const byPosition = new Map<string, Finding>();
  for (const problem of validateAgainstSchema(xml, type.schemaFile(content))) {
    const pointer = pointerOf(problem, pointers);
    if (byPosition.has(pointer) || spoken.overlap(pointer)) continue;
    byPosition.set(pointer, finding(RULES.schema, pointer, null, problem.message));
  }
  return [...byPosition.values()];
}

/** From `/factura/detalles/detalle[2]/descripcion` to `/lines/1/description`, by the nearest listed ancestor. */
function pointerOf(problem: SchemaProblem, pointers: DocumentTypeDefinition['schemaPointers']): string {
  const steps = (problem.xpath ?? '').split('/').slice(2);
  const positions = new Map<string, number>();
  const names = steps.map((step) => {
    const [, name = step, position = '1'] = /^([^[]+)\[(\d+)\]$/.exec(step) ?? [];
    positions.set(name, Number(position) - 1);
    return name;
  });
  for (let depth = names.length; depth > 0; depth -= 1) {
    const template = pointers[names.slice(0, depth).join('/')];
    if (template !== undefined)
      return template.replace(/\{(\w+)\}/g, (_, name: string) => String(positions.get(name) ?? 0));
  }
  return '';
}
