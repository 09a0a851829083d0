import type { Socket } from 'node:net';

const MAX_MAIL_BYTES = 20_971_520;

const ANSWERS: Readonly<Record<string, string>> = {
  EHLO: '250-mailbox\r\n250-8BITMIME\r\n250 SMTPUTF8',
  HELO: '250 mailbox',
  MAIL: '250 yes',
  RCPT: '250 yes',
  RSET: '250 yes',
  NOOP: '250 yes',
  DATA: '354 go on, end with a dot alone',
  QUIT: '221 bye',
};

/**
 * What is answered in the place of the usual: a line such as `550 no such user`, nothing ever (`hang`), or the end of the
 * connection (`drop`); null: the usual. `verb` is that of the command, CONN for a new connection, or BODY after a mail,
 * which is kept unless it is refused.
 */
export type Answering = (verb: string, line: string) => string | null | Promise<string | null>;

export type Keeping = (raw: string, sender: string, recipients: readonly string[]) => void;

/** Talks with one client as a mail server (RFC 5321) until either goes. */
export async function converse(socket: Socket, answering: Answering, keep: Keeping): Promise<void> {
  const readTo = reader(socket);
  /** Resolves to what was said. */
  const answer = async (verb: string, line: string, usual: string): Promise<string> => {
    const said = (await answering(verb, line)) ?? usual;
    if (said === 'drop') socket.destroy();
    else if (said !== 'hang') socket.write(`${said}\r\n`);
    return said;
  };
  await answer('CONN', '', '220 mailbox');
  let [sender, recipients] = ['', [] as string[]];
  for (let line = await readTo('\r\n'); line !== null; line = await readTo('\r\n')) {
    const verb = line.slice(0, 4).toUpperCase();
    const address = /<([^<>]*)>/.exec(line)?.[1] ?? '';
    const said = await answer(verb, line, ANSWERS[verb] ?? '502 not understood');
    if (verb === 'MAIL') sender = address;
    if (verb === 'RCPT' && said.startsWith('2')) recipients.push(address);
    if (verb === 'DATA' && said.startsWith('3')) {
      const raw = await readTo('\r\n.\r\n');
      if (raw === null) break;
      const verdict = await answering('BODY', raw);
      if (verdict === null || !/^[45]/.test(verdict)) keep(raw, sender, recipients);
      await answer('', '', verdict ?? '250 kept');
    }
    if (verb === 'RSET' || verb === 'DATA') recipients = [];
    if (verb === 'QUIT') break;
  }
  socket.end();
}

/** Reads up to an end mark; null when the client goes before it, or sends too much. */
function reader(socket: Socket): (end: string) => Promise<string | null> {
  socket.setEncoding('utf8');
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<string>;
  let unread = '';
  return async (end) => {
    for (;;) {
      const at = unread.indexOf(end);
      if (at >= 0) {
        const read = unread.slice(0, at);
        unread = unread.slice(at + end.length);
        return read;
      }
      if (unread.length > MAX_MAIL_BYTES) return null;
      const next = await chunks.next();
      if (next.done === true) return null;
      unread += next.value;
    }
  };
}
