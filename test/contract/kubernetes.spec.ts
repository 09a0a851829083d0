import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { CronJob, Job } from 'kubernetes-types/batch/v1.js';
import type { ConfigMap, Container, PersistentVolumeClaim, Pod, PodSpec, Secret, Service } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS_SCHEMA } from '../../src/config/settings.js';
import { kubernetesProblems, type Manifest } from '../support/kubernetes.js';

const FOLDER = join('docker', 'kubernetes');
/** What an operator takes up or not, besides the secrets. */
const EXAMPLES = ['provision.example.yaml', 'retention.example.yaml', 'backup.example.yaml', 'restore.example.yaml'];
/** Pods of those that are created by hand: the kustomization gives them no image. */
const BY_HAND = ['sello-provision', 'sello-restore'];
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const manifestsOf = (file: string): Manifest[] => parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest);
/** What is found wrong in a file in which one thing was mistaken. */
function problemsOf(file: string, original: string, planted: string): string {
  const text = read(file);
  expect(text).toContain(original);
  return kubernetesProblems(parseAllDocuments(text.replace(original, planted)).map((document) => document.toJS() as Manifest)).join();
}

/** Where the programs are written that a text runs. */
const programsIn = (text: string): string[] => [...text.matchAll(/\bnode (?:--[\w=-]+ )*dist\/(?:src|bundle)\/([\w/-]+)\.js\b/g)].map(([, path]) => `src/${path}.ts`);

/** `500m`, `768Mi`, `2`. */
const QUANTITY = /^\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi)?$/;

