/**
 * Last step of `npm run build`: API and worker as a few large modules in `dist/bundle`, which start in half the time of the
 * 1,800 small ones that they are made of (docs/adr/017-bundled-processes.md). Nothing is renamed or minified: a line of a stack
 * trace is to be read there, below the name of its file.
 */
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const compiled = join(root, 'dist', 'src');
const bundles = join(root, 'dist', 'bundle');

/** Read their own files, are native, or are loaded when they are first needed, if at all. */
const LEFT_OUT = ['@node-rs/*', 'bwip-js', 'libxml2-wasm', 'msgpackr-extract', '@opentelemetry/*', 'pdfkit', 'swagger-ui-dist'];
/** Optional parts of packages: asked for, and done without. */
const ABSENT = [
  '@fastify/*', '@mikro-orm/*', '@nestjs/microservices', '@nestjs/mongoose', '@nestjs/sequelize', '@nestjs/websockets', '@google-cloud/*', '@sap/*',
  'better-sqlite3', 'hdb-pool', 'mongodb', 'mssql', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'react-native-sqlite-storage',
  'redis', 'sql.js', 'sqlite3', 'ts-node', 'typeorm-aurora-data-api-driver',
];

/** A module of ours goes on finding what lies beside it, and knows that it is not the program that was started. */
const ownPlace = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /dist[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      if (!contents.includes('import.meta.')) return { contents };
      const place = `import { fileURLToPath as pathOfUrl } from 'node:url';
const place = { url: new URL(${JSON.stringify(relative(bundles, path))}, import.meta.url).href };
place.filename = pathOfUrl(place.url);
place.dirname = pathOfUrl(new URL('.', place.url)).replace(/[\\\\/]$/, '');
`;
      return { contents: place + contents.replaceAll(/\bimport\.meta\.(?=url|filename|dirname)/g, 'place.') };
    });
  },
};

await rm(bundles, { recursive: true, force: true });
await build({
  entryPoints: ['main', 'worker'].map((program) => join(compiled, `${program}.js`)),
  outdir: bundles,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Interfaces, tokens and table names are told by the names of classes.
  keepNames: true,
  external: [...LEFT_OUT, ...ABSENT],
  plugins: [ownPlace],
  // What CommonJS modules within expect around them.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url), { filename: __filename, dirname: __dirname } = import.meta;`,
  },
  logLevel: 'warning',
});
