import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledBinaries, createMissingLinks } from '../../src/platform/embedded/postgres-binaries.js';
import { describeWhere } from '../support/describe-where.js';

/** What depends on how PostgreSQL plans and on what its SQL knows: the rest of the service asks through these. */
const FILES = [
  'document-lists',
  'lifecycle-moves',
  'numbering',
  'owner-login',
  'queue-backlogs',
  'retention',
  'row-security',
  'stale-plans',
  'turns',
  'webhook-work',
];
const LIMIT_MS = 15 * 60_000;

interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly message: string; readonly name: string }[];
}

const oldest = bundledBinaries('postgres-oldest');

/** `POSTGRES_BIN=folder npm test` of those files, without a build. */
async function runOn(binaries: string, report: string): Promise<Report> {
  const { JEST_WORKER_ID: _, ...env } = process.env;
  const jest = join(process.cwd(), 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(
    process.execPath,
    [jest, '--selectProjects', 'system', '--testPathPatterns', `integration/(${FILES.join('|')})\\.spec`, '--runInBand', '--json', `--outputFile=${report}`],
    { env: { ...env, POSTGRES_BIN: binaries, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  if (!existsSync(report)) throw new Error(`Jest did not come to its end:\n${output}`);
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

describeWhere(oldest === null ? 'npm has no PostgreSQL 15 for this platform' : null, 'the oldest PostgreSQL that is supported', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sello-oldest-postgres-'));
    // PostgreSQL may run as another user, who may not be let into this project's folder.
    chmodSync(folder, 0o755);
    cpSync(oldest!.bundle!, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    createMissingLinks(join(folder, 'native'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps numbers, turns, tenants and queues as the newest does', async () => {
    const report = await runOn(join(folder, 'native', 'bin'), join(folder, 'report.json'));
    expect(report.testResults.map(({ message }) => message).filter((message) => message !== '')).toEqual([]);
    expect(report.testResults).toHaveLength(FILES.length);
    expect(report.success).toBe(true);
  }, LIMIT_MS);
});
