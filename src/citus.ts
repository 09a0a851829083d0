import { parseArgs } from 'node:util';
import { readOwnerUrl } from './config/settings.js';
import { distributingSql, readTables } from './platform/database/citus-plan.js';
import { runCommand } from './platform/run-command.js';

const USAGE = `npm run citus

Prints the calls that distribute a migrated database over the nodes of a Citus cluster (docs/scaling.md); changes nothing.
It takes no parameters.`;

async function run(): Promise<void> {
  parseArgs();
  const tables = await readTables(readOwnerUrl());
  if (tables.length === 0) throw new Error('there are no tables in the schema sello: run "npm run migrate" first');
  process.stdout.write(`${distributingSql(tables).join('\n')}\n`);
}

await runCommand({ usage: USAGE, otherwise: 'the catalogue was not read' }, run);
