import { dirname, relative } from 'node:path';
import type { DemoTenant } from './data-folder.js';
import { nextInvoiceCommand } from './demo-invoice.js';
import type { DemonstratedDocument } from './demonstration.js';
import type { AuthorizedDocument } from './issue-document.js';
import type { SignInParts } from './sign-in-parts.js';

export interface SummaryFacts {
  /** Null where the tenant of an earlier start cannot issue now. */
  readonly invoice: AuthorizedDocument | null;
  readonly demo: DemoTenant;
  readonly apiUrl: string;
  /** Where API and worker show metrics, if they do. */
  readonly metricsUrls: readonly string[];
  readonly simulatorUrl: string | null;
  readonly signIn: SignInParts;
  readonly secondsToReady: number;
  readonly logs: string;
  /** File with the settings of the running processes. */
  readonly environmentFile: string;
}

/** What the newcomer reads once the first invoice is authorized, or the service is up without one. */
export function summary(facts: SummaryFacts, workingFolder: string): string {
  const { invoice } = facts;
  const short = (path: string): string => fromHere(path, workingFolder);
  return [
    '',
    ...(invoice === null
      ? [`The service is up, ${facts.secondsToReady.toFixed(1)} s after the start, without an invoice. Once what is in the way is settled:`]
      : [
          `Invoice ${invoice.number} is AUTHORIZED, ${facts.secondsToReady.toFixed(1)} s after the start.`,
          '',
          `  access key     ${invoice.accessKey}`,
          `  authorization  ${invoice.accessKey} of ${invoice.authorizationDate}`,
          `  signed XML     ${short(invoice.xmlFile)}`,
          `  printed        ${short(invoice.pdfFile)}`,
          '',
          'The next one:',
        ]),
    '',
    nextInvoiceCommand(facts.apiUrl, facts.demo),
    '',
    `  Swagger UI     ${facts.apiUrl}/docs`,
    `  API key        ${facts.demo.api_key}`,
    ...(facts.simulatorUrl === null ? [] : [`  SRI simulator  ${facts.simulatorUrl}${invoice === null ? '' : `/control/ledger?access_key=${invoice.accessKey}`}`]),
    ...(facts.signIn.mailboxUrl === null ? [] : [`  mails          ${facts.signIn.mailboxUrl}`]),
    ...(facts.signIn.identityProviderUrl === null ? [] : [`  sign in        ${facts.apiUrl}/auth/google (the provider believes who you say you are)`]),
    ...(facts.metricsUrls.length === 0 ? [] : [`  metrics        ${facts.metricsUrls.join(', ')}`]),
    `  logs           ${short(facts.logs)}/*.log`,
    `  settings       ${short(facts.environmentFile)} (for further processes)`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}

/** What a demonstration made, one line a document. */
export function demonstrationSummary(documents: readonly DemonstratedDocument[], seconds: number, workingFolder: string): string {
  const folder = fromHere(dirname(documents[0]?.xmlFile ?? '.'), workingFolder);
  return [
    '',
    `One document of each type is AUTHORIZED, ${seconds.toFixed(1)} s after the start.`,
    '',
    ...documents.map(({ type, name, number, accessKey }) => `  ${type} ${name.padEnd(20)} ${number}  access key ${accessKey}`),
    '',
    `Signed XML and PDF of each are in ${folder}`,
    '',
  ].join('\n');
}

/** The path as seen from the working folder, where it lies below it. */
function fromHere(path: string, workingFolder: string): string {
  const below = relative(workingFolder, path);
  return below.startsWith('..') ? path : below;
}
