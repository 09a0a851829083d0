/** A mail as its reader sees it. */
export interface Mail {
  /** Place among the mails since the start, from 1. */
  readonly number: number;
  /** Sender and recipients of the envelope. */
  readonly sender: string;
  readonly to: readonly string[];
  /** By lower-case name, decoded; of one that stands several times all values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly attachments: readonly MailAttachment[];
  readonly receivedAt: Date;
}

export interface MailAttachment {
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Buffer;
}

interface Part {
  readonly headers: Mail['headers'];
  readonly type: string;
  readonly body: string;
}

/** Reads a mail (RFC 5322, 2045 to 2047), as this service sends it. */
export function readMail(raw: string, envelope: Pick<Mail, 'number' | 'sender' | 'to' | 'receivedAt'>): Mail {
  const whole = readPart(raw.replace(/^\.\./gm, '.'));
  const leaves = leavesOf(whole);
  const attached = leaves.filter(({ headers }) => /^attachment/i.test(first(headers, 'content-disposition')));
  const shown = (type: string): string | undefined => {
    const part = leaves.find((leaf) => leaf.type === type && !attached.includes(leaf));
    return part && bytesOf(part).toString('utf8');
  };
  return {
    ...envelope,
    headers: whole.headers,
    subject: first(whole.headers, 'subject'),
    text: shown('text/plain') ?? '',
    html: shown('text/html') ?? null,
    attachments: attached.map((part) => ({ fileName: parameter(first(part.headers, 'content-disposition'), 'filename'), type: part.type, bytes: bytesOf(part) })),
  };
}

function readPart(raw: string): Part {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const headers = new Map<string, string[]>();
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), decodeWords(line.slice(colon + 1).trim())]);
  }
  const type = (first(headers, 'content-type') || 'text/plain').split(';')[0] ?? '';
  return { headers, type: type.trim().toLowerCase(), body: body.join('\r\n\r\n') };
}

/** The parts that hold something themselves. */
function leavesOf(part: Part): Part[] {
  if (!part.type.startsWith('multipart/')) return [part];
  const boundary = parameter(first(part.headers, 'content-type'), 'boundary');
  const pieces = `\r\n${part.body}`.split(`\r\n--${boundary}`).slice(1);
  return pieces.filter((piece) => !piece.startsWith('--')).flatMap((piece) => leavesOf(readPart(piece.replace(/^[ \t]*\r\n/, ''))));
}

function bytesOf({ headers, body }: Part): Buffer {
  switch (first(headers, 'content-transfer-encoding').toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64');
    case 'quoted-printable':
      return fromQuoted(body.replace(/=\r\n/g, ''));
    default:
      return Buffer.from(body, 'utf8');
  }
}

const first = (headers: Mail['headers'], name: string): string => headers.get(name)?.[0] ?? '';

const parameter = (header: string, name: string): string => {
  const [, quoted, plain] = new RegExp(`${name}=(?:"([^"]*)"|([^;\\s]*))`, 'i').exec(header) ?? [];
  return quoted ?? plain ?? '';
};

/** Words such as =?UTF-8?Q?Contrase=C3=B1a?= in a header. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      (kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64') : fromQuoted(word.replaceAll('_', ' '))).toString('utf8'),
    );
}

function fromQuoted(text: string): Buffer {
  const bytes: Buffer[] = text.split(/(=[0-9A-F]{2})/i).map((part) => (/^=[0-9A-F]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part, 'utf8')));
  return Buffer.concat(bytes);
}
