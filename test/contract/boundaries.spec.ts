import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** [rule, file with the forbidden import, what it imports]. Files that do not exist are made empty. */
const PLANTED: readonly (readonly [string, string, string])[] = [
  ['no-cycles', 'src/shared/chicken.ts', 'src/shared/egg.ts'],
  ['shared-stands-on-nothing', 'src/shared/upwards.ts', 'src/config/settings.ts'],
  ['shared-stands-on-nothing', 'src/shared/framework.ts', '@nestjs/common'],
  ['config-knows-no-feature', 'src/config/feature.ts', 'src/platform/http/filter.ts'],
  ['kernel-is-pure', 'src/sri/framework.ts', '@nestjs/common'],
  ['kernel-is-pure', 'src/sri/soap/platform.ts', 'src/platform/http/filter.ts'],
  ['kernel-is-pure', 'src/sri/process.ts', 'node:child_process'],
  ['printing-is-pure', 'src/sri/ride/framework.ts', '@nestjs/common'],
  ['simulator-stands-alone', 'src/simulator/brain/signing.ts', 'src/sri/signing/xades.ts'],
  ['simulator-stands-alone', 'src/simulator/brain/numbers.ts', 'src/shared/decimal.ts'],
  ['nobody-imports-the-simulator', 'src/local/shortcut.ts', 'src/simulator/brain/brain.ts'],
  ['identity-provider-stands-alone', 'src/identity-provider/believing.ts', 'src/platform/security/access-tokens.ts'],
  ['nobody-imports-the-identity-provider', 'src/local/belief.ts', 'src/identity-provider/server.ts'],
  ['platform-knows-no-module', 'src/platform/outbox/relay.ts', 'src/modules/documents/public.ts'],
  ['modules-meet-in-public', 'src/modules/documents/use-cases/peek.ts', 'src/modules/issuers/persistence/repository.ts'],
  ['modules-meet-in-public', 'src/modules/documents/use-cases/peek-module.ts', 'src/modules/issuers/issuers.module.ts'],
  ['modules-from-outside', 'src/operator.ts', 'src/modules/documents/use-cases/issue.ts'],
  ['domain-is-pure', 'src/modules/documents/domain/framework.ts', '@nestjs/common'],
  ['domain-is-pure', 'src/modules/documents/domain/store.ts', 'src/modules/documents/persistence/repository.ts'],
  ['persistence-below-use-cases', 'src/modules/documents/persistence/upwards.ts', 'src/modules/documents/use-cases/issue.ts'],
  ['persistence-below-use-cases', 'src/modules/documents/persistence/of-a-body.ts', 'src/modules/documents/content/body.ts'],
  ['subjects-below-use-cases', 'src/modules/documents/content/upwards.ts', 'src/modules/documents/use-cases/issue.ts'],
  ['subjects-below-use-cases', 'src/modules/auth/sessions/upwards.ts', 'src/modules/auth/use-cases/sign-in.ts'],
  ['use-cases-below-controllers', 'src/modules/documents/use-cases/upwards.ts', 'src/modules/documents/documents.controller.ts'],
  ['use-cases-below-controllers', 'src/modules/documents/saga/upwards.ts', 'src/modules/documents/documents.module.ts'],
  ['use-cases-below-controllers', 'src/modules/documents/issuing/upwards.ts', 'src/modules/documents/documents.controller.ts'],
  ['use-cases-below-controllers', 'src/modules/auth/use-cases/sideways.ts', 'src/modules/auth/google/google.controller.ts'],
  ['database-only-in-its-places', 'src/modules/documents/use-cases/query.ts', 'typeorm'],
  ['database-only-in-its-places', 'src/modules/documents/actions/query.ts', 'pg'],
  ['database-only-in-its-places', 'src/platform/outbox/query.ts', 'pg'],
  ['sql-only-in-repositories', 'src/modules/documents/use-cases/cancel.ts', 'src/platform/database/tenant-transaction.ts'],
  ['sql-only-in-repositories', 'src/modules/documents/content/get-content.ts', 'src/platform/database/tenant-transaction.ts'],
  ['sql-only-in-repositories', 'src/modules/issuers/notices.ts', 'src/platform/database/list-reads.ts'],
  ['embedded-servers-only-locally', 'src/worker.ts', 'src/platform/embedded/postgres.ts'],
  ['production-needs-no-development-package', 'src/modules/issuers/use-cases/tool.ts', 'js-redis-server'],
  ['program-imports-no-test', 'src/platform/http/shortcut.ts', 'test/support/stack.ts'],
];

