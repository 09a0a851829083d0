import { licenceOf, type LockedPackage, type LockFile, nameAt, productionPackages } from './licences.js';

/** A package in CycloneDX; every version of it is one component, however often it is installed. */
interface Component {
  readonly 'bom-ref': string;
  readonly type: 'library';
  readonly name: string;
  readonly version: string;
  /** `optional`: the service runs without it, or another platform's takes its place. */
  readonly scope: 'required' | 'optional';
  readonly hashes: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
  readonly licenses: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
  readonly purl: string;
}

/** What of `package.json` is read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/** A bill of materials in CycloneDX 1.5. */
interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly version: 1;
  readonly metadata: { readonly component: Manifest & { readonly type: 'application'; readonly 'bom-ref': string; readonly purl: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * What production is made of, read from the lock file alone: the same file gives the same bill. `npm sbom --omit dev`
 * leaves out whatever a package of development needs too.
 */
export function billOfMaterials({ name, version, description }: Manifest, lock: LockFile): BillOfMaterials {
  const production = productionPackages(lock);
  const components = new Map<string, Component>();
  const graph = new Map<string, Set<string>>();
  for (const [path, one] of production) {
    const component = componentOf(path, one);
    const known = components.get(component['bom-ref']);
    components.set(component['bom-ref'], known?.scope === 'required' ? known : component);
    const needed = graph.get(component['bom-ref']) ?? new Set();
    for (const ref of neededBy(path, one, production)) needed.add(ref);
    graph.set(component['bom-ref'], needed);
  }
  const self = `${name}@${version}`;
  graph.set(self, new Set(neededBy('', lock.packages[''] ?? {}, production)));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': self, name, version, description, purl: `pkg:npm/${self}` } },
    components: [...components.values()],
    dependencies: [...graph].map(([ref, needed]) => ({ ref, dependsOn: [...needed].sort() })),
  };
}

function componentOf(path: string, locked: LockedPackage): Component {
  const { version = '', integrity = '', optional = false, devOptional = false } = locked;
  const name = nameAt(path);
  const licence = licenceOf(name, locked);
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: optional || devOptional ? 'optional' : 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: [licence.includes(' ') ? { expression: licence } : { license: { id: licence } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** What a package finds where Node.js looks for it: in its own folder, then in those above. */
function neededBy(path: string, { dependencies, optionalDependencies, peerDependencies }: LockedPackage, production: ReadonlyMap<string, LockedPackage>): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((name) => {
    for (let above: string | null = path; above !== null; above = parentOf(above)) {
      const found = production.get(above === '' ? `node_modules/${name}` : `${above}/node_modules/${name}`);
      if (found !== undefined) return [`${name}@${found.version ?? ''}`];
    }
    return [];
  });
}

/** The package in whose folder another one lies; the project itself is '', and nothing is above it. */
function parentOf(path: string): string | null {
  return path === '' ? null : path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0));
}
