import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createDemoPkcs12 } from '../../local/demo-certificate.js';
import { demoRuc } from '../../local/demo-ruc.js';
import { SystemClock } from '../../platform/adapters/system-clock.js';
import { checkRuc } from '../../sri/taxpayer-id.js';
import { CliFailure } from '../failure.js';
import type { Output } from '../output.js';

/**
 * `sello test-certificate FILE`: a PKCS#12 file that the service and the simulator take and the SRI does not, for a RUC that
 * is made up unless given. Its line is for a shell's `eval`.
 */
export async function testCertificate(output: Output, file: string, ruc: string = demoRuc()): Promise<void> {
  const check = checkRuc(ruc);
  if (!check.valid) throw new CliFailure('usage', `--ruc ${ruc} is not a RUC of an issuer: ${check.problem ?? ''}`);
  const password = randomBytes(9).toString('base64url');
  const container = await createDemoPkcs12({ ruc, legalName: 'NEGOCIO DE PRUEBA', password, now: new SystemClock().now() });
  try {
    // A key that is there already is not written over.
    writeFileSync(file, container, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CliFailure('usage', `${file} cannot be written: ${(error as Error).message}`);
  }
  output.tell({ ruc, file, password }, `export RUC=${ruc} P12=${quoted(file)} P12_PASSWORD=${password}`);
}

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
