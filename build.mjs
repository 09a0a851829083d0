/**
 * `npm run build`: compiles to `dist`, copies the schemas beside it, and bundles API and worker. With `--if-changed`, as the
 * other commands call it, it does nothing where it was done for these very files, which a look at their times tells.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = import.meta.dirname;
const stamp = join(root, 'dist', '.built');

/** Whatever the compiler or the bundler reads; packages go by the list that npm writes at the end of each installation. */
const INPUTS = ['src', 'bench', 'test', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'build.mjs', 'bundle.mjs', 'node_modules/.package-lock.json'];

function filesIn(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full).flatMap((name) => filesIn(join(path, name)));
}

function state() {
  const files = INPUTS.flatMap(filesIn).filter((path) => !path.endsWith('.spec.ts'));
  const read = files.map((path) => [path, statSync(join(root, path))]);
  return JSON.stringify([process.version, ...read.map(([path, { size, mtimeMs }]) => `${path} ${size} ${mtimeMs}`)]);
}

const wanted = state();
/** Stand for all that is built: that a file of it was lost does not show in the inputs. */
const OUTPUTS = ['src/main.js', 'src/local.js', 'src/cli.js', 'bundle/main.js', 'bundle/worker.js'];
const isBuilt = existsSync(stamp) && OUTPUTS.every((file) => existsSync(join(root, 'dist', file))) && readFileSync(stamp, 'utf8') === wanted;
if (!isBuilt || !process.argv.includes('--if-changed')) {
  // What fails half-way is not built.
  rmSync(stamp, { force: true });
  try {
    execFileSync(process.execPath, [join(root, 'node_modules', 'typescript-native', 'bin', 'tsc'), '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  } catch {
    // The compiler has said why.
    process.exit(1);
  }
  cpSync(join(root, 'src', 'sri'), join(root, 'dist', 'src', 'sri'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
  chmodSync(join(root, 'dist', 'src', 'cli.js'), 0o755);
  await import('./bundle.mjs');
  writeFileSync(stamp, wanted);
}
