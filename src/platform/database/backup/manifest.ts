import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** What a backup holds; written last, so that a folder without it is none. */
const MANIFEST = z.object({
  format: z.literal(1),
  created_at: z.iso.datetime(),
  environment: z.string().nullable(),
  migrations: z.array(z.string()).min(1),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1), rows: z.number().int(), sha256: z.string() })).min(1),
  /** The last value of each sequence that gave one out. */
  sequences: z.record(z.string(), z.string()),
});

export type Manifest = z.infer<typeof MANIFEST>;

/** A backup that cannot be written or used, and why. */
export class BackupError extends Error {}

const FILE = 'manifest.json';

export const manifestFile = (folder: string): string => join(folder, FILE);
export const tableFile = (folder: string, table: string): string => join(folder, `${table}.copy.gz`);

/**
 * Reads what a folder holds and holds every file against it, before anything is done with them.
 * @throws BackupError when it is no backup, an unfinished one, or one that was changed
 */
export async function readBackup(folder: string): Promise<Manifest> {
  if (!existsSync(manifestFile(folder))) throw new BackupError(`${folder}: holds no ${FILE}, so it is not a backup, or one that was not finished`);
  const parsed = MANIFEST.safeParse(parseJson(readFileSync(manifestFile(folder), 'utf8')));
  if (!parsed.success) throw new BackupError(`${manifestFile(folder)}: is not of a backup that this program reads`);
  for (const { name, sha256 } of parsed.data.tables) {
    const file = tableFile(folder, name);
    if (!existsSync(file)) throw new BackupError(`${file}: is missing`);
    if ((await digestOf(file)) !== sha256) throw new BackupError(`${file}: is not as it was written`);
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** SHA-256 of a file in hexadecimal. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
