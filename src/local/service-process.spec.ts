import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from './service-process.js';

describe('a process that does not start', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sello-service-process-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const line = (level: string, message: string): string => `${JSON.stringify({ level, message })}\n`;
  /** What is said of a process that writes the text and ends, whose log an earlier one had begun. */
  async function reasonOf(text: string): Promise<string> {
    const [module, logFile] = [join(folder, 'program.mjs'), join(folder, 'api.log')];
    writeFileSync(module, `process.stdout.write(${JSON.stringify(text)}, () => process.exit(3));`);
    writeFileSync(logFile, line('fatal', 'Cannot start: of yesterday'));
    return startServiceProcess({ name: 'API', module, env: {}, logFile }).then(() => 'started', (error: unknown) => (error as Error).message);
  }

  it('is told by its own reason, also where a line of its log comes behind', async () => {
    expect(await reasonOf(line('fatal', 'Cannot start: no port') + line('info', 'Nest application successfully started'))).toBe('API did not start: Cannot start: no port');
  });

  it('is told by the end of its log where it gives none, and not by what an earlier one said', async () => {
    expect(await reasonOf('out of luck\n')).toBe('API did not start: exit code 3\nout of luck');
  });
});
