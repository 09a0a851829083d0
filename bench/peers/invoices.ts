import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { buildAccessKey } from '../../src/sri/access-key.js';
import { withComputedTotals } from '../../src/sri/document-types/computed-totals.js';
import type { DocumentContent, IssuerSnapshot } from '../../src/sri/document-types/content.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';

export interface Invoice {
  /** Canonical, without prolog or signature. */
  readonly xml: string;
  readonly accessKey: string;
}

const type = documentTypes.find(({ code }) => code === '01')!;
const example = type.examples.find(({ name }) => name === 'full')!;

/** Who issues: the certificate must carry it. */
export const ISSUER_RUC = example.issuer.ruc;

/**
 * Today's invoices, with totals that foot; every one has the next number.
 * @param text stands as the buyer's name and in an attribute of the first line
 */
export function invoicesOf(lines: number, emissionPointCode = '001', text = 'CLIENTE FICTICIO'): (sequential: number) => Invoice {
  const issuer: IssuerSnapshot = { ...example.issuer, emissionPointCode };
  const issueDate = guayaquilDay(new Date());
  const written = example.content.lines[0]!;
  const content: DocumentContent = {
    ...example.content,
    issueDate,
    tip: null,
    buyerName: text,
    payments: [],
    lines: Array.from({ length: lines }, (_, i) => ({
      ...written,
      lineNumber: i + 1,
      mainCode: `PROD-${i + 1}`,
      description: i % 4 === 0 ? `Edición número ${i + 1}, año 2026` : `Producto de ejemplo ${i + 1}`,
      additionalDetails: i === 0 ? [{ name: 'Nota', value: text }] : [],
    })),
  };
  const { content: complete } = type.normalise(withComputedTotals(content, issuer), issuer);
  // Normalising may shorten blanks; what a signer is given is the text as it is.
  const asGiven = { ...complete, buyerName: text };
  return (sequential) => {
    const accessKey = buildAccessKey({
      issueDate,
      documentType: '01',
      ruc: issuer.ruc,
      environment: issuer.environment,
      establishment: issuer.establishmentCode,
      emissionPoint: issuer.emissionPointCode,
      sequential,
      numericCode: asGiven.numericCode,
    });
    return { xml: type.buildXml(asGiven, issuer, { sequential, accessKey }), accessKey };
  };
}
