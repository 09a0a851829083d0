import { parseArgs } from 'node:util';
import { readOwnerUrl } from './config/settings.js';
import { migrate } from './operations/migrate.js';
import { runCommand } from './platform/run-command.js';

const USAGE = `npm run migrate

Brings the schema of DATABASE_OWNER_URL up to this version, while the former one serves. Safe to run again, and from several
processes. It takes no parameters.`;

async function run(): Promise<void> {
  parseArgs();
  await migrate(readOwnerUrl(), (line) => console.log(line));
}

await runCommand({ usage: USAGE, otherwise: 'the migration failed' }, run);
