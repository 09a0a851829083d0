import { parseArgs } from 'node:util';
import { readOwnerUrl } from './config/settings.js';
import { afterRestore, skipOf, USUAL_SKIP } from './operations/after-restore.js';
import { migrate } from './operations/migrate.js';
import { SystemClock } from './platform/adapters/system-clock.js';
import { loadBackup } from './platform/database/backup/load-backup.js';
import { runCommand } from './platform/run-command.js';

const USAGE = `npm run restore -- FOLDER [--skip N] [--hold-webhooks] [--drill]

Puts a backup into a database that holds nothing of the service yet, and makes it fit to be served. Every process of the
service is to be stopped, and DATABASE_OWNER_URL the owner of that database.

  --skip N         numbers that each counter leaves out, since they may have been issued after the backup
                   (default ${USUAL_SKIP}); 0 where nothing was issued in between
  --hold-webhooks  switches off every webhook, for one that was removed since is back: each sends again once it is switched on
  --drill          for a copy to try: switches off every webhook, and removes what waits to be delivered or mailed. Documents
                   under way are sent nevertheless, to the SRI that the settings name`;

/** Set once the rows are there, until they are fit to be served. */
let unfit = '';

async function run(): Promise<void> {
  const { positionals: [folder, ...more], values } = parseArgs({
    allowPositionals: true, options: { skip: { type: 'string' }, 'hold-webhooks': { type: 'boolean', default: false }, drill: { type: 'boolean', default: false } } });
  if (folder === undefined || more.length > 0) throw new Error('name the folder of the backup: npm run restore -- FOLDER');
  const skip = skipOf(values.skip);
  const holdsWebhooks = values['hold-webhooks'];
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const ownerUrl = readOwnerUrl();
  const { created_at: at } = await loadBackup(ownerUrl, folder, values.drill ? new SystemClock().now() : null, say);
  unfit = `the database holds the backup but is not fit to be served: npm run migrate and then npm run after-restore -- --skip ${skip}${holdsWebhooks ? ' --hold-webhooks' : ''} make it so, or drop the schema and begin again`;
  await migrate(ownerUrl, say);
  // Nobody can have served it so far: sessions of processes that try to start are no reason to stop.
  await afterRestore(ownerUrl, { skip, point: `the backup of ${at}`, whileServed: true, isFilled: true, holdsWebhooks }, say);
  unfit = '';
}

await runCommand({ usage: USAGE, otherwise: 'the restore failed', aftermath: () => unfit }, run);
