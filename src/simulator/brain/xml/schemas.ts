import {
  XmlBufferInputProvider,
  XmlDocument,
  XmlElement,
  XmlValidateError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import { describe, HARDENED } from './parse.js';

/** A schema as text, with the texts of the files that it imports by relative name. */
export interface SchemaText {
  readonly text: string;
  readonly imports: ReadonlyMap<string, string>;
}

/** Where the texts come from: per root element and value of its `version`, null when there is none. */
export type SchemaSource = (rootElement: string, version: string) => SchemaText | null;

const ADDRESS = 'simulator-schema:///';
const SIGNATURE_NAMESPACE = 'http://www.w3.org/2000/09/xmldsig#';

const imports = new XmlBufferInputProvider({});
let importsRegistered = false;
let compiledSchemas = 0;

interface Compiled {
  readonly validator: XsdValidator;
  /** Whether the schema has a place for the signature; otherwise it is judged without it. */
  readonly admitsSignature: boolean;
}

/** The schemas of one source, each compiled once and kept for the life of the process. */
export class Schemas {
  private readonly compiled = new Map<string, Compiled | null>();

  constructor(private readonly source: SchemaSource) {}

  has(rootElement: string, version: string): boolean {
    return this.compile(rootElement, version) !== null;
  }

  /** First complaint of the schema about a document, or null when it is valid. */
  complaint(document: XmlDocument, rootElement: string, version: string): string | null {
    const compiled = this.compile(rootElement, version);
    if (compiled === null) return `no schema for ${rootElement} ${version}`;
    if (!compiled.admitsSignature) removeSignature(document);
    try {
      compiled.validator.validate(document);
      return null;
    } catch (error) {
      if (error instanceof XmlValidateError) return describe(error);
      throw error;
    }
  }

  private compile(rootElement: string, version: string): Compiled | null {
    const name = `${rootElement} ${version}`;
    const known = this.compiled.get(name);
    if (known !== undefined) return known;
    const schema = this.source(rootElement, version);
    const compiled = schema === null ? null : compile(schema);
    this.compiled.set(name, compiled);
    return compiled;
  }
}

function compile(schema: SchemaText): Compiled {
  if (!importsRegistered) {
    xmlRegisterInputProvider(imports);
    importsRegistered = true;
  }
  compiledSchemas += 1;
  const folder = `${ADDRESS}${compiledSchemas}/`;
  for (const [name, text] of schema.imports) imports.addBuffer(`${folder}${name}`, Buffer.from(text));
  const document = XmlDocument.fromString(schema.text, { url: `${folder}schema.xsd`, option: HARDENED });
  try {
    return {
      validator: XsdValidator.fromDoc(document),
      admitsSignature: schema.text.includes(SIGNATURE_NAMESPACE) || /namespace="##(other|any)"/.test(schema.text),
    };
  } finally {
    document.dispose();
  }
}

function removeSignature(document: XmlDocument): void {
  for (let at = document.root.firstChild; at !== null; at = at.next) {
    if (at instanceof XmlElement && at.namespaceUri === SIGNATURE_NAMESPACE) {
      at.remove();
      return;
    }
  }
}
