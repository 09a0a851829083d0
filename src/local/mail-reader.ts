/** A mail as its reader sees it. */
export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly receivedAt: Date;
}

/** Reads a mail of plain text (RFC 5322, 2045, 2047), as this service sends it. */
export function readMail(raw: string, to: readonly string[], receivedAt: Date): Mail {
  const [head = '', ...body] = raw.replace(/^\.\./gm, '.').split('\r\n\r\n');
  const headers = new Map(
    head.replace(/\r\n[ \t]+/g, ' ').split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { to, subject: decodeWords(headers.get('subject') ?? ''), text: decodeBody(body.join('\r\n\r\n'), headers.get('content-transfer-encoding')), receivedAt };
}

function decodeBody(body: string, encoding = '7bit'): string {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8');
    case 'quoted-printable':
      return fromQuoted(body.replace(/=\r\n/g, ''));
    default:
      return body;
  }
}

/** Words such as =?UTF-8?Q?Contrase=C3=B1a?= in a header. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString('utf8') : fromQuoted(word.replaceAll('_', ' ')),
    );
}

function fromQuoted(text: string): string {
  const bytes: Buffer[] = text.split(/(=[0-9A-F]{2})/i).map((part) => (/^=[0-9A-F]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part, 'utf8')));
  return Buffer.concat(bytes).toString('utf8');
}
