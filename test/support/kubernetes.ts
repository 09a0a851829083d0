import { join } from 'node:path';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import ts from 'typescript';

/** Where `kubernetes-types` and `kubernetes-models`, both generated from the OpenAPI description of Kubernetes, have the kinds of a group. */
const GROUPS: Readonly<Record<string, { readonly types: string; readonly models: object }>> = {
  v1: { types: 'core/v1', models: core },
  'apps/v1': { types: 'apps/v1', models: apps },
  'batch/v1': { types: 'batch/v1', models: batch },
  'policy/v1': { types: 'policy/v1', models: policy },
  'networking.k8s.io/v1': { types: 'networking/v1', models: networking },
  'autoscaling/v2': { types: 'autoscaling/v2', models: autoscaling },
};

type Models = Readonly<Record<string, new (manifest: Manifest) => { validate(): void }>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
}

/**
 * Holds manifests against the types and the schemas of Kubernetes, as its API server does with `--validate=strict`. Only
 * the types refuse unknown fields, only the schemas values that a field does not take.
 *
 * @returns what is wrong, in words; empty when nothing is
 */
export function kubernetesProblems(manifests: readonly Manifest[]): string[] {
  const known = manifests.filter(({ apiVersion }) => GROUPS[apiVersion] !== undefined);
  const unknown = manifests.filter(({ apiVersion }) => GROUPS[apiVersion] === undefined).map(({ kind, apiVersion }) => `${kind}: unknown apiVersion ${apiVersion}`);
  return [...unknown, ...typeProblems(known), ...known.flatMap(schemaProblems)];
}

function schemaProblems(manifest: Manifest): string[] {
  const Model = (GROUPS[manifest.apiVersion]!.models as Models)[manifest.kind];
  if (Model === undefined) return [`${manifest.kind}: ${manifest.apiVersion} has no such kind`];
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [`${variable(manifest)}: ${(error as Error).message}`];
  }
}

function typeProblems(manifests: readonly Manifest[]): string[] {
  const source = manifests
    // A literal of its own for each: only in those the compiler refuses fields that the type does not have.
    .map((manifest, at) => `import type { ${manifest.kind} as Kind${at} } from 'kubernetes-types/${GROUPS[manifest.apiVersion]!.types}.js';\nexport const ${variable(manifest)}${at}: Kind${at} = ${JSON.stringify(manifest, null, 1)};`)
    .join('\n');
  const file = join(process.cwd(), 'manifests.ts');
  const options: ts.CompilerOptions = { strict: true, noEmit: true, types: [], lib: ['lib.es2020.d.ts'], module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => (name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : read(name, ...rest));
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((one) => {
    const line = one.file?.text.slice(0, one.start).split('\n').findLast((text) => text.startsWith('export const')) ?? '';
    return `${/const (\w+?)\d+:/.exec(line)?.[1] ?? ''}: ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`;
  });
}

const variable = ({ kind, metadata }: Manifest): string => `${kind}_${metadata.name.replaceAll('-', '_')}_`;
