import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Settings } from '../../src/config/settings.js';
import { DueSteps } from '../../src/modules/documents/saga/due-steps.js';
import { IssuanceProcessor } from '../../src/modules/documents/saga/issuance.processor.js';
import type { SagaStep } from '../../src/modules/documents/saga/step.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { KillPoints } from '../../src/platform/faults/kill-points.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { DueWork } from '../../src/platform/outbox/due-work.js';
import { StepGates } from '../../src/platform/outbox/step-gates.js';
import { OutboxRelay } from '../../src/platform/outbox/relay.js';
import { Shutdown } from '../../src/platform/shutdown/shutdown.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inTransaction } from '../support/held-transaction.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const LEASE_SECONDS = 60;
const SETTINGS = { LEASE_SECONDS, SHUTDOWN_SECONDS: 10, FAULTS: '', WORKER_CONCURRENCY: 1, RECHECK_SECONDS: 60, RECHECK_DAYS: 1 } as unknown as Settings;
const POLICY = { recheckEveryMs: 60_000, recheckForMs: 60_000 } as never;

/** A worker at its step: it goes on when it is told to. */
interface AtWork {
  /** Ends with the job. */
  readonly job: Promise<void>;
  readonly goOn: (failure?: Error) => void;
}

describe('workers that hold a document longer than their lease', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let documents: DocumentsRepository;
  let work: DueWork;
  let relay: OutboxRelay;
  let elapsed = 0;
  const clock = { now: () => new Date(Date.now() + elapsed) };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 5);
    seed = await seedTenant(database);
    const transaction = new TenantTransaction(service);
    documents = new DocumentsRepository(transaction, new RandomIds());
    work = new DueWork(transaction);
    relay = new OutboxRelay(work, {} as never, new StepGates(), new KillPoints(SETTINGS, new TimerSleeper()), clock, new TimerSleeper(), SETTINGS);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  /** A worker takes the document, and waits at its step. */
  const begin = (documentId: string): Promise<AtWork> =>
    new Promise((resolve, reject) => {
      let goOn: AtWork['goOn'] = () => undefined;
      const told = new Promise<Error | undefined>((release) => (goOn = release));
      const prepare: SagaStep = {
        run: async ({ loaded, token }) => {
          resolve({ job, goOn });
          const failure = await told;
          if (failure !== undefined) throw failure;
          const moves = [{ trigger: 'xml_built' }, { trigger: 'signed' }, { trigger: 'queued' }] as const;
          await documents.advance(loaded.state, { moves, patch: {}, work: { step: 'prepare', dueAt: 'never' } }, token, clock.now());
          return null;
        },
      };
      const [killPoints, shutdown, steps] = [new KillPoints(SETTINGS, new TimerSleeper()), new Shutdown(SETTINGS), { prepare, submit: prepare, authorize: prepare, watch: prepare }];
      const dueSteps = new DueSteps(documents, steps, killPoints, clock, SETTINGS, POLICY, new Meters(), shutdown);
      const worker = new IssuanceProcessor({} as never, dueSteps, work, relay, killPoints, clock, new RandomIds(), new TimerSleeper(), SETTINGS, shutdown);
      const job = worker.answer({ id: '1', data: { tenantId: seed.tenantId, documentId } } as never);
      void job.then(() => reject(new Error('the worker never came to its step')), reject);
    });
  const statusOf = async (id: string): Promise<unknown> => (await database.query<{ status: string }>('select status from documents where id = $1', [id]))[0]?.status;

  it('do not send it to a person when they come back, however often that happens', async () => {
    const id = (await issueBySql(service, seed)).response.document_id;
    let last = await begin(id);
    for (let round = 0; round < 5; round += 1) {
      elapsed += (LEASE_SECONDS + 1) * 1_000;
      const next = await begin(id);
      last.goOn();
      await last.job;
      last = next;
    }
    last.goOn();
    await last.job;
    expect(await statusOf(id)).toBe('RECEPTION_PENDING');
  });

  /** A worker takes the document and does its step. */
  const statusAfterStep = async (id: string): Promise<unknown> => {
    const { job, goOn } = await begin(id);
    goOn();
    await job;
    return statusOf(id);
  };

  /** One worker after the other fails at its step; the next one takes the document when the lease has run out. */
  const failing = async (id: string, code: string): Promise<void> => {
    for (let round = 0; round < 3; round += 1) {
      const worker = await begin(id);
      await expect(begin(id)).rejects.toThrow('never came to its step');
      worker.goOn(Object.assign(new Error('could not extend file'), { code }));
      await worker.job;
      await expect(begin(id)).rejects.toThrow('never came to its step');
      elapsed += (LEASE_SECONDS + 1) * 1_000;
    }
  };

  it.each([
    ['whose disk is full', '53100'],
    ['that has no connection left', '53300'],
    ['whose disk fails', '58030'],
    ['that is shut down', '57P01'],
    ['that only reads', '25006'],
    ['in which others are in the way again and again', '40P01'],
  ])('do not send it to a person for a PostgreSQL %s, and leave it alone until the lease has run out', async (_what, code) => {
    const id = (await issueBySql(service, seed)).response.document_id;
    await failing(id, code);
    expect(await statusAfterStep(id)).toBe('RECEPTION_PENDING');
  });

  it('nor where PostgreSQL, being exhausted, refuses at first to store that', async () => {
    const id = (await issueBySql(service, seed)).response.document_id;
    const exhausted = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
    const ending = jest.spyOn(work, 'endLeaseUncounted').mockRejectedValueOnce(exhausted).mockRejectedValueOnce(exhausted);
    await failing(id, '53300');
    expect(ending).toHaveBeenCalledTimes(5);
    ending.mockRestore();
    expect(await statusAfterStep(id)).toBe('RECEPTION_PENDING');
  });

  it('nor while somebody locks the documents, however long', async () => {
    const id = (await issueBySql(service, seed)).response.document_id;
    await inTransaction(database, async (operator) => {
      await operator.query('lock table documents in share mode');
      for (let round = 0; round < 3; round += 1) {
        const worker = await begin(id);
        worker.goOn();
        await worker.job;
        elapsed += (LEASE_SECONDS + 1) * 1_000;
      }
    });
    expect(await statusAfterStep(id)).toBe('RECEPTION_PENDING');
  });

  it('do for a failure that may lie with the document', async () => {
    const id = (await issueBySql(service, seed)).response.document_id;
    await failing(id, '22000');
    await expect(begin(id)).rejects.toThrow('never came to its step');
    expect(await statusOf(id)).toBe('MANUAL_REVIEW_REQUIRED');
  });

  it('do when none of them comes back: the fourth one hands it over', async () => {
    const id = (await issueBySql(service, seed)).response.document_id;
    const gone: AtWork[] = [];
    for (let round = 0; round < 3; round += 1) {
      gone.push(await begin(id));
      elapsed += (LEASE_SECONDS + 1) * 1_000;
    }
    await expect(begin(id)).rejects.toThrow('never came to its step');
    expect(await statusOf(id)).toBe('MANUAL_REVIEW_REQUIRED');
    for (const { goOn } of gone) goOn();
    await Promise.all(gone.map(({ job }) => job));
    expect(await statusOf(id)).toBe('MANUAL_REVIEW_REQUIRED');
  });
});
