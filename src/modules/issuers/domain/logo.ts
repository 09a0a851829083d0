import { isCutShort, LOGO_LIMITS, type LogoProblem, readLogo } from '../../../sri/ride/logo.js';

const FAILURES: Readonly<Record<LogoProblem, string>> = {
  unknown_format: 'image_type',
  damaged: 'image_damaged',
  unsupported: 'image_unsupported',
  too_large: 'image_too_large',
};

/** Type and parameters of the failure of an image that cannot be printed, or only in part; null for one that can. */
export function logoFailure(bytes: Buffer): { type: string; ctx: Record<string, unknown> } | null {
  const logo = readLogo(bytes);
  const problem = typeof logo === 'string' ? logo : isCutShort(logo) ? 'damaged' : null;
  return problem === null ? null : { type: FAILURES[problem], ctx: { max_bytes: LOGO_LIMITS.bytes, max_pixels: LOGO_LIMITS.pixels } };
}

/** The image of a base64 field: absent stays absent, null removes. */
export function logoBytes(logo: string | null | undefined): Buffer | null | undefined {
  return typeof logo === 'string' ? Buffer.from(logo, 'base64') : logo;
}
