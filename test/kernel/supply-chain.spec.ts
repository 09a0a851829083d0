import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { billOfMaterials, type Manifest } from '../../src/docs/bill-of-materials.js';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

/**
 * The first version without the vulnerabilities that are known of a package, for what reads input from outside or
 * guards keys. Several lines of a package may have one each.
 */
const FLOORS: readonly (readonly [name: string, ...versions: string[]])[] = [
  ['xml-crypto', '6.3.2'],
  ['node-forge', '1.4.3'],
  ['@xmldom/xmldom', '0.8.15', '0.9.12'],
  ['fast-xml-parser', '5.5.7'],
  ['multer', '2.2.0'],
  ['body-parser', '1.20.6', '2.3.0'],
  ['qs', '6.14.1'],
  ['typeorm', '0.3.27'],
  ['class-validator', '0.14.0'],
  ['nodemailer', '8.0.5'],
  ['bull', '4.16.5'],
];

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Numbers of a version; what follows a hyphen does not count. */
const parts = (version: string): number[] => version.split('-')[0]!.split('.').map(Number);

function isAtLeast(version: string, floor: string): boolean {
  const [mine, least] = [parts(version), parts(floor)];
  const differs = mine.findIndex((part, at) => part !== least[at]);
  return differs === -1 || mine[differs]! > least[differs]!;
}

/** Above the floor of its own line (0.8, 0.9), or above all of them. */
function isAbove(version: string, floors: readonly string[]): boolean {
  const line = (of: string): string => (floors.length === 1 ? '' : parts(of).slice(0, of.startsWith('0.') ? 2 : 1).join('.'));
  const mine = floors.filter((floor) => line(floor) === line(version));
  return mine.length > 0 ? mine.every((floor) => isAtLeast(version, floor)) : floors.every((floor) => isAtLeast(version, floor));
}

describe('the supply chain', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<'dependencies' | 'devDependencies' | 'allowScripts', Record<string, string | boolean>>;
  const text = readFileSync('package-lock.json', 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
  const locked = Object.entries(packages).filter(([path]) => path !== '');

  it('every dependency is pinned to one version, and locked at it', () => {
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const [name, asked] of Object.entries(wanted)) {
      // A second version of a package has a name of ours.
      const version = String(asked).replace(/^npm:.*@/, '');
      expect([name, version]).toEqual([name, expect.stringMatching(EXACT)]);
      expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
    }
  });

  it('every locked package is known by its content, and by no address', () => {
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    expect(text).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });

  it('no package may run a script of its own at installation', () => {
    const asking = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13));
    expect(asking.filter((name) => manifest.allowScripts[name] === true)).toEqual([]);
  });

  it.each(FLOORS)('%s is above what is known to be vulnerable', (name, ...floors) => {
    const versions = locked.filter(([path]) => path.endsWith(`node_modules/${name}`)).map(([, { version }]) => version!);
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter((version) => !isAbove(version, floors))).toEqual([]);
  });

  it('a version below its floor would be seen', () => {
    expect(isAbove('6.3.1', ['6.3.2'])).toBe(false);
    expect(isAbove('0.8.14', ['0.8.15', '0.9.12'])).toBe(false);
    expect(isAbove('0.9.11', ['0.8.15', '0.9.12'])).toBe(false);
    expect(isAbove('0.8.15', ['0.8.15', '0.9.12'])).toBe(true);
    expect(isAbove('1.20.5', ['1.20.6', '2.3.0'])).toBe(false);
    expect(isAbove('7.0.0', ['6.3.2'])).toBe(true);
  });
});

