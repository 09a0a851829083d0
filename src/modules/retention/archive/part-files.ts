import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import type { Paper, PastDocument } from '../persistence/retention.store.js';

/** One JSON object a line: id, version and all that was known of a document. */
export const RECORDS = 'documents.jsonl.gz';
/** `<access key>/signed-1.xml`, `<access key>/authorization-1.xml`: byte for byte what was sent and received. */
const XML = 'xml.zip';

export interface ArchivedDocument extends PastDocument {
  readonly papers: readonly Paper[];
}

/** What a document's record is known by, to the database as well (`remove_as_archived`): its SHA-256 in hexadecimal. */
export const digestOf = (record: string): string => createHash('sha256').update(record).digest('hex');

/** Writes the files of a part into a folder. */
export async function writeFiles(folder: string, documents: AsyncIterable<ArchivedDocument>): Promise<{ files: string[]; count: number }> {
  const zip = new ZipFile();
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const { id, version, accessKey, record, papers } of documents) {
      for (const { name, content } of papers) zip.addBuffer(gunzipSync(content), `${accessKey ?? id}/${name}`);
      count += 1;
      yield `{"id":"${id}","version":${version},${record.slice(1)}\n`;
    }
    zip.end();
  }
  const file = (name: string): NodeJS.WritableStream => createWriteStream(join(folder, name), { flags: 'wx', mode: 0o600 });
  await Promise.all([
    pipeline(Readable.from(lines()), createGzip(), file(RECORDS)),
    pipeline(zip.outputStream as Readable, file(XML)),
  ]);
  return { files: [RECORDS, XML], count };
}
