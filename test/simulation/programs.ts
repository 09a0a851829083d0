import type { Assessed, Completed } from '../../src/modules/documents/domain/issuance.js';
import { IssuancePreflight } from '../../src/modules/documents/issuing/issuance-preflight.js';
import { GetDocumentHandler } from '../../src/modules/documents/use-cases/get-document.js';
import { IssueDocumentHandler } from '../../src/modules/documents/use-cases/issue-document.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { ModifiedDocumentsRepository } from '../../src/modules/documents/persistence/modified-documents.repository.js';
import { WithholdingsRepository } from '../../src/modules/documents/persistence/withholdings.repository.js';
import { SriBreaker } from '../../src/modules/documents/saga/sri-breaker.js';
import { SriCalls } from '../../src/modules/documents/saga/sri-calls.js';
import { WatchStep } from '../../src/modules/documents/saga/watch.step.js';
import { AbandonDocumentHandler } from '../../src/modules/documents/use-cases/abandon-document.js';
import { CorrectDocumentHandler } from '../../src/modules/documents/use-cases/correct-document.js';
import { IssuingRepository } from '../../src/modules/documents/persistence/issuing.repository.js';
import { StoredDocumentsRepository } from '../../src/modules/documents/persistence/stored-documents.repository.js';
import { CancelDocumentHandler } from '../../src/modules/documents/use-cases/cancel-document.js';
import { Consultations } from '../../src/modules/documents/saga/consultations.js';
import { DocumentActions } from '../../src/modules/documents/actions/document-actions.js';
import { ReconcileDocumentHandler } from '../../src/modules/documents/use-cases/reconcile-document.js';
import { RetryDocumentHandler } from '../../src/modules/documents/use-cases/retry-document.js';
import { WithdrawCancellationHandler } from '../../src/modules/documents/use-cases/withdraw-cancellation.js';
import { AuthorizeStep } from '../../src/modules/documents/saga/authorize.step.js';
import { DueSteps } from '../../src/modules/documents/saga/due-steps.js';
import { IssuanceProcessor } from '../../src/modules/documents/saga/issuance.processor.js';
import { sagaPolicy } from '../../src/modules/documents/saga/policy.js';
import { PrepareStep } from '../../src/modules/documents/saga/prepare.step.js';
import { SubmitStep } from '../../src/modules/documents/saga/submit.step.js';
import { Transmission } from '../../src/modules/documents/saga/transmission.js';
import { Verdicts } from '../../src/modules/documents/saga/verdicts.js';
import { readSettings, type Settings } from '../../src/config/settings.js';
import type { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { EnvelopeError } from '../../src/platform/secrets/key-wrapper.js';
import { KillPoints } from '../../src/platform/faults/kill-points.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { DueWork } from '../../src/platform/outbox/due-work.js';
import { StepGates } from '../../src/platform/outbox/step-gates.js';
import { OutboxRelay } from '../../src/platform/outbox/relay.js';
import { IssuanceBell } from '../../src/platform/queue/issuance-bell.js';
import { Shutdown } from '../../src/platform/shutdown/shutdown.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import type { Clock, Ids, Sleeper } from '../../src/shared/ports.js';
import type { IssuerSnapshot } from '../../src/sri/document-types/content.js';
import type { SigningKeys } from '../../src/modules/issuers/public.js';
import type { Queue } from 'bull';
import type { IssuanceJob } from '../../src/platform/queue/issuance-bell.js';
import type { AuthorizationPort, ConsultationPort, ReceptionPort } from './sri.js';

/** Waiting times as in production; only the idle look for due work is rarer. */
export const SETTINGS: Settings = readSettings({
  DATABASE_URL: 'postgres://simulated/', REDIS_URL: 'redis://simulated/', LOG_LEVEL: 'silent',
  SRI_RECEPTION_URL: 'http://simulated/reception', SRI_AUTHORIZATION_URL: 'http://simulated/authorization',
  SRI_CONSULTATION_URL: 'http://simulated/consultation', RELAY_INTERVAL_MS: '1000', WORKER_CONCURRENCY: process.env['SIMULATED_CONCURRENCY'],
});

/** Counting changes nothing: all programs of all histories count in one. */
const METERS = new Meters();

/** What a program of the service stands on. */
export interface Ports {
  readonly transaction: TenantTransaction;
  readonly queue: Queue<IssuanceJob>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sleeper: Sleeper;
  readonly reception: ReceptionPort;
  readonly authorization: AuthorizationPort;
  readonly consultation: ConsultationPort;
  readonly keys: SigningKeys;
  /** The relay's own: its waiting is idle polling. */
  readonly idler: Sleeper;
}

export interface Api {
  readonly issue: IssueDocumentHandler;
  readonly get: GetDocumentHandler;
  readonly retry: RetryDocumentHandler;
  readonly reconcile: ReconcileDocumentHandler;
  readonly abandon: AbandonDocumentHandler;
  readonly cancel: CancelDocumentHandler;
  readonly withdraw: WithdrawCancellationHandler;
  readonly correct: CorrectDocumentHandler;
}

/** The program behind `src/main.ts`, as far as documents go. */
export function startApi(ports: Ports, Preflight: typeof IssuancePreflight = QuickPreflight): Api {
  const { transaction, queue, clock, ids, sleeper } = ports;
  const bell = new IssuanceBell(queue, new DueWork(transaction), clock, sleeper, SETTINGS);
  const issuing = new IssuingRepository(transaction);
  const preflight = new Preflight(issuing, new ModifiedDocumentsRepository(transaction), new WithholdingsRepository(transaction), SETTINGS);
  const actions = new DocumentActions(new DocumentsRepository(transaction, ids), clock);
  const consultations = new Consultations(ports.consultation as never, clock, ids);
  const policy = sagaPolicy(SETTINGS);
  const verdicts = new Verdicts(ports.authorization as never, clock, ids, policy);
  return {
    issue: new IssueDocumentHandler(preflight, issuing, bell, new KillPoints(SETTINGS, sleeper), clock, ids, METERS),
    get: new GetDocumentHandler(transaction),
    retry: new RetryDocumentHandler(actions, policy),
    reconcile: new ReconcileDocumentHandler(actions, verdicts, consultations, policy),
    abandon: new AbandonDocumentHandler(actions, verdicts, consultations, policy),
    cancel: new CancelDocumentHandler(actions, ports.consultation as never, clock, ids, policy),
    withdraw: new WithdrawCancellationHandler(actions, consultations, policy),
    correct: new CorrectDocumentHandler(new StoredDocumentsRepository(transaction), preflight, issuing, bell, new KillPoints(SETTINGS, sleeper), clock),
  };
}

/** Histories are small: with the places of a real worker no call would ever wait for another. */
class FewCalls extends SriCalls {
  protected override readonly most = 2;
}

/** The program behind `src/worker.ts`: relay and processor. */
export function startWorker(ports: Ports, Relay: typeof OutboxRelay = OutboxRelay, Bell: typeof IssuanceBell = IssuanceBell): void {
  const { transaction, queue, clock, ids, sleeper, idler } = ports;
  const killPoints = new KillPoints(SETTINGS, sleeper);
  const documents = new DocumentsRepository(transaction, ids);
  const work = new DueWork(transaction);
  const gates = new StepGates();
  const relay = new Relay(work, new Bell(queue, work, clock, sleeper, SETTINGS), gates, killPoints, clock, idler, SETTINGS);
  const policy = sagaPolicy(SETTINGS);
  const shutdown = new Shutdown(SETTINGS);
  const calls = new FewCalls(new SriBreaker(clock, SETTINGS), clock, sleeper, SETTINGS, shutdown, gates);
  const transmission = new Transmission(documents, ports.reception as never, relay, killPoints, clock, ids, policy);
  const steps = {
    prepare: new PrepareStep(documents, ports.keys, killPoints, clock, policy),
    submit: new SubmitStep(documents, transmission, calls, clock),
    authorize: new AuthorizeStep(documents, ports.authorization as never, calls, killPoints, clock, ids, policy, SETTINGS),
    watch: new WatchStep(documents, ports.consultation as never, calls, clock, ids, policy),
  };
  const dueSteps = new DueSteps(documents, steps, killPoints, clock, SETTINGS, policy, METERS, shutdown);
  const processor = new IssuanceProcessor(queue, dueSteps, work, relay, killPoints, clock, ids, sleeper, SETTINGS, shutdown);
  processor.onApplicationBootstrap();
  relay.onApplicationBootstrap();
}

/** The same content was judged before on the same day: the rules are pure. */
const assessed = new Map<string, Assessed>();

export class QuickPreflight extends IssuancePreflight {
  override assess(completed: Completed, issuer: IssuerSnapshot, now: Date): Assessed {
    const name = `${guayaquilDay(now)} ${JSON.stringify([completed, issuer])}`;
    const known = assessed.get(name);
    if (known) return known;
    const fresh = super.assess(completed, issuer, now);
    if (assessed.size > 5_000) assessed.clear();
    assessed.set(name, fresh);
    return fresh;
  }
}

/**
 * Signs in microseconds: what matters here is that certificate and time show in the bytes.
 * @param isDamaged whether the tenant's key does not open
 */
export const quickKeys = (isDamaged: (tenantId: string) => boolean): SigningKeys =>
  ({
    signerFor: (tenant: string, _issuer: string, certificate: string) =>
      isDamaged(tenant)
        ? Promise.reject(new EnvelopeError('the sealed key is damaged'))
        : Promise.resolve({
            sign: (xml: string, at: Date) =>
              Promise.resolve(Buffer.from(xml.replace(/<\/(\w+)>$/, `<Signature certificate="${certificate.slice(-8)}" at="${at.toISOString()}"/></$1>`))),
          }),
  }) as unknown as SigningKeys;
