import { excerptOf, NoEvidence } from './message.js';
import { TransportFailure, type SoapLimits, type SoapTransport } from './transport.js';
import type { Unanswered } from './unanswered.js';

type Exchanged = Unanswered | { readonly kind: 'answer'; readonly body: string };

/** Longest wait taken from a `Retry-After`, in seconds. */
const MAX_RETRY_AFTER = 3600;

/** Asks one operation and reads what comes back. Never rejects for what the network or the SRI does. */
export async function ask<Answer>(transport: SoapTransport, url: string, envelope: string, limits: SoapLimits, read: (body: string) => Answer): Promise<Answer | Unanswered> {
  const answer = await exchange(transport, url, envelope, limits);
  if (answer.kind !== 'answer') return answer;
  try {
    return read(answer.body);
  } catch (error) {
    if (error instanceof NoEvidence) return unusable(error, answer.body);
    throw error;
  }
}

/** The question of an operation: its element with this content. */
export const envelopeOf = (namespace: string, operation: string, content: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?>' +
  `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ec="${namespace}">` +
  `<soapenv:Header/><soapenv:Body><ec:${operation}>${content}</ec:${operation}></soapenv:Body></soapenv:Envelope>`;

/** Posts an envelope; only a 200 with an XML body is worth reading. */
async function exchange(transport: SoapTransport, url: string, envelope: string, limits: SoapLimits): Promise<Exchanged> {
  try {
    const { status, contentType, body, retryAfter } = await transport.post(url, envelope, limits);
    const nothing = (reason: string, isAway: boolean): Unanswered => ({
      kind: 'no_evidence',
      reason,
      excerpt: excerptOf(body),
      ...retryAfterSeconds(retryAfter),
      ...(isAway && { isAway }),
    });
    const isXml = contentType === null || /\bxml\b/i.test(contentType);
    // With 500 and XML the service itself fails at a question, perhaps at this one alone.
    if (status !== 200) return nothing(`HTTP ${status}`, status !== 500 || !isXml);
    if (!isXml) return nothing('the answer is not XML', true);
    return { kind: 'answer', body };
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    if (error.kind === 'not_delivered') return { kind: 'not_delivered', reason: error.reason };
    return { kind: 'no_evidence', reason: error.reason, excerpt: '' };
  }
}

/** What an answer is worth that could be read no further. */
function unusable(error: NoEvidence, body: string): Unanswered {
  return { kind: 'no_evidence', reason: error.message, excerpt: excerptOf(body), ...(error.codes.length > 0 && { codes: error.codes }), ...(error.isHeard && { isHeard: true }) };
}

function retryAfterSeconds(header: string | null | undefined): { retryAfterSeconds?: number } {
  if (!/^\d{1,6}$/.test(header ?? '')) return {};
  return { retryAfterSeconds: Math.min(Number(header), MAX_RETRY_AFTER) };
}
