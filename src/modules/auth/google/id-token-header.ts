import { JsonRefusal, parseStrictJson } from '../../../platform/http/strict-json.js';

const MAX_CHARACTERS = 16_384;

/** The key id of what may be an ID token; null for whatever cannot be one, such as an access token of ours. */
export function keyIdOfHeader(token: string): string | null {
  const [header = ''] = token.split('.');
  if (token.length > MAX_CHARACTERS) return null;
  try {
    const read = parseStrictJson(Buffer.from(header, 'base64url').toString('utf8'), 4);
    if (typeof read !== 'object' || read === null) return null;
    const { alg, typ = 'JWT', kid, crit } = read as Readonly<Record<string, unknown>>;
    return alg === 'RS256' && typ === 'JWT' && typeof kid === 'string' && crit === undefined ? kid : null;
  } catch (error) {
    if (error instanceof JsonRefusal) return null;
    throw error;
  }
}
