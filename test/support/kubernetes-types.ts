import { join } from 'node:path';
import ts from 'typescript';

/** Where `kubernetes-types`, which is generated from the OpenAPI description of Kubernetes, has the kinds of a group. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'autoscaling/v2': 'autoscaling/v2',
};

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
}

/**
 * Holds manifests against the types of Kubernetes, as its API server does with `--validate=strict`: unknown and missing
 * fields and values of another type.
 *
 * @returns what is wrong, in words; empty when nothing is
 */
export function kubernetesProblems(manifests: readonly Manifest[]): string[] {
  const unknown = manifests.filter(({ apiVersion }) => MODULES[apiVersion] === undefined).map(({ kind, apiVersion }) => `${kind}: unknown apiVersion ${apiVersion}`);
  const source = manifests
    .filter(({ apiVersion }) => MODULES[apiVersion] !== undefined)
    // A literal of its own for each: only in those the compiler refuses fields that the type does not have.
    .map((manifest, at) => `import type { ${manifest.kind} as Kind${at} } from 'kubernetes-types/${MODULES[manifest.apiVersion]}.js';\nexport const ${variable(manifest)}${at}: Kind${at} = ${JSON.stringify(manifest, null, 1)};`)
    .join('\n');
  const file = join(process.cwd(), 'manifests.ts');
  const options: ts.CompilerOptions = { strict: true, noEmit: true, types: [], lib: ['lib.es2020.d.ts'], module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => (name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : read(name, ...rest));
  const program = ts.createProgram([file], options, host);
  const compiled = ts.getPreEmitDiagnostics(program).map((one) => {
    const line = one.file?.text.slice(0, one.start).split('\n').findLast((text) => text.startsWith('export const')) ?? '';
    return `${/const (\w+?)\d+:/.exec(line)?.[1] ?? ''}: ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`;
  });
  return [...unknown, ...compiled];
}

const variable = ({ kind, metadata }: Manifest): string => `${kind}_${metadata.name.replaceAll('-', '_')}_`;