describe('the Kubernetes manifests', () => {
  const kustomization = parse(read('kustomization.yaml')) as { resources: string[]; images: { name: string; newName: string; newTag: string }[] };
  const applied = kustomization.resources.flatMap(manifestsOf);
  const example = manifestsOf('secrets.example.yaml');
  const others = EXAMPLES.flatMap(manifestsOf);
  const all = [...applied, ...example, ...others];
  const ofKind = <T>(kind: string): T[] => all.filter((one) => one.kind === kind) as T[];
  const named = (name: string): Manifest => all.find(({ metadata }) => metadata.name === name)!;
  const deployments = ofKind<Deployment>('Deployment');
  const scheduled = ofKind<CronJob>('CronJob');
  const templates = [...deployments, ...ofKind<Job>('Job'), ...scheduled.map(({ metadata, spec }): Job => ({ metadata: metadata!, ...spec!.jobTemplate }))].map(({ metadata, spec }): Pod => ({ ...spec!.template, metadata: { ...spec!.template.metadata, name: metadata!.name! } }));
  const pods = [...templates, ...ofKind<Pod>('Pod')].map(({ metadata, spec }): [string, Record<string, string>, PodSpec] => [metadata!.name!, metadata!.labels!, spec!]);
  const containers: [string, Container][] = pods.flatMap(([name, , { containers: list }]) => list.map((container): [string, Container] => [name, container]));
  const settings = (named('sello-settings') as ConfigMap).data!;

  it('have only fields that Kubernetes knows, all that it requires, and values that these take', () => {
    expect(kubernetesProblems(all)).toEqual([]);
  });

  it.each([
    ['a misspelt field', 'readinessProbe', 'readinesProbe', /^Deployment_sello_api_: .*readinesProbe/],
    ['a mistyped field', 'maxSurge: 1', 'maxSurge: [1]', /^Deployment_sello_api_: .*not assignable/],
    ['a missing field', '        - name: api\n          image', '        - image', /'name' is missing/],
    ['a value that the field does not take', 'type: RuntimeDefault', 'type: Runtime', /^Deployment_sello_api_: .*seccompProfile\/type/],
    ['a fraction for a whole number', 'runAsUser: 1000', 'runAsUser: 10.5', /^Deployment_sello_api_: .*runAsUser/],
    ['another version', 'apps/v1', 'apps/v2', /unknown apiVersion apps\/v2/],
    ['a kind that there is not', 'kind: Deployment', 'kind: Deploymnt', /no such kind/],
    ['a port beyond the last', 'containerPort: 3000', 'containerPort: 300000', /containerPort does not take 300000/],
    ['a time before now', 'periodSeconds: 10', 'periodSeconds: -10', /periodSeconds does not take -10/],
    ['a name that is none', '  name: sello-api', '  name: Sello_API', /metadata\.name does not take "Sello_API"/],
  ])('are told apart from manifests with %s', (_what, original, planted, problem) => {
    expect(problemsOf('api.yaml', original, planted)).toMatch(problem);
  });

  it.each([
    ['autoscaling.yaml', 'type: Resource', 'type: Resourc', /^HorizontalPodAutoscaler_sello_api_: .*"Resourc"/],
    ['autoscaling.yaml', 'type: Utilization', 'type: Utilisation', /"Utilisation"/],
    ['autoscaling.yaml', 'type: Percent', 'type: Procent', /"Procent"/],
    ['autoscaling.yaml', 'operator: In', 'operator: Inn', /"Inn"/],
    ['network.yaml', 'operator: In', 'operator: Inn', /"Inn"/],
    ['network.yaml', 'cidr: 0.0.0.0/0', 'cidr: 0.0.0.0/99', /"0\.0\.0\.0\/99"/],
    ['network.yaml', '172.16.0.0/12', '172.16.0.0', /except does not take "172\.16\.0\.0"/],
    ['network.yaml', 'endPort: 65535', 'endPort: 65536', /endPort does not take 65536/],
    ['network.yaml', 'port: metrics', 'port: Metrics', /port does not take "Metrics"/],
    ['migrate.yaml', 'restartPolicy: Never', 'restartPolicy: Always', /^Job_sello_migrate_: .*restartPolicy does not take "Always"/],
    ['retention.example.yaml', 'restartPolicy: Never', 'restartPolicy: Always', /^CronJob_sello_retention_: .*restartPolicy/],
    ['retention.example.yaml', 'ReadWriteOnce', 'ReadWriteOne', /"ReadWriteOne"/],
    ['backup.example.yaml', 'Policy: Forbid', 'Policy: Forbidden', /"Forbidden"/],
    ['migrate.yaml', 'restartPolicy: Never', 'hostname: never', /restartPolicy does not take "Always"/],
  ])('are told apart, in %s, %s from %s', (file, original, planted, problem) => {
    expect(problemsOf(file, original, planted)).toMatch(problem);
  });

  it('are all part of the kustomization, but for examples', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...kustomization.resources, 'kustomization.yaml', 'secrets.example.yaml', ...EXAMPLES].sort());
    expect(applied.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(all.filter(({ metadata }) => 'namespace' in metadata)).toEqual([]);
    const [{ name, newName, newTag }] = kustomization.images as [{ name: string; newName: string; newTag: string }];
    for (const [pod, { image }] of containers) expect([pod, image]).toEqual([pod, BY_HAND.includes(pod) ? `${newName}:${newTag}` : name]);
  });

  it('keep no secret: every value of the example must be replaced', () => {
    for (const [name, value] of ofKind<Secret>('Secret').flatMap(({ stringData }) => Object.entries(stringData!))) expect([name, value]).toEqual([name, expect.stringContaining('REPLACE')]);
  });

  it.each(containers)('%s runs within the restricted standard for pods', (pod, container) => {
    const spec = pods.find(([name]) => name === pod)![2];
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect([spec.hostNetwork, spec.hostPID, spec.hostIPC]).toEqual([undefined, undefined, undefined]);
    const claims = ofKind<PersistentVolumeClaim>('PersistentVolumeClaim').map(({ metadata }) => metadata!.name!);
    const bounded = (spec.volumes ?? []).map(({ name, emptyDir, persistentVolumeClaim: claim }) => [name, typeof emptyDir?.sizeLimit === 'string' || claims.includes(claim?.claimName ?? '')]);
    expect(bounded).toEqual((container.volumeMounts ?? []).map(({ name }) => [name, true]));
    expect([spec.serviceAccountName, spec.automountServiceAccountToken]).toEqual(['sello', false]);
  });

  it.each(containers)('%s has room of its own, and a program that exists', (pod, { resources, command }) => {
    for (const quantity of [resources?.requests?.['cpu'], resources?.requests?.['memory'], resources?.limits?.['memory']]) expect(quantity).toMatch(QUANTITY);
    if (pod === 'sello-provision') expect(command).toEqual(['sleep', '3600']);
    else expect(programsIn(command!.join(' '))).toHaveLength(1);
    expect(programsIn(command!.join(' ')).filter((program) => !existsSync(program))).toEqual([]);
  });

  it('are told of with programs that exist', () => {
    const text = readFileSync(join('docs', 'kubernetes.md'), 'utf8');
    expect(programsIn(text)).toContain('src/provision.ts');
    expect(programsIn(text).filter((program) => !existsSync(program))).toEqual([]);
    const named = [...text.matchAll(/`([\w.-]+\.yaml)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(join(FOLDER, file)))).toEqual([]);
  });

  it('set nothing that the service does not know', () => {
    const given = [...Object.keys(settings), ...example.flatMap((secret) => Object.keys((secret as Secret).stringData!)), ...containers.flatMap(([, { env }]) => (env ?? []).map(({ name }) => name))];
    const known = Object.keys(SETTINGS_SCHEMA.shape);
    expect(given.filter((name) => !known.includes(name))).toEqual([]);
    const [api] = containers.find(([name]) => name === 'sello-api')!.slice(1) as [Container];
    const whole = { ...settings, ...Object.fromEntries((api.env ?? []).map(({ name, value }) => [name, value])), ...(named('sello-secrets') as Secret).stringData };
    expect(SETTINGS_SCHEMA.safeParse(whole).error?.issues ?? []).toEqual([]);
  });

  it('set what no deployment can leave as it is by default, and name it', () => {
    const row = /^\| settings \|.*$/m.exec(readFileSync(join('docs', 'kubernetes.md'), 'utf8'))![0];
    for (const name of ['APP_ENV', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'MAIL_FROM']) expect([name, settings[name] !== undefined, row.includes(`\`${name}\``)]).toEqual([name, true, true]);
    expect(SETTINGS_SCHEMA.shape.MAIL_FROM.parse(settings['MAIL_FROM'])).toMatch(/\.example>$/);
  });

  it('take settings and secrets from what exists, and the login of the owner in no pod that serves', () => {
    const sources = containers.flatMap(([pod, { envFrom }]) => envFrom!.map(({ configMapRef, secretRef }) => [pod, configMapRef?.name ?? secretRef?.name]));
    for (const [, source] of sources) expect(all.map(({ metadata }) => metadata.name)).toContain(source);
    const ofOwner = sources.filter(([, source]) => source === 'sello-owner').map(([pod]) => pod);
    expect(ofOwner.filter((pod) => deployments.some(({ metadata }) => metadata!.name === pod))).toEqual([]);
    expect(ofOwner).toContain('sello-migrate');
    // Provisioning reads all settings, and writes as the owner.
    expect(sources.filter(([pod]) => pod === 'sello-provision').map(([, source]) => source)).toEqual(['sello-settings', 'sello-secrets', 'sello-owner']);
  });

  it('archive and back up where a volume is, one run at a time, and let the database in', () => {
    expect(scheduled.map(({ metadata, spec }) => [metadata!.name, spec!.concurrencyPolicy, spec!.timeZone, /^\d+ \d+ \* \* [\d*]$/.test(spec!.schedule)])).toEqual([
      ['sello-retention', 'Forbid', 'America/Guayaquil', true], ['sello-backup', 'Forbid', 'America/Guayaquil', true]]);
    const of = (name: string): Container => containers.find(([pod]) => pod === name)![1];
    const mounted = (name: string): string => of(name).volumeMounts![0]!.mountPath;
    expect(of('sello-retention').env).toEqual([{ name: 'RETENTION_ARCHIVE_DIR', value: mounted('sello-retention') }]);
    expect(of('sello-retention').envFrom!.map(({ configMapRef, secretRef }) => configMapRef?.name ?? secretRef?.name)).toEqual(['sello-settings', 'sello-secrets', 'sello-owner']);
    expect(of('sello-backup').command!.at(-1)).toContain(`"${mounted('sello-backup')}/`);
    // The label by which network.yaml lets pods reach PostgreSQL.
    for (const [pod, labels] of pods) expect([pod, labels['app.kubernetes.io/name']]).toEqual([pod, 'sello']);
  });

  it('restore what was backed up as the owner alone, once, and as long as it takes', () => {
    const { spec } = named('sello-restore') as Job;
    expect([spec!.backoffLimit, spec!.activeDeadlineSeconds, spec!.ttlSecondsAfterFinished]).toEqual([0, undefined, undefined]);
    const of = (name: string): [PodSpec, Container] => [pods.find(([pod]) => pod === name)![2], containers.find(([pod]) => pod === name)![1]];
    const [[backupPod, backup], [restorePod, restore]] = [of('sello-backup'), of('sello-restore')];
    expect([restorePod.volumes, restorePod.securityContext, restore.envFrom]).toEqual([backupPod.volumes, backupPod.securityContext, backup.envFrom]);
    expect(restore.volumeMounts).toEqual(backup.volumeMounts!.map((mount) => ({ ...mount, readOnly: true })));
    expect(restore.command!.at(-1)).toContain(`; exec node dist/src/restore.js ${restore.volumeMounts![0]!.mountPath}/REPLACE`);
  });

  it('can take the keys as files, as the page mounts them', () => {
    const text = readFileSync(join('docs', 'kubernetes.md'), 'utf8');
    const [, block = ''] = /```yaml\n(patches:\n[^]*?)```/.exec(text)!;
    const { patches: [{ target, patch }] } = parse(block) as { patches: [{ target: { kind: string }; patch: string }] };
    const operations = parse(patch) as { op: string; path: string; value: object }[];
    const patched = applied.filter(({ kind }) => kind === target.kind).map((manifest) => structuredClone(manifest));
    expect(patched).toHaveLength(deployments.length);
    for (const { op, path, value } of operations) {
      const steps = path.split('/').slice(1);
      expect([op, steps.pop()]).toEqual(['add', '-']);
      for (const manifest of patched) (steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], manifest) as object[]).push(value);
    }
    expect(kubernetesProblems(patched)).toEqual([]);
    for (const { spec } of patched as unknown as Deployment[]) {
      const { volumes, containers: [container] } = spec!.template.spec!;
      const [volume, mount] = [volumes!.at(-1)!, container!.volumeMounts!.at(-1)!];
      // The group may read besides, and nobody else: src/platform/secrets/private-file.ts.
      expect([volume.name, volume.secret?.defaultMode]).toEqual([mount.name, 0o400]);
      for (const name of ['MASTER_KEY', 'TOKEN_KEYS']) expect(text).toContain(`\`${name}_FILE: ${mount.mountPath}/${name}\``);
    }
  });

  it('hand the database over by addresses that demand TLS', () => {
    const addresses = example.flatMap((secret) => Object.entries((secret as Secret).stringData!)).filter(([, value]) => value.startsWith('postgresql://'));
    expect(addresses.map(([name, value]) => [name, new URL(value).searchParams.get('sslmode')])).toEqual([['DATABASE_URL', 'verify-full'], ['DATABASE_OWNER_URL', 'verify-full']]);
  });

  it('do not give a rollout up while the job still migrates, for which its pods wait', () => {
    const { activeDeadlineSeconds: migrating } = (named('sello-migrate') as Job).spec!;
    for (const { spec } of deployments) expect(spec!.progressDeadlineSeconds).toBeGreaterThan(migrating!);
    // The building of an index waits for a backup that runs.
    expect(migrating).toBeGreaterThan((named('sello-backup') as CronJob).spec!.jobTemplate.spec!.activeDeadlineSeconds!);
    const waits = [...readFileSync(join('docs', 'kubernetes.md'), 'utf8').matchAll(/job\/sello-migrate --timeout=(\d+)h /g)].map(([, hours]) => Number(hours) * 3600);
    expect(waits).toEqual([migrating, migrating]);
  });

  it('ask every serving pod by ports that it names and paths that it answers', () => {
    for (const { spec } of deployments) {
      const [container] = spec!.template.spec!.containers;
      const { startupProbe, livenessProbe, readinessProbe, ports } = container!;
      const asked = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe!.httpGet!);
      expect(asked.map(({ path }) => path)).toEqual(['/health/live', '/health/live', '/health/ready']);
      for (const { port } of asked) expect(ports!.map(({ name }) => name)).toContain(port);
      expect(ports!.find(({ name }) => name === 'metrics')!.containerPort).toBe(Number(settings['METRICS_PORT']));
    }
  });

  it('are found by Prometheus as the page says, under a job that the alerts know', () => {
    const [monitor, scrape] = [...readFileSync(join('docs', 'kubernetes.md'), 'utf8').matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text).filter((text) => /PodMonitor|job_name/.test(text)).map((text) => parse(text) as unknown);
    const { jobLabel, selector: { matchLabels }, podMetricsEndpoints: [{ port }] } = (monitor as { spec: { jobLabel: string; selector: { matchLabels: Record<string, string> }; podMetricsEndpoints: [{ port: string }] } }).spec;
    for (const { spec } of deployments) {
      const { metadata, spec: pod } = spec!.template;
      expect(metadata!.labels).toMatchObject(matchLabels);
      expect(metadata!.labels![jobLabel]).toMatch(/^sello/);
      expect(pod!.containers[0]!.ports!.map(({ name }) => name)).toContain(port);
    }
    expect(scrape).toEqual([expect.objectContaining({ job_name: 'sello' })]);
    const alerts = readFileSync(join('docker', 'prometheus', 'alerts.yaml'), 'utf8');
    expect(new Set([...alerts.matchAll(/job=~"([^"]*)"/g)].map(([, job]) => job))).toEqual(new Set(['sello.*']));
  });

  it('give a stopping pod the time that it takes', () => {
    for (const { spec } of deployments) {
      const { terminationGracePeriodSeconds, containers: [container] } = spec!.template.spec!;
      const waits = Number(container!.lifecycle?.preStop?.exec?.command?.[1] ?? 0);
      expect(terminationGracePeriodSeconds).toBe(waits + Number(settings['SHUTDOWN_SECONDS']) + 10);
    }
    expect(readFileSync(join('docs', 'kubernetes.md'), 'utf8')).toMatch(/after five seconds[^]*ended ten seconds after that/);
  });

  it('take no more connections than is written down', () => {
    const size = Number(settings['DATABASE_POOL_SIZE']);
    const most = ofKind<HorizontalPodAutoscaler>('HorizontalPodAutoscaler').map(({ spec }) => spec!.maxReplicas);
    const pods = most.reduce((sum, count) => sum + count);
    const surge = deployments.map(({ spec }) => spec!.strategy!.rollingUpdate!).reduce((sum, { maxSurge, maxUnavailable }) => sum + Number(maxSurge) - Number(maxUnavailable), 0);
    const text = readFileSync(join('docs', 'kubernetes.md'), 'utf8');
    expect(text).toContain(`may start, ${most.join(' + ')} | ${pods} | ${pods * size} |`);
    expect(text).toContain(`| ${pods + surge} | ${(pods + surge) * size} |`);
    expect(text).toContain(`| up to ${2 * pods} | up to ${2 * pods * size} |`);
    expect(text).toContain(`2 × ${pods} × ${size} + 20`);
    expect(text).toContain(`of ${2 * pods * size + 20} at least`);
  });

  it('let services, budgets and autoscalers mean pods that exist', () => {
    const fits = (wanted: Record<string, string>): string[] => pods.filter(([, labels]) => Object.entries(wanted).every(([name, value]) => labels[name] === value)).map(([name]) => name);
    for (const { metadata, spec } of deployments) expect(fits(spec!.selector.matchLabels!)).toEqual([metadata!.name]);
    expect(ofKind<Service>('Service').map(({ spec }) => fits(spec!.selector!))).toEqual([['sello-api']]);
    const serving = deployments.map(({ metadata }) => metadata!.name).sort();
    expect(ofKind<PodDisruptionBudget>('PodDisruptionBudget').flatMap(({ spec }) => fits(spec!.selector!.matchLabels!)).sort()).toEqual(serving);
    const scaled = ofKind<HorizontalPodAutoscaler>('HorizontalPodAutoscaler').map(({ spec }) => spec!);
    expect(scaled.map(({ scaleTargetRef }) => scaleTargetRef.name).sort()).toEqual(serving);
    // A budget of one would never let a single pod go.
    for (const { minReplicas, maxReplicas } of scaled) expect([minReplicas! >= 2, maxReplicas > minReplicas!]).toEqual([true, true]);
    expect(deployments.filter(({ spec }) => spec!.replicas !== undefined)).toEqual([]);
  });
});
