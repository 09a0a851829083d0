import { parseArgs } from 'node:util';
import { readOwnerUrl } from './config/settings.js';
import { SystemClock } from './platform/adapters/system-clock.js';
import { writeBackup } from './platform/database/backup/write-backup.js';
import { runCommand } from './platform/run-command.js';

const USAGE = `npm run backup -- FOLDER

Writes all that is stored, as it is at one moment, into a folder that is not there yet, in one that is. The service goes on
meanwhile.
DATABASE_OWNER_URL is to be a login from which row security hides nothing, and that may read every table and sequence.`;

async function run(): Promise<void> {
  const { positionals: [folder, ...more] } = parseArgs({ allowPositionals: true });
  if (folder === undefined || more.length > 0) throw new Error('name the folder to write: npm run backup -- FOLDER');
  const { tables, created_at: at } = await writeBackup(readOwnerUrl(), folder, new SystemClock().now(), (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`${folder}: ${tables.reduce((sum, { rows }) => sum + rows, 0)} rows of ${tables.length} tables, as of ${at}. Keep the master key elsewhere: stored signing keys open with it alone.\n`);
}

await runCommand({ usage: USAGE, otherwise: 'the backup failed' }, run);
