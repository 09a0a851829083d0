import { BounceAddress } from './bounce-address.js';
import { givenUpReason } from './delivery-status.js';

const ID = '3f0e8a56-2c1b-4d7e-9a01-6b5c4d3e2f10';
const bounces = new BounceAddress('bounces@mail.example', 'a secret of some length');

/** As Postfix writes it. */
const notification = (action: string, status: string, diagnostic: string): string =>
  [
    'From: MAILER-DAEMON@mx.example (Mail Delivery System)', 'Subject: Undelivered Mail Returned to Sender', 'To: bounces@mail.example', 'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status;', '\tboundary="4F1.1700/mx.example"', '', 'This is a MIME-encapsulated message.', '',
    '--4F1.1700/mx.example', 'Content-Description: Notification', 'Content-Type: text/plain; charset=us-ascii', '', 'I am sorry: Action: failed is only said here.', '',
    '--4F1.1700/mx.example', 'Content-Description: Delivery report', 'Content-Type: message/delivery-status', '',
    'Reporting-MTA: dns; mx.example', 'Arrival-Date: Tue, 15 Sep 2026 10:00:00 -0500 (-05)', '',
    'Final-Recipient: rfc822; ana@example.com', `Action: ${action}`, `Status: ${status}`, 'Remote-MTA: dns; example.com', `Diagnostic-Code: smtp; ${diagnostic}`, '',
    '--4F1.1700/mx.example', 'Content-Type: message/rfc822', '', 'Action: failed', '', '--4F1.1700/mx.example--', '',
  ].join('\r\n');

describe('an address that mails come back to', () => {
  it('names its mail, also in capitals and brackets', () => {
    const address = bounces.of(ID);
    expect(address).toMatch(/^bounces\+[0-9a-f]{32}\.[0-9a-f]{16}@mail\.example$/);
    for (const told of [address, address.toUpperCase(), `<${address}>`]) expect(bounces.mailOf(told)).toBe(ID);
  });

  it('is not made up', () => {
    const address = bounces.of(ID);
    const other = new BounceAddress('bounces@mail.example', 'another secret of ours').of(ID);
    const foreign = new BounceAddress('returns@mail.example', 'a secret of some length').of(ID);
    const guessed = address.replace(/\.[0-9a-f]{16}@/, '.0000000000000000@');
    for (const told of [other, foreign, guessed, address.replace('3f0e', '3f0f'), 'bounces@mail.example', '', 'x'.repeat(10_000)]) expect(bounces.mailOf(told)).toBeNull();
  });
});

describe('a notification of delivery', () => {
  it('says why a mail was given up', () => {
    expect(givenUpReason(notification('failed', '5.1.1', '550 5.1.1 <ana@example.com>: user\r\n    unknown'))).toBe('550 5.1.1 <ana@example.com>: user unknown');
    expect(givenUpReason(notification('Failed', '5.2.2', '').replace(/Diagnostic-Code.*\r\n/, ''))).toBe('5.2.2');
  });

  it('is read also of an address with letters beyond ASCII, and in the encodings of mails', () => {
    const [given, refused] = ['message/delivery-status', '550 5.1.1 <maría@example.com>: unknown'];
    const plain = notification('failed', '5.1.1', refused);
    expect(givenUpReason(plain.replace(given, 'message/global-delivery-status'))).toBe(refused);
    const encoded = (encoding: string, encode: (part: string) => string): string => {
      const start = plain.indexOf('Reporting-MTA');
      const end = plain.indexOf('\r\n--4F1', start);
      const headings = plain.slice(0, start).replace(/Content-Type: message\/delivery-status/, `Content-Transfer-Encoding: ${encoding}\r\nContent-Type: message/global-delivery-status`);
      return headings + encode(plain.slice(start, end)) + plain.slice(end);
    };
    expect(givenUpReason(encoded('base64', (part) => Buffer.from(part).toString('base64').replace(/.{76}/g, '$&\r\n')))).toBe(refused);
    expect(givenUpReason(encoded('Quoted-Printable', (part) => part.replace('í', '=C3=AD').replace('5.1.1 <', '5.1.=\r\n1 <')))).toBe(refused);
  });

  it.each(['delayed', 'delivered', 'relayed', 'expanded'])('that was %s changes nothing', (action) => {
    expect(givenUpReason(notification(action, '4.4.1', '451 busy'))).toBeNull();
  });

  it.each(['', 'Action: failed', 'Subject: Out of office\r\n\r\nAction: failed\r\n', notification('failed', '5.1.1', 'x').replace('message/delivery-status', 'text/plain')])('is nothing else: %#', (text) => {
    expect(givenUpReason(text)).toBeNull();
  });
});
