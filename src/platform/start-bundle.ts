import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Packages outside the bundles that are modules of ECMAScript alone, which `require` cannot load. */
const MODULES_ONLY = ['libxml2-wasm'] as const;

/** The program as the build wrote it: one function of CommonJS. */
type Program = (exports: object, require: NodeJS.Require, module: object, filename: string, folder: string) => void;

const SUM_BYTES = 4;

/** Where the code that V8 made of a bundle lies. */
const codeOf = (bundle: string): string => `${bundle}.code`;

/**
 * Runs a program of `dist/bundle` (docs/adr/017). Where V8 takes the code that `keepCode` kept, which another version of Node or
 * other options of its memory make it refuse, it need not compile the program's text anew: half of what loading it takes.
 *
 * @param bundle path of the program
 * @returns whether the kept code was taken
 */
export async function startBundle(bundle: string): Promise<boolean> {
  return run(bundle, await requireOf(bundle), keptCode(bundle)).cachedDataRejected === false;
}

/**
 * Keeps beside a bundle the code that V8 makes of it, functions included that loading it calls. It is for a process of its own,
 * with the options of Node that the program will have, and ends it in the same turn of the event loop: before the program does
 * anything.
 */
export async function keepCode(bundle: string): Promise<void> {
  const require = await requireOf(bundle);
  const code = run(bundle, require).createCachedData();
  // At once: a build that is broken off leaves no half of it.
  writeFileSync(`${codeOf(bundle)}.${process.pid}`, Buffer.concat([sumOf(code), code]));
  renameSync(`${codeOf(bundle)}.${process.pid}`, codeOf(bundle));
  process.exit();
}

/** The kept code, unless it is not there, cannot be read, or is damaged: V8 does not look, and would break down over it. */
function keptCode(bundle: string): Buffer | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(codeOf(bundle));
  } catch {
    return undefined;
  }
  const code = kept.subarray(SUM_BYTES);
  return sumOf(code).equals(kept.subarray(0, SUM_BYTES)) ? code : undefined;
}

/** What stands before the code that is kept: its checksum. */
function sumOf(code: Buffer): Buffer {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32BE(crc32(code));
  return sum;
}

/** What the program loads from outside its bundle. */
async function requireOf(bundle: string): Promise<NodeJS.Require> {
  const require = createRequire(bundle);
  const modules = new Map<string, unknown>();
  for (const name of MODULES_ONLY) modules.set(name, await import(name));
  return Object.assign((id: string): unknown => modules.get(id) ?? require(id), require);
}

function run(bundle: string, require: NodeJS.Require, cachedData?: Buffer): Script {
  // Bundles are written in ASCII, of which a text in Latin-1 takes half the memory of another.
  const script = new Script(readFileSync(bundle, 'latin1'), { filename: bundle, cachedData, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });
  const module = { exports: {} };
  (script.runInThisContext() as Program)(module.exports, require, module, bundle, dirname(bundle));
  return script;
}
