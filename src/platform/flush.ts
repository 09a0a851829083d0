import { open } from 'node:fs/promises';

/** Puts a file, or the entries of a folder, on disk for good. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
