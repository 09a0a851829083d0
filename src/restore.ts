import { parseArgs } from 'node:util';
import { afterRestore, skipOf } from './after-restore.js';
import { readOwnerUrl } from './config/settings.js';
import { migrate } from './migrate.js';
import { loadBackup } from './platform/database/backup/load-backup.js';
import { runCommand } from './platform/run-command.js';

/** `npm run restore -- FOLDER [--skip N]`: puts a backup into an empty database and makes it fit to be served. */
async function run(): Promise<void> {
  const { positionals: [folder], values } = parseArgs({ allowPositionals: true, options: { skip: { type: 'string' } } });
  if (folder === undefined) throw new Error('name the folder of the backup: npm run restore -- FOLDER');
  const skip = skipOf(values.skip);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const ownerUrl = readOwnerUrl();
  const { created_at: at } = await loadBackup(ownerUrl, folder, say);
  await migrate(ownerUrl, say);
  await afterRestore(ownerUrl, skip, `the backup of ${at}`, say);
}

await runCommand(run, 'the restore failed');
