import { readOwnerUrl } from './config/settings.js';
import { distributingSql, readTables } from './platform/database/citus-plan.js';

/** `npm run citus`: prints the calls that distribute a migrated database over the nodes of a Citus cluster (`docs/scaling.md`). */
async function run(): Promise<void> {
  const tables = await readTables(readOwnerUrl());
  if (tables.length === 0) throw new Error('there are no tables in the schema sello: run "npm run migrate" first');
  process.stdout.write(`${distributingSql(tables).join('\n')}\n`);
}

await run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'the catalogue was not read'}\n`);
  process.exitCode = 1;
});
