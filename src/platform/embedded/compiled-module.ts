import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json, for a module anywhere below it. */
export function projectRoot(moduleUrl: string): string {
  let folder = dirname(fileURLToPath(moduleUrl));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`No package.json above ${moduleUrl}`);
    folder = parent;
  }
  return folder;
}

/**
 * Path of a compiled module beside `moduleUrl`, to be run as a process of its
 * own. A caller that runs from the sources (a test) gets the one below `dist`.
 */
export function compiledModule(moduleUrl: string, fileName: string): string {
  const beside = join(dirname(fileURLToPath(moduleUrl)), fileName);
  if (existsSync(beside)) return beside;
  const root = projectRoot(moduleUrl);
  const compiled = join(root, 'dist', relative(root, beside));
  if (existsSync(compiled)) return compiled;
  throw new Error(`${relative(root, compiled)} is missing: run "npm run build" first`);
}
