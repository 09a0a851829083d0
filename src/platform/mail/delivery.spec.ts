import { notTaken, withoutMailboxes } from './delivery.js';

/** As the mail library tells of a server's answer. */
const said = (command: string, response: string): Error => Object.assign(new Error('not sent'), { code: 'EENVELOPE', command, response, responseCode: Number(response.slice(0, 3)) });

describe('what a mail server refuses', () => {
  it.each([
    ['RCPT TO', '554 5.7.1 Relay access denied'],
    ['DATA', '554 5.7.1 looks like spam'],
    ['DATA', '550-5.7.26 This mail is unauthenticated\n550 5.7.26 see our page'],
    ['DATA', '554 Transaction failed'],
    ['DATA', '554'],
    ['RCPT TO', '554 Service not available for your address'],
    ['DATA', '550 5.4.5 Daily sending quota exceeded'],
    ['DATA', '451 4.3.0 later'],
    ['MAIL FROM', '550 5.1.0 sender rejected'],
    ['RCPT TO', '550 5.1.8 <no-reply@sello.example>: Sender address rejected: Domain not found'],
    ['RCPT TO', '550 5.1.7 <no-reply@sello.example>: that is not an address'],
    ['RCPT TO', '550 5.1.0 <no-reply@sello.example>: Sender address rejected: User unknown in virtual mailbox table'],
    ['RCPT TO', '550 Sender verify failed'],
  ])('is put off where an operator can mend it: %s, %s', (command, response) => {
    expect(notTaken(said(command, response)).outcome).toBe('put_off');
  });

  it.each([
    ['RCPT TO', '550 5.1.1 No such user', 'bounced'],
    ['RCPT TO', '550 No such user', 'bounced'],
    ['RCPT TO', '550 5.1.1 <sender@mail.example>: Recipient address rejected: User unknown', 'bounced'],
    ['RCPT TO', '554 5.4.4 no such domain', 'bounced'],
    ['DATA', '554 5.6.0 Message cannot be read', 'refused'],
    ['DATA', '552 5.3.4 too large', 'refused'],
    ['DATA', '550 not here', 'refused'],
  ])('is over where nobody can: %s, %s', (command, response, outcome) => {
    expect(notTaken(said(command, response))).toEqual({ outcome, reason: response });
  });
});

describe('words of a mail server', () => {
  it.each([
    ['550 5.1.1 <ana.perez+x@example.com>: user unknown', '550 5.1.1 <…@example.com>: user unknown'],
    ['550 ana@example.com and ñandú@example.com', '550 …@example.com and …@example.com'],
    ['550 5.7.23 see https://spf.example/why?id=ana%40example.com&ip=192.0.2.1', '550 5.7.23 see …%40example.com&ip=192.0.2.1'],
    ['554 5.7.1 Relay access denied', '554 5.7.1 Relay access denied'],
    ['550 @ home', '550 @ home'],
  ])('go to the log without mailboxes: %s', (words, logged) => {
    expect(withoutMailboxes(words)).toBe(logged);
  });
});