/** Imports that the rules allow: none of them may be reported. */
const ALLOWED: readonly (readonly [string, string])[] = [
  ['src/sri/xml/schema.ts', 'libxml2-wasm'],
  ['src/sri/access-key.ts', 'src/shared/decimal.ts'],
  ['src/simulator/brain/rates.ts', 'src/sri/tables/iva.ts'],
  ['src/modules/documents/use-cases/ask.ts', 'src/modules/issuers/public.ts'],
  ['src/modules/documents/use-cases/create.ts', 'src/modules/documents/content/body.ts'],
  ['src/modules/auth/google/google.controller.ts', 'src/modules/auth/use-cases/sign-in.ts'],
  ['src/modules/documents/persistence/repository.ts', 'typeorm'],
  ['src/modules/documents/persistence/lists.ts', 'src/platform/database/list-reads.ts'],
  ['src/modules/documents/use-cases/get-document.ts', 'src/platform/database/tenant-transaction.ts'],
  ['src/modules/documents/domain/decide.ts', 'src/sri/soap/reception.ts'],
  ['src/platform/database/connection.ts', 'typeorm'],
  ['src/platform/embedded/redis.ts', 'js-redis-server'],
  ['src/local/foundation.ts', 'src/platform/embedded/redis.ts'],
  ['src/docs/schema.ts', 'src/platform/embedded/postgres.ts'],
  ['src/docs/schema.ts', 'pg'],
  ['src/app.module.ts', 'src/modules/documents/documents.module.ts'],
  ['src/operations/migrate.ts', 'src/modules/documents/domain/lifecycle.ts'],
];

const PACKAGES = { dependencies: ['@nestjs/common', 'typeorm', 'pg', 'libxml2-wasm'], devDependencies: ['js-redis-server'] } as const;

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

describe('import boundaries', () => {
  let tree: string;
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'sello-boundaries-'));
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) copyFileSync(file, join(tree, file));
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  function write(path: string, text: string, flag = 'w'): void {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text, { flag });
  }

  function plantImport(from: string, to: string): void {
    const isFile = /^(src|test)\//.test(to);
    const specifier = isFile ? relative(dirname(from), to).replace(/\.ts$/, '.js').replace(/^(?!\.)/, './') : to;
    write(from, `import '${specifier}';\n`, 'a');
    if (isFile) write(to, '', 'a');
  }

  function cruise(): Violation[] {
    const command = join(process.cwd(), 'node_modules', '.bin', 'depcruise');
    const args = [command, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src', 'test'];
    try {
      return read(execFileSync(process.execPath, args, { cwd: tree, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
    } catch (error) {
      // Its exit code is the number of violations.
      return read((error as { stdout: string }).stdout);
    }
  }
  const read = (json: string) => (JSON.parse(json) as { summary: { violations: Violation[] } }).summary.violations;

  it('report each planted violation under its rule, and nothing that is allowed', () => {
    const list = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']));
    write('package.json', JSON.stringify({ type: 'module', dependencies: list(PACKAGES.dependencies), devDependencies: list(PACKAGES.devDependencies) }));
    for (const name of [...PACKAGES.dependencies, ...PACKAGES.devDependencies]) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
      write(`node_modules/${name}/index.js`, '');
    }
    for (const [from, to] of ALLOWED) plantImport(from, to);
    for (const [, from, to] of PLANTED) plantImport(from, to);
    // Closes the cycle, which is reported once.
    plantImport('src/shared/egg.ts', 'src/shared/chicken.ts');
    write('src/shared/lost.ts', `import './nowhere.js';\n`);

    const found = cruise().map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to.replace(/^node_modules\/(.*)\/index\.js$/, '$1')}`);
    const expected = PLANTED.map(([rule, from, to]) => `${rule}: ${from} -> ${to.replace('node:', '')}`);
    // Some imports break a second rule as well: that is no mistake, but only these may.
    const alsoBroken = [
      'imports-exist: src/shared/lost.ts -> ./nowhere.js',
      'shared-stands-on-nothing: src/shared/lost.ts -> ./nowhere.js',
      'modules-from-outside: src/platform/outbox/relay.ts -> src/modules/documents/public.ts',
    ];
    for (const one of expected) expect(found).toContain(one);
    expect(found).toContain(alsoBroken[0]);
    expect(found.filter((one) => !expected.includes(one) && !alsoBroken.includes(one))).toEqual([]);
  });

  it('have a planted violation for every rule', () => {
    const { forbidden } = createRequire(import.meta.url)(join(process.cwd(), '.dependency-cruiser.cjs')) as { forbidden: { name: string }[] };
    const planted = new Set([...PLANTED.map(([rule]) => rule), 'imports-exist']);
    expect(forbidden.map(({ name }) => name).filter((name) => !planted.has(name))).toEqual([]);
  });

  it('are crossed for each name that a module makes public', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts')).map((path) => join('src', path));
    const publics = sources.filter((path) => /^src\/modules\/[^/]+\/public\.ts$/.test(path));
    expect(publics.length).toBeGreaterThan(5);
    const imported = new Set(sources.flatMap(namesFromPublic));
    const exported = publics.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => namesIn(list).map((name) => `${path}: ${name}`)));
    expect(exported.length).toBeGreaterThan(publics.length);
    expect(exported.filter((one) => !imported.has(one))).toEqual([]);
  });
});

/** What a file imports from the public faces of other modules, each as `file: name`. */
function namesFromPublic(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*\/public)\.js';/gm)]
    .map(([, list = '', from = '']) => ({ list, face: `${join(dirname(path), from)}.ts` }))
    .filter(({ face }) => !path.startsWith(`${dirname(face)}/`))
    .flatMap(({ list, face }) => namesIn(list).map((name) => `${face}: ${name}`));
}

const namesIn = (list: string): string[] => list.split(',').map((name) => name.replace(/^\s*type\s/, '').replace(/\sas\s.*/, '').trim()).filter((name) => name !== '');
