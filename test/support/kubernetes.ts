import { isIP } from 'node:net';
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
 * Holds manifests against the types and the schemas of Kubernetes: only the types refuse unknown fields, only the schemas
 * values that a field does not take. Neither knows all that an API server looks at; of that, `ownProblems` knows what is
 * easily mistaken here. A cluster's `--dry-run=server` says more.
 *
 * @returns what is wrong, in words; empty when nothing is
 */
export function kubernetesProblems(manifests: readonly Manifest[]): string[] {
  const known = manifests.filter(({ apiVersion }) => GROUPS[apiVersion] !== undefined);
  const unknown = manifests.filter(({ apiVersion }) => GROUPS[apiVersion] === undefined).map(({ kind, apiVersion }) => `${kind}: unknown apiVersion ${apiVersion}`);
  return [...unknown, ...typeProblems(known), ...known.flatMap(schemaProblems), ...known.flatMap(ownProblems)];
}

type Fits = (value: unknown) => boolean;

const oneOf = (...values: string[]): Fits => (value) => values.includes(value as string);
const whole = (least: number, most: number): Fits => (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
/** A number, or the name that a container gives to one. */
const port: Fits = (value) => (typeof value === 'string' ? /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/.test(value) : whole(1, 65_535)(value));
const label: Fits = (value) => typeof value === 'string' && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(value);
const seconds = whole(1, 2 ** 31 - 1);
const network: Fits = (value) => {
  const [address = '', bits = '', ...more] = String(value).split('/');
  return more.length === 0 && /^\d+$/.test(bits) && Number(bits) <= { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
};

/** What a field takes, by the end of its path; places in lists are left out of it. */
const TAKES: readonly (readonly [RegExp, Fits])[] = [
  [/(^|\.)metadata\.name$/, label],
  [/\.containers\.name$/, label],
  [/\.(containerPort|port|targetPort|endPort)$/, port],
  [/\.ipBlock\.(cidr|except)$/, network],
  [/\.matchExpressions\.operator$/, oneOf('In', 'NotIn', 'Exists', 'DoesNotExist')],
  [/\.(periodSeconds|timeoutSeconds|failureThreshold|activeDeadlineSeconds)$/, seconds],
  [/^spec\.metrics\.type$/, oneOf('Resource', 'ContainerResource', 'External', 'Object', 'Pods')],
  [/^spec\.metrics\..*\.target\.type$/, oneOf('Utilization', 'Value', 'AverageValue')],
  [/^spec\.behavior\..*\.policies\.type$/, oneOf('Percent', 'Pods')],
  [/\.concurrencyPolicy$/, oneOf('Allow', 'Forbid', 'Replace')],
  [/\.accessModes$/, oneOf('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod')],
];

function ownProblems(manifest: Manifest): string[] {
  const leaves = leavesOf(manifest);
  const problems = leaves.flatMap(([path, value]) => TAKES.filter(([field, fits]) => field.test(path) && !fits(value)).map(() => `${path} does not take ${JSON.stringify(value)}`));
  if (manifest.kind === 'Job' || manifest.kind === 'CronJob') {
    // Always where it is left out.
    const [, policy = 'Always'] = leaves.find(([path]) => path.endsWith('template.spec.restartPolicy')) ?? [];
    if (policy !== 'Never' && policy !== 'OnFailure') problems.push(`restartPolicy does not take ${JSON.stringify(policy)}`);
  }
  return problems.map((problem) => `${variable(manifest)}: ${problem}`);
}

function leavesOf(value: unknown, path = ''): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, path));
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, one]) => leavesOf(one, path === '' ? name : `${path}.${name}`));
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
