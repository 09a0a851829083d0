import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPortFree, isPortTaken } from '../platform/embedded/free-port.js';
import { logTail } from '../platform/embedded/log-tail.js';
import { ApiError } from './api-client.js';
import { DataFolder, type DemoTenant } from './data-folder.js';
import { createDemoTenant, isKnown, makeDemoCompany } from './demo-tenant.js';
import { demonstrate, issueInvoice } from './demonstration.js';
import { type Foundation, startFoundation } from './foundation.js';
import { type AuthorizedDocument, NotAuthorized } from './issue-document.js';
import { LocalError, type LocalOptions } from './options.js';
import { logOf, startApi, startWorker } from './parts.js';
import { Progress } from './progress.js';
import type { RunningParts } from './running-parts.js';
import { demonstrationSummary, summary } from './summary.js';

/**
 * Brings the whole service up on one machine, sets a demo tenant up, issues one
 * invoice (a demonstration: one document of each type) through the public API and
 * prints what a newcomer needs next. Everything runs on once it ends: when all
 * that was issued is AUTHORIZED, or a demo tenant of an earlier start is found unable to issue.
 *
 * @param parts receives whatever was started, also when this throws
 * @throws LocalError and other errors whose message says what to do
 */
export async function bringUp(options: LocalOptions, folder: DataFolder, parts: RunningParts, out: NodeJS.WriteStream): Promise<void> {
  const progress = new Progress(out);
  const workingFolder = process.cwd();
  progress.line(
    options.demo
      ? 'Sello, demonstration on data to throw away'
      : `Sello, local service; data in ${options.dataDir}`,
  );
  await requireFreePorts(options);
  const earlier = folder.readDemoTenant();
  // Keys take a moment to make: meanwhile everything else starts.
  const company = earlier === null ? makeDemoCompany() : null;
  company?.catch(() => undefined);

  const foundation = await startFoundation(options, folder, parts, progress);
  const env = environmentOf(options, folder, foundation);
  const { apiUrl, metricsUrls } = await startProcesses(options, env, folder, parts, progress);
  if (!options.demo) folder.announce(apiUrl);

  const demo = await explained(folder, () => demoTenant(earlier, foundation.ownerUrl, apiUrl, company, folder, progress));
  if (options.demo) {
    const documents = await explained(folder, () => demonstrate(apiUrl, demo, options.documentsDir, progress));
    progress.line(demonstrationSummary(documents, secondsSinceStart(), workingFolder));
    return;
  }
  const issuing = (): Promise<AuthorizedDocument> => issueFirst(options, apiUrl, demo, folder, progress);
  const invoice = demo === earlier ? await issuedOrTold(issuing, progress) : await explained(folder, issuing);
  const { simulatorUrl, signIn } = foundation;
  const secondsToReady = secondsSinceStart();
  // Its port is taken by these processes: others that join say their own.
  const { METRICS_PORT: _taken, ...joining } = env;
  const environmentFile = folder.writeEnvironment(joining);
  progress.line(summary({ invoice, demo, apiUrl, metricsUrls, simulatorUrl, signIn, secondsToReady, logs: folder.logs, environmentFile }, workingFolder));
}

/** @throws LocalError that names another port */
async function requireFreePorts(options: LocalOptions): Promise<void> {
  const { port, host, given } = options;
  if (port !== 0 && !(await isPortFree(port, host))) {
    throw new LocalError(`Port ${port} of ${host} is taken by another program. Free it, or choose another: PORT=${port + 1} npm start`);
  }
  for (const asked of metricsPorts(options)) {
    if (!(await isPortTaken(asked, given['METRICS_HOST']))) continue;
    throw new LocalError(`METRICS_PORT: port ${asked} is taken by another program. The API takes METRICS_PORT and the worker the port behind it: choose another pair`);
  }
}

/** What the service's programs are configured with. */
function environmentOf(options: LocalOptions, folder: DataFolder, foundation: Foundation): Record<string, string> {
  return {
    ...options.given,
    APP_ENV: 'local',
    HOST: options.host,
    PORT: String(options.port),
    DATABASE_URL: foundation.databaseUrl,
    DATABASE_OWNER_URL: foundation.ownerUrl,
    REDIS_URL: foundation.redisUrl,
    ...foundation.sri,
    EXAMPLE_IDS_FILE: folder.exampleIdsFile,
    ...foundation.signIn.env,
    ...(options.given['MASTER_KEY'] === undefined && options.given['MASTER_KEY_FILE'] === undefined && options.given['MASTER_KEY_VAULT_URL'] === undefined
      ? { MASTER_KEY_FILE: folder.masterKeyFile() }
      : {}),
  };
}

