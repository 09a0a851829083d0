/**
 * Last step of `build.mjs`: API and worker as one file each in `dist/bundle`, with the code that V8 makes of it, which start in two
 * fifths of the time of the 1,800 small ones that they are made of (docs/adr/017-bundled-processes.md). Nothing is minified: a line
 * of a stack trace is to be read there, below the name of its file.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const root = import.meta.dirname;
const compiled = join(root, 'dist', 'src');
const bundles = join(root, 'dist', 'bundle');
const { API_NODE_OPTIONS } = await import(pathToFileURL(join(compiled, 'local', 'parts.js')));

/**
 * `options`: of Node, that it is run with; under others V8 refuses the code that is kept. `leftOut`: what it never loads, though a
 * package that it shares with the other would where it is asked to.
 */
const PROGRAMS = [
  { name: 'main', options: API_NODE_OPTIONS, leftOut: [] },
  { name: 'worker', options: [], leftOut: ['@nestjs/platform-express', 'class-transformer', 'class-validator'] },
];
/** Native, or loaded when they are first needed, if at all. */
const LEFT_OUT = ['@node-rs/*', 'libxml2-wasm', 'msgpackr-extract', '@opentelemetry/*', 'swagger-ui-dist'];
/** Optional parts of packages: asked for, and done without. */
const ABSENT = [
  '@fastify/*', '@mikro-orm/*', '@nestjs/microservices', '@nestjs/mongoose', '@nestjs/sequelize', '@nestjs/websockets', '@google-cloud/*', '@sap/*',
  'better-sqlite3', 'class-transformer/storage', 'hdb-pool', 'mongodb', 'mssql', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'react-native-sqlite-storage',
  'redis', 'sql.js', 'sqlite3', 'supports-color', 'ts-node', 'typeorm-aurora-data-api-driver',
];

/** What is written before every bundle, a function that `startBundle` calls, and behind it: where a module was before it was bundled. */
const BANNER = `(function (exports, require, module, __filename, __dirname) {
'use strict';
const { fileURLToPath: __pathOfUrl, pathToFileURL: __urlOfPath } = require('node:url');
const __placeOf = (path) => { const url = new URL(path, __urlOfPath(__filename)); return { url: url.href, filename: __pathOfUrl(url), dirname: __pathOfUrl(new URL('.', url)).slice(0, -1) }; };`;
const FOOTER = '})';

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

/** The program and all that it loads as one text. */
async function joined({ name, leftOut }) {
  const { outputFiles } = await build({
    entryPoints: [join(compiled, `${name}.js`)],
    outfile: join(bundles, `${name}.cjs`),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    // Interfaces, tokens and schemas are told by the names of classes and functions, which are renamed where two are alike.
    keepNames: true,
    external: [...LEFT_OUT, ...ABSENT, ...leftOut],
    plugins: [ownPlace],
    banner: { js: BANNER },
    footer: { js: FOOTER },
    logLevel: 'warning',
    write: false,
  });
  // Comments and patterns hold characters beyond ASCII, one of which may double what the whole file takes in memory.
  return withoutNeedlessNames(outputFiles[0].text).replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** At once: a process may just be starting. */
async function put(path, content) {
  await writeFile(`${path}.${process.pid}`, content);
  await rename(`${path}.${process.pid}`, path);
}

await mkdir(bundles, { recursive: true });
const written = await Promise.all(PROGRAMS.map(async (program) => {
  const content = await joined(program);
  // V8 knows the text that its code is of by its length alone, so another text has another name.
  const bundle = `${program.name}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.cjs`;
  const path = join(bundles, bundle);
  await put(path, content);
  const keep = `import { keepCode } from ${JSON.stringify(pathToFileURL(join(compiled, 'platform', 'start-bundle.js')))}; await keepCode(${JSON.stringify(path)});`;
  await promisify(execFile)(process.execPath, [...program.options, '--input-type=module', '--eval', keep], { env: { ...process.env, NODE_OPTIONS: '' } });
  await put(join(bundles, `${program.name}.js`), `import { startBundle } from '../src/platform/start-bundle.js';\nawait startBundle(import.meta.dirname + '/${bundle}');\n`);
  return [`${program.name}.js`, bundle, `${bundle}.code`];
}));
for (const file of await readdir(bundles)) if (/\.(?:js|cjs|code)$/.test(file) && !written.flat().includes(file)) await rm(join(bundles, file), { force: true });
