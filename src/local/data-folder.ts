import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { commandLineOf } from '../platform/proc-file.js';
import { LocalError } from './options.js';

/** What a later start needs to issue as the same demo tenant. Holds the clear API key: mode 0600. */
const DEMO_TENANT = z.object({
  tenant_id: z.string(),
  api_key: z.string(),
  ruc: z.string(),
  issuer_id: z.string(),
  establishment_id: z.string(),
  emission_point_id: z.string(),
});
export type DemoTenant = z.infer<typeof DEMO_TENANT>;

const RUNNING = z.object({ pid: z.number(), url: z.string().nullable() });

/** The folder where a local service keeps everything, and the lock on it. */
export class DataFolder {
  readonly logs: string;
  readonly postgres: string;
  /** What the SRI simulator received and decided. */
  readonly simulatorJournal: string;
  /** Ids for the examples of the API's description. */
  readonly exampleIdsFile: string;
  private readonly lockFile: string;
  private readonly demoFile: string;

  /** @param isOurs the folder was made for this start: its mode may be set */
  constructor(
    readonly path: string,
    isOurs: boolean,
  ) {
    // Others may pass through (PostgreSQL may run as another user) but not look around.
    mkdirSync(path, { recursive: true, mode: 0o711 });
    if (isOurs) chmodSync(path, 0o711);
    this.logs = join(path, 'logs');
    this.postgres = join(path, 'postgres');
    this.simulatorJournal = join(path, 'simulator.jsonl');
    this.lockFile = join(path, 'running.json');
    this.demoFile = join(path, 'demo.json');
    this.exampleIdsFile = join(path, 'example-ids.json');
    mkdirSync(this.logs, { recursive: true, mode: 0o700 });
  }

  /**
   * Takes the folder for this process.
   * @throws LocalError when a service already runs on it
   */
  lock(): void {
    const mine = JSON.stringify({ pid: process.pid, url: null });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        writeFileSync(this.lockFile, mine, { flag: 'wx', mode: 0o600 });
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = this.holder();
      if (holder !== null) {
        throw new LocalError(
          `Sello already runs on ${this.path}: process ${holder.pid}${holder.url === null ? '' : `, ${holder.url}`}. ` +
            'Stop that one with Ctrl-C, or start another with SELLO_DATA_DIR=<folder> PORT=<port> npm start',
        );
      }
      rmSync(this.lockFile, { force: true });
    }
    throw new LocalError(`Another start is taking ${this.path} at this moment`);
  }

  /** Says in the lock where the service listens. */
  announce(url: string): void {
    writeFileSync(this.lockFile, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 });
  }

  unlock(): void {
    rmSync(this.lockFile, { force: true });
  }

  private holder(): { pid: number; url: string | null } | null {
    const parsed = RUNNING.safeParse(readJson(this.lockFile));
    return parsed.success && runsThisProgram(parsed.data.pid) ? parsed.data : null;
  }

  /** The file of the master key that wraps stored private keys; made on the first start. */
  masterKeyFile(): string {
    const file = join(this.path, 'master-key');
    if (!existsSync(file)) writePrivate(file, `${randomBytes(32).toString('base64')}\n`);
    return file;
  }

  /** The file of the key that signs access tokens; made on the first start, so that sessions outlive a restart. */
  tokenKeysFile(): string {
    const file = join(this.path, 'token-keys');
    if (!existsSync(file)) {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      writePrivate(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    }
    return file;
  }

  readDemoTenant(): DemoTenant | null {
    const parsed = DEMO_TENANT.safeParse(readJson(this.demoFile));
    return parsed.success ? parsed.data : null;
  }

  writeDemoTenant(demo: DemoTenant): void {
    writePrivate(this.demoFile, `${JSON.stringify(demo, null, 2)}\n`);
  }

  /** Lets the examples of the API's description name what exists; ids only, no key. */
  writeExampleIds({ tenant_id, issuer_id, establishment_id, emission_point_id }: DemoTenant, document_id: string): void {
    writePrivate(this.exampleIdsFile, `${JSON.stringify({ tenant_id, issuer_id, establishment_id, emission_point_id, document_id }, null, 2)}\n`);
  }

  /** Writes the settings of the running service for a shell to read, so that further processes can join it. */
  writeEnvironment(env: Readonly<Record<string, string>>): string {
    const file = join(this.path, 'env');
    const lines = Object.entries(env).map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'`);
    writePrivate(file, `${lines.join('\n')}\n`);
    return file;
  }
}

/** Written whole or not at all, readable by its owner only. */
function writePrivate(file: string, text: string): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Missing, or cut short by a crash: as good as missing.
    return null;
  }
}

/** True when the process lives and runs this program: numbers are reused. */
function runsThisProgram(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return commandLineOf(pid).includes('local.js');
}
