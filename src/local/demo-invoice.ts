import { exampleInvoice } from '../modules/documents/public.js';
import type { DemoTenant } from './data-folder.js';

/** Stands for the date in the body until the shell fills it in. */
const DATE = '@DATE@';

/**
 * A command for a POSIX shell that issues one more invoice and waits until it
 * is decided, or waits for a person. The date is taken when the command runs, in Ecuador's time, so it
 * stays valid on later days.
 */
export function nextInvoiceCommand(apiUrl: string, demo: DemoTenant): string {
  const body = JSON.stringify(exampleInvoice(demo, DATE, '12345678'));
  // Out of the single quotes for the date alone; ECT5 needs no time zone data.
  const withDate = body.replace(DATE, `'"$(TZ=ECT5 date +%F)"'`);
  return [
    `curl -sS ${apiUrl}/documents \\`,
    `  -H 'X-API-Key: ${demo.api_key}' \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=10' \\`,
    `  -d '${withDate}'`,
  ].join('\n');
}
