import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ServiceProcess } from '../../src/local/service-process.js';
import type { ClientAnswer, ClientRecord } from '../support/client-ledger.js';
import { checkLedgers } from '../support/ledger-checker.js';
import { SeededRandom } from '../support/seeded-random.js';
import { ServiceRig } from '../support/service-rig.js';
import { invoiceBody, openTenant, type Place } from '../support/tenants.js';
import { actionsAt, allCases, BEHAVIOURS, BEHAVIOUR_NAMES, type Behaviour, type Case, earlierCode, faultsOf, POINTS, sample, submissionsExpected, type Wave, wavesOf } from './cases.js';

const SETTINGS = {
  LEASE_SECONDS: '2',
  RELAY_PATIENCE_SECONDS: '1',
  RECEPTION_LADDER: '0.5,1',
  AUTHORIZATION_LADDER: '0.3,0.5,1',
  SRI_TIMEOUT_SECONDS: '1',
  SRI_LONGEST_BREAK_SECONDS: '1',
  SRI_RAMP_SECONDS: '1',
  SHUTDOWN_SECONDS: '2',
  // A hanging document keeps its place in the worker.
  WORKER_CONCURRENCY: '200',
};
const FIRE_MS = 45_000;
const SETTLE_MS = 60_000;
const REQUEST_MS = 1_500;
const FINAL = ['AUTHORIZED', 'REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'];

