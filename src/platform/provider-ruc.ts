import { type Settings, SettingsError } from '../config/settings.js';
import { checkRuc, type TaxpayerIdProblem } from '../sri/taxpayer-id.js';

const PROBLEMS: Readonly<Record<TaxpayerIdProblem, string>> = {
  format: 'it has not 13 digits',
  province: 'its first two digits are no province',
  third_digit: 'its third digit is that of no issuer',
  suffix: 'it does not end in 001',
  check_digit: 'its check digit is wrong',
};

/**
 * Looks at the RUC of the platform before a document names it. Settings themselves know nothing of the SRI.
 *
 * @returns a doubt for the log; null where there is none, and where no RUC is set
 * @throws SettingsError when it can be nobody's, as the service judges the RUCs of issuers
 */
export function doubtOfProviderRuc({ PROVIDER_RUC: ruc, STRICT_RUC_CHECK: strict }: Pick<Settings, 'PROVIDER_RUC' | 'STRICT_RUC_CHECK'>): string | null {
  if (ruc === undefined) return null;
  const { problem, warning } = checkRuc(ruc, { strict });
  if (problem !== undefined) throw new SettingsError(`PROVIDER_RUC: no RUC of an issuer: ${PROBLEMS[problem]}`);
  return warning === undefined ? null : 'PROVIDER_RUC: its check digit is wrong by modulo 11, which the SRI has given up: look whether it is yours, for every document names it';
}
