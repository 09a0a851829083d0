import { oneLine } from './delivery.js';

/** RFC 3464, or RFC 6533 where an address has letters beyond ASCII. */
const MACHINE_READABLE = /^content-type:\s*message\/(?:global-)?delivery-status\b/im;
const ENCODING = /^content-transfer-encoding:\s*([\w-]+)/im;

/**
 * Reads from a delivery status notification, as mail servers send it back, whether the mail was given up.
 * @returns why, in the words of the server that refused it; null when the mail is only late, was delivered, or the text
 * is no such notification
 */
export function givenUpReason(notification: string): string | null {
  const text = notification.replace(/\r\n?/g, '\n');
  const at = MACHINE_READABLE.exec(text)?.index;
  if (at === undefined) return null;
  const start = text.indexOf('\n\n', at);
  if (start < 0) return null;
  const boundary = /\n--[^\n]/.exec(text.slice(start))?.index;
  const heading = text.slice(text.lastIndexOf('\n\n', at) + 1, start);
  const part = decoded(text.slice(start, boundary === undefined ? undefined : start + boundary), ENCODING.exec(heading)?.[1]?.toLowerCase());
  // One group of fields for the message, one for each recipient; ours have one.
  for (const group of part.split(/\n\s*\n/)) {
    const fields = fieldsOf(group);
    if (fields.get('action')?.toLowerCase() !== 'failed') continue;
    const told = fields.get('diagnostic-code')?.replace(/^[a-z-]+\s*;\s*/i, '') ?? fields.get('status') ?? 'undeliverable';
    return oneLine(told);
  }
  return null;
}

function decoded(part: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(part, 'base64').toString('utf8').replace(/\r\n?/g, '\n');
  if (encoding !== 'quoted-printable') return part;
  const bytes = part.replace(/=[ \t]*\n/g, '').replace(/=([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function fieldsOf(group: string): ReadonlyMap<string, string> {
  const lines = group.replace(/\n[ \t]+/g, ' ').split('\n');
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
}
