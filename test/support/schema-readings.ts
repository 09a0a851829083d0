import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { expressionOf } from '../../src/sri/xml/schema-expression.js';
import { parserProblems } from './official-schema.js';

/** A schema as the service reads it, once as an expression and once by the parser. */
export class SchemaReadings {
  private readonly source: XmlDocument;
  private readonly validator: XsdValidator;
  readonly expression: RegExp;

  constructor(xsd: string) {
    this.source = XmlDocument.fromString(xsd);
    this.expression = expressionOf(this.source.root);
    this.validator = XsdValidator.fromDoc(this.source);
  }

  /** By the parser. */
  isValid(xml: string): boolean {
    return parserProblems(xml, this.validator).length === 0;
  }

  dispose(): void {
    this.validator.dispose();
    this.source.dispose();
  }
}
