import { createTransport } from 'nodemailer';
import { awaitMail } from '../../test/support/await-mail.js';
import { Mailbox } from './mailbox.js';

describe('the local mailbox', () => {
  it('keeps what a mail library sends, whatever its encoding, and shows it', async () => {
    const mailbox = await Mailbox.start();
    const transport = createTransport(mailbox.smtpUrl);
    const text = 'Contraseña: ñandú\n.dot\n..two\n<script>alert(1)</script>\n' + 'long '.repeat(60);
    for (const encoding of ['base64', 'quoted-printable'] as const) {
      await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: `Contraseña ñ ${'x'.repeat(90)}`, text, textEncoding: encoding });
    }
    transport.close();
    for (const index of [0, 1]) {
      const mail = await awaitMail(mailbox, 'b@example.com', index);
      expect(mail.subject).toBe(`Contraseña ñ ${'x'.repeat(90)}`);
      expect(mail.text.replaceAll('\r\n', '\n').trimEnd()).toBe(text.trimEnd());
    }
    const page = await (await fetch(mailbox.pageUrl)).text();
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<script>');
    await expect(awaitMail(mailbox, 'c@example.com', 0, 50)).rejects.toThrow('no mail');
    await mailbox.stop();
  });
});