const { values } = parseArgs({ options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' }, 'keep-logs': { type: 'boolean', default: false } } });
const startedAt = performance.now();
const say = (text: string): void => void process.stdout.write(`[${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)}] ${text}\n`);

/** A case under way. */
interface Trial {
  readonly one: Case;
  readonly place: Place;
  readonly record: ClientRecord & { readonly answers: ClientAnswer[] };
  /** Of the document with the number before, which the case waits for. */
  readonly earlier?: ClientRecord & { readonly answers: ClientAnswer[] };
}

class Matrix {
  readonly records: ClientRecord[] = [];
  readonly outcomes = new Map<Case, string>();
  private healthyApi: ServiceProcess | null = null;
  private healthyWorker: ServiceProcess | null = null;
  private places = new Map<Behaviour, Place[]>();

  constructor(private readonly rig: ServiceRig) {}

  /** One taxpayer for each behaviour of the SRI; every case has an emission point of its own, so that none waits for another case. */
  async prepare(cases: readonly Case[]): Promise<void> {
    this.healthyApi = await this.rig.startApi();
    const url = this.healthyApi.url ?? '';
    await Promise.all(
      BEHAVIOUR_NAMES.map(async (behaviour) => {
        const points = cases.filter((one) => one.behaviour === behaviour).length;
        if (points > 0) this.places.set(behaviour, await openTenant(this.rig.ownerUrl, url, points));
      }),
    );
    const rules = BEHAVIOUR_NAMES.flatMap((behaviour) =>
      BEHAVIOURS[behaviour].rules.map((rule) => ({ ...rule, match: { ...rule.match, ruc: this.places.get(behaviour)?.[0]?.ruc ?? '9999999999999' } })),
    );
    await this.rig.control('POST', 'faults', { rules });
  }

  /** The doomed process suffers, a healthy one mends, the ledgers are compared. */
  async run(wave: Wave): Promise<string[]> {
    const faults = { FAULTS: faultsOf(wave) };
    const doomed = wave.process === 'api' ? await this.rig.startApi(faults) : await this.rig.startWorker(faults);
    if (wave.process === 'worker') {
      // Only the doomed one may take the documents.
      if (this.healthyWorker !== null) await end(this.healthyWorker);
      this.healthyWorker = null;
    } else {
      this.healthyWorker ??= await this.rig.startWorker();
    }
    const began = performance.now();
    const trials = wave.cases.map((one) => this.trial(one));
    const posting = Promise.all(trials.map((trial) => this.postAll(trial, wave.process === 'api' ? doomed.url : null)));
    await this.untilFired(wave, doomed);
    if (wave.kill) {
      doomed.kill('SIGKILL');
      await doomed.ended;
    }
    this.healthyWorker ??= await this.rig.startWorker();
    await posting;
    for (const trial of trials) this.outcomes.set(trial.one, await this.judge(trial, doomed, began));
    await end(doomed);
    const violations = await checkLedgers({ query: this.rig.query, simulatorUrl: this.rig.simulatorUrl, client: this.records, quiescent: true });
    return violations;
  }

  private trial(one: Case): Trial {
    const place = this.places.get(one.behaviour)?.shift();
    if (place === undefined) throw new Error(`no emission point is left for ${one.behaviour}`);
    const recordOf = (code: string): Trial['record'] => {
      const record = { issuerId: place.issuerId, idempotencyKey: `case-${code}`, answers: [] };
      this.records.push(record);
      return record;
    };
    return { one, place, record: recordOf(one.code), ...(one.point.behindAnother && { earlier: recordOf(earlierCode(one)) }) };
  }

  private async postAll({ one, place, record, earlier }: Trial, doomedUrl: string | null): Promise<void> {
    if (earlier) await this.post(place, earlierCode(one), earlier, doomedUrl);
    await this.post(place, one.code, record, doomedUrl);
  }

  /** Posts to the doomed API where there is one, then to the healthy one until it answers. */
  private async post(place: Place, code: string, record: Trial['record'], doomedUrl: string | null): Promise<void> {
    const body = JSON.stringify(invoiceBody(place, code));
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const url = attempt === 0 && doomedUrl !== null ? doomedUrl : (this.healthyApi?.url ?? '');
      const answer = await request(url, place.apiKey, record.idempotencyKey ?? '', body, url === doomedUrl ? FIRE_MS : REQUEST_MS * 4);
      record.answers.push(answer);
      if (answer.status !== null && answer.status < 500) return;
      await sleep(200);
    }
  }

  /** Until every fault of the wave fired, as the process itself wrote, or it is clear that some never will. */
  private async untilFired(wave: Wave, doomed: ServiceProcess): Promise<void> {
    const until = performance.now() + FIRE_MS;
    const wanted = wave.cases.map(faultOf);
    const left = (): boolean => {
      const seen = fired(doomed);
      return wanted.some((fault) => !seen.has(fault));
    };
    while (performance.now() < until && left()) await sleep(25);
  }

  private async judge({ one, record, earlier }: Trial, doomed: ServiceProcess, began: number): Promise<string> {
    if (!fired(doomed).has(faultOf(one))) return 'the fault never fired';
    const before = earlier === undefined ? null : await this.issued(one, earlier, began);
    return before ?? (await this.issued(one, record, began)) ?? this.seenAsExpected(one, record);
  }

  /** @returns what went wrong; null when the document came to its expected end */
  private async issued(one: Case, record: Trial['record'], began: number): Promise<string | null> {
    const promised = record.answers.find(({ status }) => status === 202);
    if (promised === undefined) return `never accepted: ${record.answers.map(({ status, code }) => `${status ?? 'no answer'} ${code ?? ''}`).join(', ')}`;
    const { end: expected } = BEHAVIOURS[one.behaviour];
    let status = '';
    while (performance.now() - began < SETTLE_MS) {
      const rows = await this.rig.query<{ status: string; error_code: string | null }>('select status, error_code from documents where id = $1', [promised.documentId]);
      status = rows[0]?.status ?? 'missing';
      if (FINAL.includes(status)) {
        return status === expected ? null : `${status} ${rows[0]?.error_code ?? ''} instead of ${expected}`;
      }
      await sleep(50);
    }
    return `still ${status}`;
  }

  private async seenAsExpected(one: Case, record: Trial['record']): Promise<string> {
    const accessKey = record.answers.find(({ status }) => status === 202)?.accessKey ?? '';
    const sightings = submissionsExpected(one);
    const { submissions } = await this.rig.control<{ submissions: number }>('GET', `ledger?access_key=${accessKey}`);
    if (sightings !== null && submissions !== sightings) return `sent ${submissions} times instead of ${sightings}`;
    say(`ok    ${one.point.name.padEnd(22)} ${one.action.padEnd(15)} ${one.behaviour.padEnd(20)} ${BEHAVIOURS[one.behaviour].end}`);
    return 'ok';
  }
}

/** The fault of a case as its process names it. */
const faultOf = ({ point, code }: Case): string => `${point.name} ${point.tied ? code : '-'}`;

/** What the process wrote as its faults fired: `point subject`. */
function fired({ logFile }: ServiceProcess): Set<string> {
  const lines = readFileSync(logFile, 'utf8').matchAll(/^fault (\S+) \S+ (\S+)$/gm);
  return new Set([...lines].map(([, point, subject]) => `${point} ${subject}`));
}

async function end(process: ServiceProcess): Promise<void> {
  process.kill('SIGKILL');
  await process.ended;
}

async function request(apiUrl: string, apiKey: string, key: string, body: string, timeoutMs: number): Promise<ClientAnswer> {
  const at = Date.now();
  try {
    const response = await fetch(`${apiUrl}/documents`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = (await response.json()) as { document_id?: string; access_key?: string; error?: { code: string } };
    return {
      at, status: response.status,
      ...(answer.document_id === undefined ? {} : { documentId: answer.document_id }),
      ...(answer.access_key === undefined ? {} : { accessKey: answer.access_key }),
      ...(answer.error === undefined ? {} : { code: answer.error.code }),
    };
  } catch {
    // The process died or hangs: the caller knows nothing.
    return { at, status: null };
  }
}

function table(outcomes: ReadonlyMap<Case, string>): string {
  const columns = ['kill9', 'throw', 'hang', 'commit-ack-lost'] as const;
  const rows = POINTS.map((point) => {
    const cells = columns.map((action) => {
      const these = [...outcomes].filter(([one]) => one.point === point && one.action === action);
      if (these.length === 0) return actionsAt(point).includes(action) ? '-' : '';
      return `${these.filter(([, outcome]) => outcome === 'ok').length}/${these.length}`;
    });
    return `${point.name.padEnd(24)}${cells.map((cell) => cell.padStart(17)).join('')}`;
  });
  return [`${''.padEnd(24)}${columns.map((name) => name.padStart(17)).join('')}`, ...rows].join('\n');
}

async function main(rig: ServiceRig): Promise<number> {
  const cases = values.sample === undefined ? allCases() : sample(allCases(), Number(values.sample), new SeededRandom(Number(values.seed)));
  const waves = wavesOf(cases);
  say(`${rig.description}: ${cases.length} cases in ${waves.length} waves${values.sample === undefined ? '' : `, seed ${values.seed}`}`);
  const matrix = new Matrix(rig);
  await matrix.prepare(cases);
  say('tenants are set up');
  const violations = new Set<string>();
  for (const wave of waves) {
    say(`wave: ${wave.name}, ${wave.cases.length} cases`);
    for (const violation of await matrix.run(wave)) {
      if (!violations.has(violation)) say(`VIOLATION ${violation}`);
      violations.add(violation);
    }
    for (const one of wave.cases) {
      const outcome = matrix.outcomes.get(one);
      if (outcome !== 'ok') say(`FAIL  ${one.point.name.padEnd(22)} ${one.action.padEnd(15)} ${one.behaviour.padEnd(20)} ${outcome ?? 'not judged'} (numeric code ${one.code})`);
    }
  }
  const failed = [...matrix.outcomes.values()].filter((outcome) => outcome !== 'ok').length;
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`\n${table(matrix.outcomes)}\n\n${cases.length} cases, ${failed} failed, ${violations.size} violations, ${seconds} s\n`);
  process.stdout.write(`${JSON.stringify({ crash: { cases: cases.length, failed, violations: violations.size, seconds } })}\n`);
  return failed + violations.size;
}

// Started by a test, it ends with the test.
process.once('disconnect', () => process.exit(1));
const rig = await ServiceRig.start(SETTINGS, { SIMULATOR_PROCESSING_MS: '0-100' });
let failures = 1;
try {
  failures = await main(rig);
} catch (error) {
  process.stdout.write(`the matrix itself failed: ${(error as Error).stack ?? ''}\n${rig.logs()}\n`);
} finally {
  const keep = values['keep-logs'] || failures > 0;
  await rig.stop(keep);
  if (keep) process.stdout.write(`logs: ${rig.logFolder}\n`);
}
process.exit(failures > 0 ? 1 : 0);
