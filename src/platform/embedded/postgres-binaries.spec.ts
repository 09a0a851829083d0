import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createMissingLinks, findPostgresBinaries, systemBinaries } from './postgres-binaries.js';

describe('PostgreSQL binaries', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sello-spec-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function install(...path: string[]): string {
    const bin = join(folder, ...path);
    mkdirSync(bin, { recursive: true });
    for (const name of ['initdb', 'postgres']) writeFileSync(join(bin, name), '');
    return bin;
  }

  it('come from the npm package first', () => {
    expect(findPostgresBinaries('')).toMatchObject({ origin: 'npm package', incomplete: false });
  });

  it('are looked for on PATH, then in the newest Debian folder', () => {
    const onPath = install('path');
    install('debian', '9', 'bin');
    const newest = install('debian', '15', 'bin');
    expect(systemBinaries(`/nowhere:${onPath}`, join(folder, 'debian'))?.folder).toBe(onPath);
    expect(systemBinaries('/nowhere', join(folder, 'debian'))?.folder).toBe(newest);
    expect(systemBinaries('/nowhere', '/nowhere')).toBeNull();
  });

  it('are those that were asked for, which must be there', () => {
    const chosen = install('chosen');
    expect(findPostgresBinaries('', chosen)).toEqual({ folder: chosen, bundle: null, incomplete: false, origin: 'POSTGRES_BIN' });
    expect(() => findPostgresBinaries('', join(folder, 'nowhere'))).toThrow(/^POSTGRES_BIN: .*nowhere/);
  });

  it('are found from any folder when they were asked for from this one', () => {
    const chosen = install('chosen');
    expect(findPostgresBinaries('', relative(process.cwd(), chosen)).folder).toBe(chosen);
  });

  it('get the links that npm could not store, each once', () => {
    const native = join(folder, 'native');
    mkdirSync(join(native, 'lib'), { recursive: true });
    writeFileSync(join(native, 'lib', 'libx.so.1.2'), 'library');
    writeFileSync(
      join(native, 'pg-symlinks.json'),
      JSON.stringify([{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }]),
    );
    expect(createMissingLinks(native)).toBe(true);
    expect(createMissingLinks(native)).toBe(true);
    expect(readFileSync(join(native, 'lib', 'libx.so.1'), 'utf8')).toBe('library');
  });
});
