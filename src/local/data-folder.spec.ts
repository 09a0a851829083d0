import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DataFolder } from './data-folder.js';

describe('the folder of a local service', () => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'sello-data-'));
  });
  afterEach(() => rmSync(path, { recursive: true }));

  it.each(['masterKeyFile', 'tokenKeysFile'] as const)('gets no half of a key: %s writes beside it first', (make) => {
    const file = new DataFolder(path, true)[make]();
    const begun = readFileSync(file, 'utf8').slice(0, 10);
    // As a start leaves it that is killed while it writes.
    rmSync(file);
    writeFileSync(`${file}.new`, begun);
    expect(readFileSync(new DataFolder(path, true)[make](), 'utf8').length).toBeGreaterThan(begun.length);
    expect(readdirSync(path).sort()).toEqual(['logs', basename(file)]);
  });

  it('ends the master key with its line, so that another may be appended', () => {
    expect(readFileSync(new DataFolder(path, true).masterKeyFile(), 'utf8')).toMatch(/^\S{44}\n$/);
  });
});
