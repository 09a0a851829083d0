import { parseArgs } from 'node:util';
import { readOwnerUrl } from './config/settings.js';
import { afterRestore, skipOf, USUAL_SKIP } from './operations/after-restore.js';
import { runCommand } from './platform/run-command.js';

const USAGE = `npm run after-restore -- [--skip N] [--hold-webhooks] [--force]

Makes a database fit to be served that was restored by other means than npm run restore: to a point in time, by a snapshot,
by pg_restore, by a failover that lost something. Every process of the service is to be stopped: it refuses while one is
connected, for all counters jump and readers of events start anew.

  --skip N         numbers that each counter leaves out, since they may have been issued after the restored point
                   (default ${USUAL_SKIP}); 0 where nothing was issued in between
  --hold-webhooks  switches off every webhook, for one that was removed since is back: each sends again once it is switched on
  --force          goes on although sessions of the service are connected, as those that a pooler keeps`;

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { skip: { type: 'string' }, 'hold-webhooks': { type: 'boolean', default: false }, force: { type: 'boolean', default: false } } });
  await afterRestore(readOwnerUrl(), { skip: skipOf(values.skip), point: 'an earlier point', whileServed: values.force, isFilled: false, holdsWebhooks: values['hold-webhooks'] },
    (line) => process.stdout.write(`${line}\n`));
}

await runCommand({ usage: USAGE, otherwise: 'the restored database could not be made fit' }, run);
