import { readFileSync } from 'node:fs';
import { ParseOption, XmlDocument, XmlLibError, XsdValidator } from 'libxml2-wasm';
import { expressionOf } from './schema-expression.js';

/** Largest signed document that the SRI takes (message 26): 320 KB. */
export const MAX_DOCUMENT_BYTES = 320 * 1024;

export interface SchemaProblem {
  readonly message: string;
  /** XPath of the offending element, where libxml2 gives it. */
  readonly xpath: string | null;
}

const PARSE_OPTIONS = { encoding: 'utf-8', option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE };
/** A document is only looked at, so its short texts may lie within their nodes, where none can be changed. */
const LOOK_OPTIONS = { ...PARSE_OPTIONS, option: PARSE_OPTIONS.option | ParseOption.XML_PARSE_COMPACT };

interface CompiledSchema {
  /** Matches what is valid and written as we write it: nearly every document, in a small part of the parser's time. */
  readonly expression: RegExp;
  readonly validator: XsdValidator;
  /** Held because libxml2 keeps pointers into it. */
  readonly source: XmlDocument;
}

/** Compiled schemas live as long as the process. */
const compiled = new Map<string, CompiledSchema>();

/**
 * Problems of a document against one of our schemas; none means valid. The size is
 * checked first; what the expression does not match is parsed, but for a document
 * type declaration, which is refused unparsed; nothing is fetched. Synchronous; the
 * parser's WebAssembly memory is given back before returning.
 *
 * @param schemaFile absolute path of the XSD; compiled once per file
 */
export function validateAgainstSchema(xml: string, schemaFile: string): readonly SchemaProblem[] {
  if (Buffer.byteLength(xml) > MAX_DOCUMENT_BYTES) {
    return [ofDocument(`The document is larger than ${MAX_DOCUMENT_BYTES} bytes`)];
  }
  const { expression, validator } = schemaOf(schemaFile);
  return expression.test(xml) ? [] : parsedProblems(xml, validator);
}

/** The parser's word on what the expression does not match. */
function parsedProblems(xml: string, validator: XsdValidator): readonly SchemaProblem[] {
  if (xml.includes('<!DOCTYPE')) return [ofDocument('A document type declaration is not allowed')];
  let document: XmlDocument | undefined;
  try {
    document = XmlDocument.fromBuffer(Buffer.from(xml), LOOK_OPTIONS);
    validator.validate(document);
    return [];
  } catch (error) {
    if (error instanceof XmlLibError) return problemsOf(error);
    throw error;
  } finally {
    document?.dispose();
  }
}

function schemaOf(schemaFile: string): CompiledSchema {
  const known = compiled.get(schemaFile);
  if (known !== undefined) return known;
  const source = XmlDocument.fromBuffer(readFileSync(schemaFile), PARSE_OPTIONS);
  let validator: XsdValidator | undefined;
  try {
    // First, since it says better what is wrong with a schema.
    validator = XsdValidator.fromDoc(source);
    const schema = { expression: expressionOf(source.root), validator, source };
    compiled.set(schemaFile, schema);
    return schema;
  } catch (error) {
    validator?.dispose();
    source.dispose();
    throw error;
  }
}

function problemsOf(error: XmlLibError): readonly SchemaProblem[] {
  if (error.details.length === 0) return [ofDocument(error.message)];
  return error.details.map(({ message, xpath }) => ({ message: message.trim(), xpath: xpath ?? null }));
}

function ofDocument(message: string): SchemaProblem {
  return { message, xpath: null };
}