/** Starts API and worker at once; answers when both are ready, or have ended. */
async function startProcesses(
  options: LocalOptions,
  env: Readonly<Record<string, string>>,
  folder: DataFolder,
  parts: RunningParts,
  progress: Progress,
): Promise<{ readonly apiUrl: string; readonly metricsUrls: readonly string[] }> {
  // The owner's login is for migrations and for operators, not for the processes that serve.
  const { DATABASE_OWNER_URL: _owner, ...serving } = env;
  const starting = [
    progress.step(
      'API',
      async () => {
        const api = await startApi(serving, folder.logs);
        parts.add('API', api);
        return api;
      },
      (api) => `API, ${api.url ?? ''}`,
    ),
    progress.step('Worker', async () => {
      const [, behind] = metricsPorts(options);
      const worker = await startWorker(behind === undefined ? serving : { ...serving, METRICS_PORT: String(behind) }, folder.logs);
      parts.add('worker', worker);
      return worker;
    }),
  ] as const;
  await Promise.allSettled(starting);
  const [api, worker] = await Promise.all(starting);
  return { apiUrl: api.url ?? '', metricsUrls: [api, worker].flatMap(({ metricsUrl }) => (metricsUrl === null ? [] : [`${metricsUrl}/metrics`])) };
}

/** Issues one invoice, whose ids the examples of the documentation show from then on. */
async function issueFirst(options: LocalOptions, apiUrl: string, demo: DemoTenant, folder: DataFolder, progress: Progress): Promise<AuthorizedDocument> {
  const invoice = await issueInvoice(apiUrl, demo, options.documentsDir, progress, { name: 'invoice' });
  folder.writeExampleIds(demo, invoice.documentId);
  return invoice;
}

/**
 * For the tenant of an earlier start: whoever tried what can go wrong may have left it paused, or without a certificate. What is
 * in the way is told, and the service stays up, for it is through the API that it is settled.
 * @returns null where no invoice was authorized
 */
async function issuedOrTold(issue: () => Promise<AuthorizedDocument>, progress: Progress): Promise<AuthorizedDocument | null> {
  try {
    return await issue();
  } catch (error) {
    if (!(error instanceof NotAuthorized || error instanceof ApiError)) throw error;
    progress.line(`\nWarning: the demo tenant of the earlier start cannot issue now.\n${error.message}`);
    return null;
  }
}

/** Where API and worker show their metrics: two processes on one machine cannot share a port, so the worker takes the next one. */
function metricsPorts({ given }: LocalOptions): readonly number[] {
  const port = Number(given['METRICS_PORT'] ?? '0');
  return port === 0 ? [] : [port, port + 1];
}

const secondsSinceStart = (): number => performance.now() / 1000;

/** Adds the ends of the logs to a failure that the answer alone does not explain. */
async function explained<T>(folder: DataFolder, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const ours = error instanceof NotAuthorized || (error instanceof ApiError && error.status >= 500);
    if (!ours) throw error;
    // What the processes say about it may come a moment after the answer.
    await sleep(300);
    const tails = ['api', 'worker'].map((name) => `--- end of ${name}.log\n${logTail(logOf(folder.logs, name), { lines: 6 })}`);
    throw new Error([error.message, ...tails].join('\n'), { cause: error });
  }
}

/** The demo tenant of an earlier start where the database still knows it, else a new one. */
async function demoTenant(
  earlier: DemoTenant | null,
  ownerUrl: string,
  apiUrl: string,
  company: ReturnType<typeof makeDemoCompany> | null,
  folder: DataFolder,
  progress: Progress,
): Promise<DemoTenant> {
  if (earlier !== null && (await isKnown(apiUrl, earlier))) {
    progress.line(`  ✓ Demo tenant of the earlier start, RUC ${earlier.ruc}`);
    return earlier;
  }
  const demo = await progress.step(
    'Demo tenant',
    async () => createDemoTenant(ownerUrl, apiUrl, await (company ?? makeDemoCompany())),
    ({ ruc }) => `Demo tenant: issuer ${ruc}, establishment, emission point, certificate`,
  );
  folder.writeDemoTenant(demo);
  return demo;
}

/** Removes what is left of a demonstration. */
export function throwAway(options: LocalOptions): void {
  if (options.demo) rmSync(options.dataDir, { recursive: true, force: true });
}
