import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

/** The headers of a message by Standard Webhooks: one signature for each secret, the current one's first. */
export function signedHeaders(id: string, at: Date, body: string, secrets: readonly Buffer[]): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
