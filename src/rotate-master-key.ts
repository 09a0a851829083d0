import { parseArgs } from 'node:util';
import { readServiceSettings } from './config/settings.js';
import { rotateMasterKey } from './operations/rotate-master-key.js';
import { CryptoChance } from './platform/adapters/crypto-chance.js';
import { runCommand } from './platform/run-command.js';
import { keyWrapperOf } from './platform/secrets/key-wrapper-of.js';

const USAGE = `npm run rotate-master-key

Wraps the keys of all stored secrets under the first master key, while the service runs. The older keys stand behind it, in
MASTER_KEY or in the file of MASTER_KEY_FILE. Safe to stop and to run again; exit code 1 when a key did not open, those of
inactive certificates apart, or Vault is away. It takes no parameters.`;

async function run(): Promise<void> {
  parseArgs();
  const settings = readServiceSettings('master');
  const { rotated, current, failed, inactive } = await rotateMasterKey(settings.DATABASE_OWNER_URL, keyWrapperOf(settings, new CryptoChance()), (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`done: ${rotated} wrapped anew, ${current} were current, ${failed.length} failed\n`);
  if (inactive > 0) process.stdout.write(`${inactive} of inactive certificates do not open; they matter only if activated\n`);
  if (failed.length === 0) return;
  process.stdout.write('keep the older master keys: without them these certificates must be uploaded, and these webhook secrets rotated, anew\n');
  process.exitCode = 1;
}

await runCommand({ usage: USAGE, otherwise: 'the rotation failed' }, run);
