/** The invoices that tests of its rules change, and what is found in them. */
import type { Finding } from '../../../src/shared/finding.js';
import { preflight } from '../../../src/sri/preflight.js';
import type { DocumentContent, DocumentLine, DocumentTax, IssuerSnapshot } from '../../../src/sri/document-types/content.js';
import { INVOICE_EXAMPLES } from '../../../src/sri/document-types/01-invoice/examples.js';

export const TODAY = '2026-09-15';
const named = (name: string) => INVOICE_EXAMPLES.find((example) => example.name === name)!;
export const FULL = named('full');
export const FINAL = named('final-consumer');
export const SEVERAL = named('several-taxes');

/** Findings as `severity rule pointer`, so that a test says all that came out, not a part of it. */
export function rulesOf(content: DocumentContent, issuer: IssuerSnapshot = FULL.issuer, maxIssueDateAgeDays = 90): string[] {
  return findingsOf(content, issuer, maxIssueDateAgeDays).map(
    ({ severity, rule, pointer }) => `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`,
  );
}

export function findingsOf(content: DocumentContent, issuer = FULL.issuer, maxIssueDateAgeDays = 90): readonly Finding[] {
  return preflight(content, issuer, { today: TODAY, maxIssueDateAgeDays }).findings;
}

export const full = (change: Partial<DocumentContent>): DocumentContent => ({ ...FULL.content, ...change });
export const final = (change: Partial<DocumentContent>): DocumentContent => ({ ...FINAL.content, payments: PAID, ...change });
export const PAID = [{ lineNumber: 1, paymentMethodCode: '01', total: '11.50', term: null, timeUnit: null }];

export function fullLine(index: number, change: Partial<DocumentLine>): DocumentContent {
  return full({ lines: FULL.content.lines.map((line, at) => (at === index ? { ...line, ...change } : line)) });
}

export function fullTax(index: number, change: Partial<DocumentTax>): DocumentContent {
  return full({ taxes: FULL.content.taxes.map((tax, at) => (at === index ? { ...tax, ...change } : tax)) });
}

export function severalLine(index: number, change: Partial<DocumentLine>): DocumentContent {
  const lines = SEVERAL.content.lines.map((line, at) => (at === index ? { ...line, ...change } : line));
  return { ...SEVERAL.content, lines };
}
