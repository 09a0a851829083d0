import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline as piped } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { flush } from '../../../platform/flush.js';
import { digestOf, RECORDS, writeFiles, type ArchivedDocument } from './part-files.js';

const MANIFEST = 'manifest.json';
const UNFINISHED = '.unfinished';
const NEWLINE = 0x0a;

/** What a part holds, so that it can be checked without the service. */
interface Manifest {
  readonly format: 1;
  readonly tenant_id: string;
  readonly month: string;
  readonly documents: number;
  readonly archived_at: string;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/**
 * Folder of archived documents: `<tenant>/<YYYY-MM>/part-20260131050000000` by the time at which it was begun (earlier ones
 * are numbered: `part-0001`), each with its records, its XML and a manifest with checksums. A part appears whole or not at
 * all, and never changes.
 */
export class Archive {
  constructor(private readonly folder: string) {}

  /** The documents that the parts of a month hold, by id, each with the digest of its youngest record. @throws Error naming the part that is not as it was written */
  async holds(tenantId: string, month: string): Promise<Map<string, string>> {
    const digests = new Map<string, string>();
    for (const part of await partsIn(this.home(tenantId, month))) {
      for (const [id, digest] of await this.read(join(tenantId, month.slice(0, 7), part))) digests.set(id, digest);
    }
    return digests;
  }

  /** The documents of one part, by the name that `add` gave it, each with the digest of its record. */
  async read(name: string): Promise<Map<string, string>> {
    const digests = new Map<string, string>();
    for await (const [id, digest] of readPart(join(this.folder, name))) digests.set(id, digest);
    return digests;
  }

  /** Writes a part, on disk for good before it appears. @throws Error where the folder of the archive is not there */
  async add(tenantId: string, month: string, documents: AsyncIterable<ArchivedDocument>, now: Date): Promise<{ name: string; documents: number }> {
    const home = this.home(tenantId, month);
    // Not made here: where its volume is not mounted, it would be a folder of another disk.
    await access(this.folder);
    await mkdir(home, { recursive: true, mode: 0o700 });
    await flush(this.folder);
    await flush(dirname(home));
    // Never given twice, whichever parts were moved away: in a second place it would replace another part of that name.
    const name = `part-${now.toISOString().replace(/\D/g, '')}`;
    // Left by a run that was killed.
    for (const left of (await readdir(home)).filter((entry) => entry.endsWith(UNFINISHED))) await rm(join(home, left), { recursive: true });
    const unfinished = join(home, `.${name}${UNFINISHED}`);
    await mkdir(unfinished, { mode: 0o700 });
    const { files, count } = await writeFiles(unfinished, documents);
    const manifest: Manifest = {
      format: 1, tenant_id: tenantId, month: month.slice(0, 7), documents: count, archived_at: now.toISOString(),
      files: Object.fromEntries(await Promise.all(files.map(async (file) => [file, await flushed(join(unfinished, file))] as const))),
    };
    const written = await open(join(unfinished, MANIFEST), 'wx', 0o600);
    await written.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await written.sync();
    await written.close();
    await flush(unfinished);
    await rename(unfinished, join(home, name));
    await flush(home);
    return { name: join(tenantId, month.slice(0, 7), name), documents: count };
  }

  private home(tenantId: string, month: string): string {
    return join(this.folder, tenantId, month.slice(0, 7));
  }
}

async function partsIn(home: string): Promise<string[]> {
  return existsSync(home) ? (await readdir(home)).filter((name) => /^part-\d{4,}$/.test(name)).sort() : [];
}

/** Ids of a part's documents and digests of their records, once all of it is found as its manifest says. */
async function* readPart(part: string): AsyncGenerator<[id: string, digest: string]> {
  const manifest = JSON.parse(await readFile(join(part, MANIFEST), 'utf8')) as Manifest;
  for (const [file, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const found = await summary(join(part, file));
    if (found.bytes !== bytes || found.sha256 !== sha256) throw new Error(`${join(part, file)} is not as it was written: nothing of it is removed`);
  }
  let documents = 0;
  for await (const line of linesOf(join(part, RECORDS))) {
    const [before, id] = /^\{"id":"([0-9a-f-]{36})","version":\d+,/.exec(line) ?? [];
    if (before === undefined || id === undefined) throw new Error(`${join(part, RECORDS)}: line ${documents + 1} is no document`);
    documents += 1;
    yield [id, digestOf(`{${line.slice(before.length)}`)];
  }
  if (documents !== manifest.documents) throw new Error(`${part}: ${documents} documents, ${manifest.documents} by its manifest`);
}

/** Lines ended by \n alone, as they were written. For `node:readline` of Node 24 also U+2028 and U+2029 end one, which a text of the SRI may hold. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const begun: Buffer[] = [];
  for await (const chunk of piped(createReadStream(file), createGunzip(), () => undefined) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun.splice(0), chunk.subarray(from, end)]).toString();
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
  }
  const last = Buffer.concat(begun).toString();
  if (last !== '') yield last;
}

async function summary(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') };
}

async function flushed(file: string): Promise<{ bytes: number; sha256: string }> {
  await flush(file);
  return summary(file);
}
