import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LicenceError, licencesOf, licencesPage, READ_BY_HAND, readLockFile } from './licences.js';

describe('licences', () => {
  const lock = readLockFile();
  const withOne = (license: string | undefined): string => licencesPage({ packages: { '': {}, 'node_modules/a/node_modules/@b/c': { version: '1.0.0', ...(license === undefined ? {} : { license }) } } });

  it.each(['GPL-3.0', 'AGPL-3.0-only', 'LGPL-2.1', 'MIT AND GPL-2.0', 'UNLICENSED', undefined])('%s is refused, naming the package', (license) => {
    expect(() => withOne(license)).toThrow(LicenceError);
    expect(() => withOne(license)).toThrow('@b/c@1.0.0');
  });

  it('may be chosen among several', () => {
    expect(withOne('(BSD-3-Clause OR GPL-2.0)')).toContain('1 packages');
  });

  it('are told of what runs in production alone', () => {
    const names = licencesOf(lock).map(({ name }) => name);
    expect(names).toContain('typeorm');
    expect(names).not.toContain('jest');
  });

  it('were read by hand only where a package names none, and its text says so', () => {
    for (const [name, licence] of Object.entries(READ_BY_HAND)) {
      const folder = join('node_modules', name);
      expect([name, existsSync(folder), lock.packages[folder]?.license ?? 'SEE']).toEqual([name, true, expect.stringMatching(/^SEE/)]);
      const text = readdirSync(folder).filter((file) => /^(licen[cs]e|readme)/i.test(file)).map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
      expect(text).toMatch(licence === 'MIT' ? /permission is hereby granted|\bMIT\b/i : /bitstream vera/i);
    }
  });
});
