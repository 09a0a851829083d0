import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readSettings, type Settings } from './config/settings.js';
import { Archive, ArchiveDocuments, type Kind, RemovePastRows, RetentionStore } from './modules/retention/public.js';
import { SystemClock } from './platform/adapters/system-clock.js';
import { TimerSleeper } from './platform/adapters/timer-sleeper.js';
import { runCommand } from './platform/run-command.js';
import { guayaquilDay } from './shared/guayaquil.js';

const DAY_MS = 86_400_000;

const USAGE = `npm run retention -- [--apply] [--only documents|operation] [--batch N]

Tells what is past its time (docs/retention.md) and changes nothing, with the settings of the service and DATABASE_OWNER_URL.

  --apply            archives documents into RETENTION_ARCHIVE_DIR, and removes these and all else that is past its time
  --only documents   documents alone
  --only operation   all else alone: events, deliveries, mails, lines of the audit log, sessions, links
  --batch N          documents in one transaction, 1 to 1000 (default 200)`;

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { apply: { type: 'boolean', default: false }, only: { type: 'string' }, batch: { type: 'string', default: '200' } },
  });
  if (values.only !== undefined && values.only !== 'documents' && values.only !== 'operation') throw new Error('--only: documents or operation');
  const batch = Number(values.batch);
  if (!Number.isInteger(batch) || batch < 1 || batch > 1_000) throw new Error('--batch: 1 to 1000');
  const settings = readSettings();
  const folder = settings.RETENTION_ARCHIVE_DIR;
  const archives = values.only !== 'operation';
  if (values.apply && archives && folder === undefined) throw new Error('RETENTION_ARCHIVE_DIR: where archived documents go, required to remove any (or say --only operation)');
  if (archives && folder !== undefined && !existsSync(folder)) throw new Error(`RETENTION_ARCHIVE_DIR: ${folder} does not exist; create it, or mount the volume that holds it`);

  const ports = { clock: new SystemClock(), sleeper: new TimerSleeper() };
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const store = await RetentionStore.open(settings.DATABASE_OWNER_URL);
  try {
    const unknown = await store.unknownTenants(settings.RETENTION_HOLD_TENANTS);
    if (unknown.length > 0) throw new Error(`RETENTION_HOLD_TENANTS: no tenant has the id ${unknown.join(', ')}; nothing was removed`);
    if (values.only !== 'documents') await new RemovePastRows(store, ports.sleeper, say).execute(limits(settings, ports.clock.now()), values.apply);
    if (archives) {
      const before = firstKeptDay(guayaquilDay(ports.clock.now()), settings.RETENTION_DOCUMENT_YEARS);
      const archive = values.apply && folder !== undefined ? new Archive(folder) : null;
      const { due, archived, removed, held } = await new ArchiveDocuments(store, archive, ports, say).execute({ before, batch, heldTenants: settings.RETENTION_HOLD_TENANTS });
      say(`documents issued before ${before}: ${due} due, ${archived} archived, ${removed} removed, ${held} held`);
    }
    if (!values.apply) say('nothing was changed: --apply does it');
  } finally {
    await store.close();
  }
}

/** Documents go by whole months: the first day of the month in which the youngest one is kept. */
function firstKeptDay(today: string, years: number): string {
  return `${Number(today.slice(0, 4)) - years}-${today.slice(5, 7)}-01`;
}

function limits(settings: Settings, now: Date): Record<Kind, Date> {
  const ago = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  return {
    deliveries: ago(settings.RETENTION_DELIVERY_DAYS), events: ago(settings.RETENTION_EVENT_DAYS), mails: ago(settings.RETENTION_MAIL_DAYS),
    audit: ago(settings.RETENTION_AUDIT_DAYS), sessions: ago(settings.RETENTION_SIGN_IN_DAYS), links: ago(settings.RETENTION_SIGN_IN_DAYS),
  };
}

await runCommand({ usage: USAGE, otherwise: 'the run failed' }, run);
