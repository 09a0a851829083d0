import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OLDEST } from '../../src/platform/database/server-version.js';
import { type GuardedProcess, startGuarded } from '../../src/platform/embedded/guarded-process.js';
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
const LIMIT_MS = 60 * 60_000;
const GRACE_MS = 10_000;

interface Report {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly message: string; readonly status: string }[];
}

const oldest = bundledBinaries('postgres-oldest');

describeWhere(oldest === null ? 'npm has no PostgreSQL binaries for this platform' : null, 'the oldest PostgreSQL that is supported', () => {
  let folder: string;
  let jest: GuardedProcess | undefined;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sello-oldest-postgres-'));
    // PostgreSQL may run as another user, who may not be let into this project's folder.
    chmodSync(folder, 0o755);
    cpSync(oldest!.bundle!, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    createMissingLinks(join(folder, 'native'));
  });
  afterAll(async () => {
    await jest?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** `POSTGRES_BIN=folder npm test` of those files, without a build; ends with this process, whatever ends it. */
  async function run(binaries: string): Promise<Report> {
    const { JEST_WORKER_ID: _, ...env } = process.env as Record<string, string>;
    const report = join(folder, 'report.json');
    jest = await startGuarded({
      command: process.execPath,
      args: [
        join(process.cwd(), 'node_modules', 'jest', 'bin', 'jest.js'),
        ...['--selectProjects', 'system', '--testPathPatterns', `integration/(${FILES.join('|')})\\.spec`],
        ...['--runInBand', '--json', `--outputFile=${report}`],
      ],
      env: { ...env, POSTGRES_BIN: binaries, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
      workingFolder: process.cwd(),
      logFile: join(folder, 'jest.log'),
      stopSignal: 'SIGTERM',
      hardStopSignal: 'SIGKILL',
      graceMs: GRACE_MS,
      removeAfterwards: [join(folder, 'native')],
    });
    const { reason, output } = await jest.ended;
    try {
      return JSON.parse(readFileSync(report, 'utf8')) as Report;
    } catch (error) {
      throw new Error(`Jest left no report, it ended with ${reason}:\n${output}`, { cause: error });
    }
  }

  it('keeps numbers, turns, tenants and queues as the newest does', async () => {
    const binaries = join(folder, 'native', 'bin');
    // Of a package that npm left out, that of the newest would be found instead.
    expect(execFileSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' })).toContain(` ${OLDEST}.`);
    const { testResults, numPassedTests, numPendingTests } = await run(binaries);
    expect(testResults.map(({ message }) => message).filter((message) => message !== '')).toEqual([]);
    expect(testResults.map(({ status }) => status)).toEqual(FILES.map(() => 'passed'));
    expect(numPassedTests).toBeGreaterThan(FILES.length);
    expect(numPendingTests).toBe(0);
  }, LIMIT_MS);
});
