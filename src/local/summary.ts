import { relative } from 'node:path';
import type { DemoTenant } from './data-folder.js';
import { nextInvoiceCommand } from './demo-invoice.js';
import type { AuthorizedInvoice } from './first-invoice.js';

export interface SummaryFacts {
  readonly invoice: AuthorizedInvoice;
  readonly demo: DemoTenant;
  readonly apiUrl: string;
  readonly simulatorUrl: string | null;
  readonly secondsToAuthorized: number;
  readonly logs: string;
  /** File with the settings of the running processes; null when they end at once. */
  readonly environmentFile: string | null;
}

/** What the newcomer reads once the first invoice is authorized. */
export function summary(facts: SummaryFacts, workingFolder: string): string {
  const { invoice } = facts;
  const short = (path: string) => {
    const fromHere = relative(workingFolder, path);
    return fromHere.startsWith('..') ? path : fromHere;
  };
  const lines = [
    '',
    `Invoice ${invoice.number} is AUTHORIZED, ${facts.secondsToAuthorized.toFixed(1)} s after the start.`,
    '',
    `  access key     ${invoice.accessKey}`,
    `  authorization  ${invoice.accessKey} of ${invoice.authorizationDate}`,
    `  signed XML     ${short(invoice.xmlFile)}`,
  ];
  if (facts.environmentFile === null) return [...lines, ''].join('\n');
  return [
    ...lines,
    '',
    'The next one:',
    '',
    nextInvoiceCommand(facts.apiUrl, facts.demo),
    '',
    `  Swagger UI     ${facts.apiUrl}/docs`,
    `  API key        ${facts.demo.api_key}`,
    ...(facts.simulatorUrl === null ? [] : [`  SRI simulator  ${facts.simulatorUrl}/control/ledger?access_key=${invoice.accessKey}`]),
    `  logs           ${short(facts.logs)}/*.log`,
    `  settings       ${short(facts.environmentFile)} (for further processes)`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