describe('the bill of materials', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest & { dependencies: Record<string, string>; optionalDependencies: Record<string, string> };
  const bill = billOfMaterials(manifest, { packages });
  const refs = bill.components.map((component) => component['bom-ref']);

  it('is what the schema of CycloneDX says, and would be told otherwise', async () => {
    const schema = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
    expect(await schema.validate(JSON.stringify(bill))).toBeNull();
    const [first, ...others] = bill.components;
    expect(await schema.validate(JSON.stringify({ ...bill, components: [{ ...first, scope: 'some' }, ...others] }))).not.toBeNull();
  });

  it('names what the lock file installs in production, each version once, and nothing else', () => {
    const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
    const wanted = new Set(production.map(([path, { version }]) => `${path.split('node_modules/').at(-1)!}@${version!}`));
    expect(bill.components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual([...wanted].sort());
    // What a package of development needs too is the first to be forgotten.
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['pg', 'ioredis', 'express', '@nestjs/core']));
    expect(names).not.toContain('jest');
  });

  it('tells apart what may be absent: what only something optional needs, in production', () => {
    const scopeOf = (wanted: string) => bill.components.find(({ name }) => name === wanted)?.scope;
    expect(['pg', '@nestjs/core', 'typescript', 'detect-libc'].map(scopeOf)).toEqual(['required', 'required', 'optional', 'optional']);
  });

  it('names licence, content and address of each', () => {
    const strange = bill.components.filter(({ hashes, licenses, purl }) =>
      !hashes.every(({ content }) => /^[\da-f]{128}$/.test(content)) || JSON.stringify(licenses).includes('none named') || !/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d[\w.+-]*$/.test(purl));
    expect(strange).toEqual([]);
    expect(bill.components.find(({ name }) => name === '@nestjs/core')?.purl).toBe(`pkg:npm/%40nestjs/core@${manifest.dependencies['@nestjs/core']!}`);
  });

  it('tells what needs what, so that every package is needed by another or by the service', () => {
    const graph = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const self = bill.metadata.component['bom-ref'];
    expect([...graph.keys()].sort()).toEqual([...refs, self].sort());
    const direct = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies }).map(([name, version]) => `${name}@${version}`);
    expect(graph.get(self)).toEqual(direct.sort());
    const reached = new Set([self]);
    for (const ref of reached) for (const needed of graph.get(ref)!) reached.add(needed);
    expect([...reached].sort()).toEqual([...refs, self].sort());
  });

  it('takes the version that lies nearest to who needs it', () => {
    const { dependencies } = billOfMaterials({ name: 'us', version: '1.0.0', description: '' }, {
      packages: {
        '': { dependencies: { a: '1' } },
        'node_modules/a': { version: '1.0.0', dependencies: { b: '2', c: '1' } },
        'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { c: '1' }, peerDependencies: { nobody: '1' } },
        'node_modules/b': { version: '1.0.0' },
        'node_modules/c': { version: '1.0.0', dependencies: { b: '1' } },
      },
    });
    expect(Object.fromEntries(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))).toEqual({
      'us@1.0.0': ['a@1.0.0'], 'a@1.0.0': ['b@2.0.0', 'c@1.0.0'], 'b@2.0.0': ['c@1.0.0'], 'b@1.0.0': [], 'c@1.0.0': ['b@1.0.0'],
    });
  });
});

describe('the packages that only the comparison with others knows', () => {
  const { dependencies } = JSON.parse(readFileSync('bench/peers/package.json', 'utf8')) as { dependencies: Record<string, string> };
  const text = readFileSync('bench/peers/package-lock.json', 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
  const ours = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };

  it('are pinned to one version each, and locked at it', () => {
    expect(Object.keys(dependencies).length).toBeGreaterThan(0);
    for (const [name, version] of Object.entries(dependencies)) {
      expect([name, version]).toEqual([name, expect.stringMatching(EXACT)]);
      expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
    }
  });

  it('are known by their content, and by no address', () => {
    const locked = Object.entries(packages).filter(([path]) => path !== '');
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    expect(text).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });

  it('are no part of the project', () => {
    const names = Object.keys(dependencies);
    expect(Object.keys(ours.packages).filter((path) => names.some((name) => path.endsWith(`node_modules/${name}`)))).toEqual([]);
  });
});
