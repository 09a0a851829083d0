import { parseArgs } from 'node:util';
import { readSettings, type Settings } from './config/settings.js';
import { Archive, ArchiveDocuments, type Kind, RemovePastRows, RetentionStore } from './modules/retention/public.js';
import { SystemClock } from './platform/adapters/system-clock.js';
import { TimerSleeper } from './platform/adapters/timer-sleeper.js';
import { runCommand } from './platform/run-command.js';
import { guayaquilDay } from './shared/guayaquil.js';

const DAY_MS = 86_400_000;

/**
 * `npm run retention`: tells what is past its time; `-- --apply` archives and removes it. `--only documents` or
 * `--only operation` does one of both; `--batch` documents in one transaction.
 */
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

  const ports = { clock: new SystemClock(), sleeper: new TimerSleeper() };
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const store = await RetentionStore.open(settings.DATABASE_OWNER_URL);
  try {
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

await runCommand(run, 'the run failed');
