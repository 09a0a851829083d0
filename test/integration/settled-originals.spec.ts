import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { Decision } from '../../src/modules/documents/domain/document.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { BEFORE_ALL } from '../../src/modules/events/event-position.js';
import { EventsRepository } from '../../src/modules/events/persistence/events.repository.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';
import { eventsShown } from '../support/shown-events.js';

describe('the original of credit notes that change at the same time', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let documents: DocumentsRepository;
  let events: EventsRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 3);
    seed = await seedTenant(database);
    const transaction = new TenantTransaction(service);
    documents = new DocumentsRepository(transaction, new RandomIds());
    events = new EventsRepository(transaction);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  /** Past the guards of the lifecycle. */
  const put = (id: string, columns: string): Promise<void> =>
    inTransaction(database, async (owner) => {
      await owner.query('set local session_replication_role = replica');
      await owner.query(`update documents set ${columns} where id = $1`, [id]);
      await owner.query('commit');
    });
  const issued = async (documentType: string, total: string, columns: string): Promise<string> => {
    const { document_id: id } = (await issueBySql(service, seed, { documentType, total })).response;
    await put(id, columns);
    return id;
  };
  /** An invoice over 100 that a note of 60 and one of 40, which is being annulled, are to change. */
  const credited = async (): Promise<{ original: string; authorized: string; annulled: string }> => {
    const original = await issued('01', '100.00', `status = 'AUTHORIZED', version = 5`);
    const authorized = await issued('04', '60.00', `status = 'AUTHORIZATION_PENDING', version = 4, modified_document_id = '${original}'`);
    const annulled = await issued('04', '40.00', `status = 'CANCELLATION_REQUESTED', version = 7, modified_document_id = '${original}'`);
    return { original, authorized, annulled };
  };
  const advance = async (id: string, trigger: Decision['moves'][number]['trigger']): Promise<void> => {
    const { state } = (await documents.load(seed.tenantId, id))!;
    await documents.advance(state, { moves: [{ trigger }], patch: {}, work: null }, null, new Date());
  };
  const listed = async (documentId: string): Promise<string[]> => {
    await eventsShown(database);
    const tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' } as const;
    const found = await events.after(tenant, BEFORE_ALL, { type: null, documentId }, 100, new Date());
    return found.events.map(({ type, version }) => `${type} ${String(version)}`);
  };
  /** The first is held up at its due work, when it has a lock already, and the second begins meanwhile. */
  const overtaking = (held: string, first: () => Promise<void>, second: () => Promise<void>): Promise<void> =>
    inTransaction(database, async (owner) => {
      await owner.query('select from outbox where document_id = $1 for update', [held]);
      const slow = first();
      await lockAwaited(database);
      const quick = second();
      await Promise.race([quick, lockAwaited(database, 2)]);
      await owner.query('commit');
      await Promise.all([slow, quick]);
    });

  it('has its events listed in the order of its versions, also where the note that began first is held up', async () => {
    const one = await credited();
    await overtaking(one.authorized, () => advance(one.authorized, 'authorized'), () => advance(one.annulled, 'annulled'));
    const other = await credited();
    await overtaking(other.annulled, () => advance(other.annulled, 'annulled'), () => advance(other.authorized, 'authorized'));
    // Of the other the annulment came first, so that both notes never stood at the same time.
    expect([await listed(one.original), await listed(other.original)]).toEqual([['document.voided 6', 'document.authorized 7'], []]);
  });

  describe('is waited for', () => {
    const correct = (id: string, original: string): Promise<unknown> => {
      const header = {
        issuer_id: seed.issuerId, establishment_id: seed.establishmentId, emission_point_id: seed.emissionPointId, sri_environment: 'TEST', document_type: '04',
        issue_date: '2026-08-25', subtotal: '60.00', total_discount: '0.00', total_tax: '0.00', total: '60.00', modified_document_id: original,
      };
      const snapshot = { ruc: seed.ruc, establishmentCode: '001', emissionPointCode: '002' };
      return service.query('select correct_document($1, $2, $3, 4, now(), $4, $5, $6, $7)', [
        seed.tenantId, seed.apiKeyId, id, JSON.stringify(header), JSON.stringify({ numericCode: '12345678' }), JSON.stringify(snapshot), '[]',
      ]);
    };
    const restore = async (id: string): Promise<void> => {
      const { accessKey } = (await documents.load(seed.tenantId, id))!.state;
      await service.query('select restore_content($1, $2, 4, 1, $3, $4, $5)', [seed.tenantId, id, accessKey, JSON.stringify({ modified_document_id: 'modifiedDocumentId' }), '[]']);
    };

    it.each<[string, string, (id: string, original: string) => Promise<unknown>]>([
      ['authorized', 'AUTHORIZATION_PENDING', (id) => advance(id, 'authorized')],
      ['annulled', 'CANCELLATION_REQUESTED', (id) => advance(id, 'annulled')],
      ['taken up again', 'REJECTED', (id) => advance(id, 'retry_sending')],
      ['corrected', 'REJECTED', correct],
      ['given back a former content', 'MANUAL_REVIEW_REQUIRED', restore],
    ])('before a note that is %s is locked, by who has no place among the transactions yet', async (_name, status, act) => {
      const original = await issued('01', '100.00', `status = 'AUTHORIZED', version = 5`);
      const note = await issued('04', '60.00', `status = '${status}', version = 4, modified_document_id = '${original}'`);
      await database.query(`update document_contents set content = content || jsonb_build_object('documentType', '04', 'modifiedDocumentId', $2::text) where document_id = $1`, [note, original]);
      await inTransaction(database, async (owner: pg.Client) => {
        await owner.query('select from documents where id = $1 for update', [original]);
        const done = act(note, original);
        await lockAwaited(database);
        const { rows: waiting } = await owner.query(`select backend_xid as place from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
        const { rowCount: free } = await owner.query('select from documents where id = $1 for update skip locked', [note]);
        await owner.query('rollback');
        await done;
        expect([waiting, free]).toEqual([[{ place: null }], 1]);
      });
    });
  });
});
