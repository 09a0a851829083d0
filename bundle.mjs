/**
 * Last step of `build.mjs`: API and worker as a few large modules in `dist/bundle`, which start in half the time of the
 * 1,800 small ones that they are made of (docs/adr/017-bundled-processes.md). Nothing is minified: a line of a stack trace is
 * to be read there, below the name of its file.
 */
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const compiled = join(root, 'dist', 'src');
const bundles = join(root, 'dist', 'bundle');

const PROGRAMS = ['main', 'worker'];
/** Native, or loaded when they are first needed, if at all. */
const LEFT_OUT = ['@node-rs/*', 'libxml2-wasm', 'msgpackr-extract', '@opentelemetry/*', 'swagger-ui-dist'];
/** Optional parts of packages: asked for, and done without. */
const ABSENT = [
  '@fastify/*', '@mikro-orm/*', '@nestjs/microservices', '@nestjs/mongoose', '@nestjs/sequelize', '@nestjs/websockets', '@google-cloud/*', '@sap/*',
  'better-sqlite3', 'class-transformer/storage', 'hdb-pool', 'mongodb', 'mssql', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'react-native-sqlite-storage',
  'redis', 'sql.js', 'sqlite3', 'supports-color', 'ts-node', 'typeorm-aurora-data-api-driver',
];

/** What is written before every bundle: what CommonJS expects around it, and where a module was before it was bundled. */
const BANNER = `import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __pathOfUrl } from 'node:url';
const require = __createRequire(import.meta.url);
const __placeOf = (path) => ({ url: new URL(path, import.meta.url).href, filename: __pathOfUrl(new URL(path, import.meta.url)), dirname: __pathOfUrl(new URL('.', new URL(path, import.meta.url))).slice(0, -1) });`;

/** A module goes on finding what lies beside it. */
const ownPlace = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = `__placeOf(${JSON.stringify(relative(bundles, path).split(sep).map(encodeURIComponent).join('/'))})`;
      const contents = text
        // Else esbuild would not see what they ask for, and a second copy of it would be loaded.
        .replace(/^const require = createRequire\(import\.meta\.url\);$/m, '')
        .replaceAll(/\bimport\.meta\.(?=(?:url|filename|dirname)\b)/g, `${place}.`)
        .replaceAll(/(?<![\w.'"])__(filename|dirname)\b/g, `${place}.$1`);
      if (/\brequire = createRequire\(/.test(contents)) throw new Error(`${path}: what it requires would be loaded a second time`);
      return { contents, loader: 'js' };
    });
  },
};

const NAMED = String.raw`\/\* @__PURE__ \*\/ __name\((?!(?:async )?function\b\*? ?[\w$]|class\b)`;
const NAMED_AS_IT_IS = /^\s*__name\(([\w$]+), "\1"\);$/;
const NAMED_IN_A_LINE = new RegExp(String.raw`^(\s*(?:const|let|var) ([\w$]+) = )${NAMED}((?:(?!, "\2"\)).)*), "\2"\);$`);
const NAMED_IN_LINES = new RegExp(String.raw`^(\s*)((?:const|let|var) ([\w$]+) = )${NAMED}((?:(?!, "\3"\)).)*\{)$`);

/**
 * Without most of the names that esbuild gives to functions that have them anyway: by their declaration, or because they are all
 * of what a variable is set to. It gives them each time such a function is made: hundreds of times a request, a tenth of the API's
 * processor time.
 */
function withoutNeedlessNames(text) {
  const lines = [];
  const begun = [];
  for (const line of text.split('\n')) {
    if (NAMED_AS_IT_IS.test(line)) continue;
    const depth = line.search(/\S/);
    // What ends otherwise than with its name stays as it is.
    while (depth >= 0 && begun.length > 0 && depth <= begun.at(-1).depth && line !== begun.at(-1).end) begun.pop();
    if (line === begun.at(-1)?.end) {
      const { at, start, depth: indent } = begun.pop();
      lines[at] = start;
      lines.push(`${' '.repeat(indent)}};`);
      continue;
    }
    const [, indent, assigned, name, start] = NAMED_IN_LINES.exec(line) ?? [];
    if (start !== undefined) begun.push({ at: lines.length, depth, end: `${indent}}, "${name}");`, start: `${indent}${assigned}${start}` });
    lines.push(line.replace(NAMED_IN_A_LINE, '$1$3;'));
  }
  return lines.join('\n');
}

const { outputFiles } = await build({
  entryPoints: PROGRAMS.map((program) => join(compiled, `${program}.js`)),
  outdir: bundles,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Interfaces, tokens and schemas are told by the names of classes and functions, which are renamed where two are alike.
  keepNames: true,
  external: [...LEFT_OUT, ...ABSENT],
  plugins: [ownPlace],
  banner: { js: BANNER },
  logLevel: 'warning',
  write: false,
});

// Chunks before the programs that import them, each at once and only if it changed: a process may just be starting.
await mkdir(bundles, { recursive: true });
const isProgram = ({ path }) => PROGRAMS.includes(basename(path, '.js'));
for (const { path, text } of outputFiles.toSorted((one, other) => isProgram(one) - isProgram(other))) {
  // Comments and patterns hold characters beyond ASCII, one of which may double what the whole file takes in memory.
  const content = withoutNeedlessNames(text).replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (content === (await readFile(path, 'utf8').catch(() => null))) continue;
  await writeFile(`${path}.${process.pid}`, content);
  await rename(`${path}.${process.pid}`, path);
}
const written = outputFiles.map(({ path }) => basename(path));
for (const file of await readdir(bundles)) if (file.endsWith('.js') && !written.includes(file)) await rm(join(bundles, file), { force: true });
