import { DataSource } from 'typeorm';
import type { Decision } from '../../src/modules/documents/domain/document.js';
import type { DocumentStatus, Trigger } from '../../src/modules/documents/domain/lifecycle.js';
import { suggest } from '../../src/shared/suggested-actions.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { AwaitDocument, AwaitDocumentHandler } from '../../src/modules/documents/use-cases/await-document.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { Shutdown } from '../../src/platform/shutdown/shutdown.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';

describe('waiting for an accepted document', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let handler: AwaitDocumentHandler;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await new DataSource(serviceDataSourceOptions(database.url, 'api', 1)).initialize();
    seed = await seedTenant(database);
    handler = new AwaitDocumentHandler(new TenantTransaction(service), new SystemClock(), new TimerSleeper(), new Shutdown({ SHUTDOWN_SECONDS: 1 }));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const query = (documentId: string): AwaitDocument => {
    const tenant: TenantContext = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    return new AwaitDocument(tenant, documentId, { seconds: 1, hasLeft: () => false }, false);
  };

  it('answers that it was accepted, not that the service failed, while the database is out of reach', async () => {
    const { document_id } = (await issueBySql(service, seed)).response;
    // The only connection is taken: every look times out.
    const busy = service.createQueryRunner();
    await busy.connect();
    try {
      await expect(handler.execute(query(document_id))).resolves.toMatchObject({ document_id, status: 'NUMBER_RESERVED', action_taken: 'pending' });
    } finally {
      await busy.release();
    }
  });

  it.each<[string, DocumentStatus, readonly Trigger[]]>([
    ['pending', 'MANUAL_REVIEW_REQUIRED', ['xml_built', 'gave_up']],
    ['pending', 'FAILED_PERMANENT', ['failed']],
    ['pending', 'RECEPTION_PENDING', ['xml_built', 'signed', 'queued']],
    ['submitted', 'RECEIVED_BY_SRI', ['xml_built', 'signed', 'queued', 'sending', 'received']],
  ])('tells %s of a document that is %s', async (action_taken, status, triggers) => {
    const { document_id } = (await issueBySql(service, seed)).response;
    const documents = new DocumentsRepository(new TenantTransaction(service), new RandomIds());
    const { state } = (await documents.load(seed.tenantId, document_id))!;
    await documents.advance(state, { moves: triggers.map((trigger) => ({ trigger })), patch: {}, work: null }, null, new Date());
    await expect(handler.execute(query(document_id))).resolves.toMatchObject({ status, action_taken });
  });

  describe('ends, though more time is given, for one that waits for a person', () => {
    const THIRTY = 30;
    const waitedFor = async (id: string): Promise<{ status: string; action: string; seconds: number }> => {
      const from = performance.now();
      const { tenant } = query(id);
      const { status, action_taken: action } = await handler.execute(new AwaitDocument(tenant, id, { seconds: THIRTY, hasLeft: () => false }, false));
      return { status, action, seconds: (performance.now() - from) / 1_000 };
    };
    const parked = async (triggers: readonly Trigger[], decision: Pick<Decision, 'patch' | 'work'>, before: () => Promise<unknown> = () => Promise.resolve()): Promise<string> => {
      const { document_id } = (await issueBySql(service, seed)).response;
      await before();
      const documents = new DocumentsRepository(new TenantTransaction(service), new RandomIds());
      const { state } = (await documents.load(seed.tenantId, document_id))!;
      await documents.advance(state, { moves: triggers.map((trigger) => ({ trigger })), ...decision }, null, new Date());
      return document_id;
    };

    it('to upload a certificate', async () => {
      const until = (days: number) => database.query(`update certificates set valid_to = now() + $2 * interval '1 day' where tenant_id = $1`, [seed.tenantId, days]);
      try {
        const id = await parked([], { patch: { errorCode: 'CERTIFICATE_EXPIRED', errorDetail: suggest('upload_certificate') }, work: { step: 'prepare', dueAt: 'never' } }, () => until(-1));
        const { seconds, ...told } = await waitedFor(id);
        expect(told).toEqual({ status: 'NUMBER_RESERVED', action: 'pending' });
        expect(seconds).toBeLessThan(THIRTY / 2);
      } finally {
        await until(300);
      }
    });

    it('to resume a pause', async () => {
      const id = await parked(['xml_built', 'signed', 'queued'], { patch: {}, work: { step: 'submit', dueAt: new Date() } });
      await database.query(
        `insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at) select tenant_id, gen_random_uuid(), 'issuer', issuer_id, '57', id, now() from documents where id = $1`, [id]);
      const { seconds, ...told } = await waitedFor(id);
      expect(told).toEqual({ status: 'RECEPTION_PENDING', action: 'pending' });
      expect(seconds).toBeLessThan(THIRTY / 2);
    });
  });

  it('ends when its caller has left', async () => {
    const { document_id } = (await issueBySql(service, seed)).response;
    let pauses = 0;
    const sleeper = { sleep: () => Promise.resolve(void (pauses += 1)) };
    const impatient = new AwaitDocumentHandler(new TenantTransaction(service), new SystemClock(), sleeper, new Shutdown({ SHUTDOWN_SECONDS: 1 }));
    const { tenant } = query(document_id);
    expect(await impatient.execute(new AwaitDocument(tenant, document_id, { seconds: 30, hasLeft: () => pauses === 2 }, false))).toMatchObject({ status: 'NUMBER_RESERVED' });
    expect(pauses).toBe(2);
  });

  it('refuses a key that was revoked meanwhile', async () => {
    const { document_id } = (await issueBySql(service, seed)).response;
    await database.query('update api_keys set revoked_at = now() where id = $1', [seed.apiKeyId]);
    await expect(handler.execute(query(document_id))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
