import { mkdtempSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { Archive } from '../../src/modules/retention/public.js';
import { writeBackup } from '../../src/platform/database/backup/write-backup.js';
import { createTestDatabase } from '../support/database.js';

/** Folders and files that an act puts on disk for good. */
async function flushedBy(act: () => Promise<unknown>): Promise<string[]> {
  const any = await open(tmpdir(), 'r');
  const paths: string[] = [];
  const syncs = jest.spyOn(Object.getPrototypeOf(any) as FileHandle, 'sync').mockImplementation(function (this: FileHandle) {
    paths.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    return Promise.resolve();
  });
  try {
    await act();
  } finally {
    syncs.mockRestore();
    await any.close();
  }
  return paths;
}

describe('what is relied upon once it is written', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sello-for-good-')));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('a part of the archive: each folder that has a new entry is on disk for good', async () => {
    const document = { id: '4f1c7e7e-0000-4000-8000-000000000001', version: 1, accessKey: null, record: '{}', papers: [] };
    const flushed = await flushedBy(() => new Archive(folder).add('tenant', '2015-01-01', Readable.from([document]), new Date()));
    expect(flushed).toEqual(expect.arrayContaining([folder, join(folder, 'tenant'), join(folder, 'tenant', '2015-01')]));
  });

  it('a backup: the folder in which it appears is on disk for good', async () => {
    const database = await createTestDatabase();
    try {
      expect(await flushedBy(() => writeBackup(database.ownerUrl, join(folder, 'backup'), new Date(), () => undefined))).toContain(folder);
    } finally {
      await database.drop();
    }
  });
});
