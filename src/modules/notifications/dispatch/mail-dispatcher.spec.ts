import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Settings } from '../../../config/settings.js';
import type { KillPoints } from '../../../platform/faults/kill-points.js';
import type { Mailer } from '../../../platform/mail/mailer.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { TimerSleeper } from '../../../platform/adapters/timer-sleeper.js';
import type { MailWorkRepository } from '../persistence/mail-work.repository.js';
import type { NoticesRepository } from '../persistence/notices.repository.js';
import type { DocumentMailWriter } from './document-mail.js';
import { MailCourier } from './mail-courier.js';
import { MailDispatcher } from './mail-dispatcher.js';
import type { NoticeMailWriter } from './notice-mail.js';

const NOW = new Date('2026-05-04T10:00:00.000Z');
const ROW = { tenantId: 't', id: 'm', kind: 'mail' as const };
const SETTINGS = { SHUTDOWN_SECONDS: 0.2, MAIL_CONCURRENCY: 1, MAIL_LEASE_SECONDS: 600, MAIL_INTERVAL_MS: 1 } as unknown as Settings;
const never = (): Promise<never> => new Promise(() => undefined);

/** Stops a worker while the one mail that it has taken is written, which takes for ever. @returns the calls that gave it back */
async function stoppedWhileWriting(giveBack: () => Promise<void>): Promise<unknown[][]> {
  const ports = { clock: { now: () => NOW }, ids: { uuid: () => 'token' }, sleeper: new TimerSleeper() };
  let begun = (): void => undefined;
  const writing = new Promise<void>((resolve) => (begun = resolve));
  const givenBack: unknown[][] = [];
  const due = [ROW];
  const work = {
    claim: () => Promise.resolve(due.splice(0)),
    giveBack: (...call: unknown[]) => (givenBack.push(call), giveBack()),
  } as unknown as MailWorkRepository;
  const mailer = { isReady: true } as Mailer;
  const documentMails = { write: () => (begun(), never()) } as unknown as DocumentMailWriter;
  const courier = new MailCourier(work, {} as NoticesRepository, documentMails, {} as NoticeMailWriter, mailer, {} as KillPoints, ports.clock, ports.sleeper, SETTINGS);
  const shutdown = new Shutdown(SETTINGS);
  const dispatcher = new MailDispatcher(work, courier, mailer, ports.clock, ports.ids, ports.sleeper, SETTINGS, shutdown);
  dispatcher.onApplicationBootstrap();
  await writing;
  for (const part of [shutdown, dispatcher]) part.onModuleDestroy();
  await dispatcher.beforeApplicationShutdown();
  return givenBack;
}

describe('a worker that stops while a mail is written', () => {
  beforeEach(() => void jest.spyOn(Logger.prototype, 'error').mockReturnValue());
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['gives the mail back', () => Promise.resolve()],
    ['waits no longer than it has time, though the mail cannot be given back', never],
  ])('%s', async (_what, giveBack) => {
    expect(await stoppedWhileWriting(giveBack)).toEqual([[ROW, 'token', NOW]]);
  });
});
