import type { QueryBus } from '@nestjs/cqrs';
import type { Mailer } from '../../../platform/mail/mailer.js';
import type { Logger } from '../../../platform/observability/logger.js';
import { DomainError } from '../../../shared/domain-error.js';
import { exampleFacts } from '../domain/example-facts.js';
import type { DocumentFactsRepository, DocumentMail } from '../persistence/document-facts.repository.js';
import { DEFAULT_MAIL_SETTINGS } from '../persistence/mail-settings.repository.js';
import { DocumentMailWriter } from './document-mail.js';

const MAIL: DocumentMail = {
  documentId: 'a document', status: 'AUTHORIZED', recipient: 'buyer@example.com', language: 'es', attempts: 2,
  facts: exampleFacts('01', 'TEST', new Date('2026-09-16T03:30:00Z')), settings: DEFAULT_MAIL_SETTINGS,
};

/** What is attached to the mail, and how often a document was read or drawn for it. */
async function written(isReady: boolean): Promise<{ attached: string[]; drawn: number }> {
  let drawn = 0;
  const documentFacts = { find: () => Promise.resolve(MAIL) } as unknown as DocumentFactsRepository;
  const queries = {
    execute: () => {
      drawn += 1;
      return Promise.resolve({ bytes: Buffer.from('drawn') });
    },
  } as unknown as QueryBus;
  const mail = await new DocumentMailWriter(documentFacts, queries, { isReady } as Mailer, {} as Logger).write('a tenant', 'a mail');
  if (mail === null || !('mail' in mail)) throw new Error('no mail was written');
  return { attached: (mail.mail.letter.attachments ?? []).map(({ type }) => type), drawn };
}

describe('the mail that brings a document', () => {
  it('has the XML and the printed representation with it', async () => {
    expect(await written(true)).toEqual({ attached: ['application/xml', 'application/pdf'], drawn: 2 });
  });

  it.each([
    ['too much waits to be printed', new DomainError('SERVICE_UNAVAILABLE', { reason: 'printing_busy' }), 'comes again without a try lost'],
    ['it cannot be drawn', new Error('no font'), 'put_off'],
    ['it costs too much to draw', new DomainError('SERVICE_UNAVAILABLE', { reason: 'printing_too_costly' }), 'put_off'],
    ['the machine has no room to draw it', new DomainError('SERVICE_UNAVAILABLE', { reason: 'machine_busy' }), 'put_off'],
  ])('when %s', async (_name, cause, then) => {
    const documentFacts = { find: () => Promise.resolve(MAIL) } as unknown as DocumentFactsRepository;
    const queries = { execute: () => Promise.reject(cause) } as unknown as QueryBus;
    const writing = new DocumentMailWriter(documentFacts, queries, { isReady: true } as Mailer, { error: () => undefined } as unknown as Logger).write('a tenant', 'a mail');
    if (then === 'put_off') await expect(writing).resolves.toMatchObject({ attempts: 2, outcome: { outcome: then } });
    else await expect(writing).rejects.toBe(cause);
  });

  it('costs no drawing while there is no mail server to take it', async () => {
    expect(await written(false)).toEqual({ attached: [], drawn: 0 });
  });
});
