import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ParseOption,
  XmlBufferInputProvider,
  XmlDocument,
  XmlLibError,
  xmlCleanupInputProvider,
  xmlRegisterInputProvider,
  XsdValidator,
} from 'libxml2-wasm';

const NO_NETWORK = { option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE };
const SIGNATURE_SCHEMA = 'xmldsig-core-schema.xsd';

/**
 * An official schema of the SRI, read from a folder outside the repository. The
 * W3C signature schema that it imports is served from memory without its document
 * type declaration, and the RIMPE legend is widened to the two texts in use.
 */
export class OfficialSchema {
  private readonly source: XmlDocument;
  private readonly validator: XsdValidator;

  /** @param asPublished leaves the legend as narrow as the published file has it */
  constructor(referenceDir: string, file: string, asPublished = false) {
    const folder = join(referenceDir, 'xsd');
    const signature = readFileSync(join(folder, SIGNATURE_SCHEMA), 'utf8').replace(
      /<!DOCTYPE[^[>]*(\[[\s\S]*?\])?\s*>/,
      '',
    );
    const published = readFileSync(join(folder, file), 'utf8').replace(/version="1\.1"/, 'version="1.0"');
    const schema = asPublished
      ? published
      : published.replace('"CONTRIBUYENTE RÉGIMEN RIMPE"', '"CONTRIBUYENTE (NEGOCIO POPULAR - )?RÉGIMEN RIMPE"');
    xmlRegisterInputProvider(new XmlBufferInputProvider({ [SIGNATURE_SCHEMA]: Buffer.from(signature) }));
    try {
      this.source = XmlDocument.fromString(schema, NO_NETWORK);
      this.validator = XsdValidator.fromDoc(this.source);
    } finally {
      xmlCleanupInputProvider();
    }
  }

  /** Messages of the official schema; none means valid. Broken XML counts as invalid. */
  problems(xml: string): readonly string[] {
    return parserProblems(xml, this.validator);
  }

  dispose(): void {
    this.validator.dispose();
    this.source.dispose();
  }
}

/** What libxml2 says about a document; nothing means valid. */
export function parserProblems(xml: string, validator: XsdValidator): readonly string[] {
  let document: XmlDocument | undefined;
  try {
    document = XmlDocument.fromBuffer(Buffer.from(xml), NO_NETWORK);
    validator.validate(document);
    return [];
  } catch (error) {
    if (error instanceof XmlLibError) return error.details.length > 0 ? error.details.map(({ message }) => message.trim()) : [error.message];
    throw error;
  } finally {
    document?.dispose();
  }
}
