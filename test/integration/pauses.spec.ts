import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { decide } from '../../src/modules/documents/domain/decide.js';
import type { Decision, DocumentPatch, DocumentState, SagaPolicy, Work } from '../../src/modules/documents/domain/document.js';
import type { Trigger } from '../../src/modules/documents/domain/lifecycle.js';
import { DocumentsRepository, type Records } from '../../src/modules/documents/persistence/documents.repository.js';
import { GetDocument, GetDocumentHandler } from '../../src/modules/documents/use-cases/get-document.js';
import { PausesRepository } from '../../src/modules/documents/persistence/pauses.repository.js';
import { ListPauses, ListPausesHandler } from '../../src/modules/documents/use-cases/list-pauses.js';
import { ResumePause, ResumePauseHandler } from '../../src/modules/documents/use-cases/resume-pause.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const DAY_MS = 86_400_000;
const POLICY: SagaPolicy = {
  receptionLadderMs: [1_000], authorizationLadderMs: [1_000], unansweredWaitMs: 1_000, answerDeadlineMs: DAY_MS, maxReceptionAttempts: 5,
  recheckEveryMs: DAY_MS, recheckForMs: 30 * DAY_MS, cancellationLadderMs: [1_000],
};

describe('a pause', () => {
  let database: TestDatabase;
  let service: DataSource;
  let transaction: TenantTransaction;
  let documents: DocumentsRepository;
  let seed: SeededTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 4);
    transaction = new TenantTransaction(service);
    documents = new DocumentsRepository(transaction, new RandomIds());
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    seed = await seedTenant(database, { ruc: `179${String(rucs += 1).padStart(7, '0')}001` });
  });
  let rucs = 0;

  const acting = (): TenantContext => ({ tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' });
  const stateOf = async (id: string): Promise<DocumentState> => (await documents.load(seed.tenantId, id))!.state;
  const move = async (id: string, triggers: readonly Trigger[], change: { patch?: DocumentPatch; work?: Work | null; records?: Records; at?: Date } = {}): Promise<void> => {
    const decision: Decision = { moves: triggers.map((trigger) => ({ trigger })), patch: change.patch ?? {}, work: change.work ?? null };
    await documents.advance(await stateOf(id), decision, null, change.at ?? new Date(), change.records ?? {});
  };
  const signing = (): Records => ({ signing: { signingNo: 1, certificateId: seed.certificateId, digest: 'x', xml: Buffer.from('<a/>') } });
  const signed = async (at = new Date()): Promise<string> => {
    const { response: { document_id: id } } = await issueBySql(service, seed);
    await move(id, ['xml_built', 'signed', 'queued'], { at, patch: { signingNo: 1 }, records: signing(), work: { step: 'submit', dueAt: at } });
    return id;
  };
  /** Sent at that time; the SRI has it and has not decided. */
  const sent = async (at: Date): Promise<string> => {
    const id = await signed(at);
    const attempt = { id: randomUUID(), service: 'reception' as const, signingNo: 1 };
    await move(id, ['sending'], { at, patch: { firstSentAt: at }, records: { attempt }, work: { step: 'authorize', dueAt: at, unsent: false } });
    await move(id, ['received', 'awaiting'], { at, patch: { receivedAt: at, deadlineAt: new Date(at.getTime() + DAY_MS) }, work: { step: 'authorize', dueAt: at, unsent: false } });
    return id;
  };
  const authorized = async (id: string, at: Date): Promise<void> =>
    move(id, ['authorized'], { at, patch: { authorizationNumber: (await stateOf(id)).accessKey, authorizationDate: at.toISOString() } });
  /** The SRI says that it has not authorized it, for the taxpayer is suspended (57). */
  const refuse = async (id: string, decidedAt: Date | null = new Date(), now = new Date()): Promise<void> => {
    const state = await stateOf(id);
    const message = { identifier: '57', message: 'Ruc suspendido', additionalInfo: null, messageType: 'ERROR' };
    const entry = { estado: 'NO AUTORIZADO', numeroAutorizacion: null, fechaAutorizacion: decidedAt?.toISOString() ?? null, ambiente: null, comprobante: null, messages: [message] };
    const answer = { kind: 'entries' as const, entries: [entry] };
    await documents.advance(state, decide(state, { kind: 'authorization', answer }, now, POLICY), null, now);
    expect((await stateOf(id)).status).toBe('REJECTED');
  };
  const pauses = (): Promise<{ id: string; scope: string; code: string; is_open: boolean }[]> =>
    database.query('select id, scope, code, resumed_at is null as is_open from issuing_pauses where tenant_id = $1 order by created_at', [seed.tenantId]);
  const resume = (id: string) => new ResumePauseHandler(new PausesRepository(transaction), new SystemClock()).execute(new ResumePause(acting(), seed.issuerId, id));
  const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);

  it('begins with the first refusal that says so', async () => {
    await authorized(await sent(ago(3)), ago(3));
    const [id, served] = [await sent(ago(2)), await sent(ago(1))];
    await authorized(served, ago(1));
    await refuse(id);
    expect(await pauses()).toMatchObject([{ scope: 'issuer', code: '57', is_open: true }]);
    await refuse(await sent(ago(1)));
    expect(await pauses()).toHaveLength(1);
  });

  it('does not begin with the refusal of an old document, where the SRI has served the issuer since', async () => {
    const [old, undated] = [await sent(ago(5)), await sent(ago(5))];
    await authorized(await sent(ago(1)), new Date());
    await refuse(old, ago(4));
    // Where the SRI does not say when, it was not before the document was sent.
    await refuse(undated, null);
    expect(await pauses()).toEqual([]);
  });

  it('begins where the clock of the SRI is ahead, and what it authorized before seems to be authorized since', async () => {
    const [served, id] = [await sent(ago(1)), await sent(ago(1))];
    const ahead = new Date(Date.now() + 30_000);
    await move(served, ['authorized'], { at: ago(0.5), patch: { authorizationNumber: (await stateOf(served)).accessKey, authorizationDate: ahead.toISOString() } });
    await refuse(id);
    expect(await pauses()).toMatchObject([{ scope: 'issuer', is_open: true }]);
  });

  it('does not begin again with the refusal of what was sent before it was resumed, and does with that of what was sent since', async () => {
    const [first, second] = [await sent(ago(5)), await sent(ago(5))];
    await refuse(first);
    const [pause] = await pauses();
    await resume(pause!.id);
    await refuse(second, ago(4));
    expect(await pauses()).toMatchObject([{ is_open: false }]);
    const third = await sent(new Date());
    await refuse(third);
    expect(await pauses()).toMatchObject([{ is_open: false }, { is_open: true }]);
  });

  it('begins again at the first refusal after it was resumed, also where the clock of the worker is minutes late or ahead', async () => {
    for (const [off, open] of [[-300_000, 1], [300_000, 2]] as const) {
      const by = (): Date => new Date(Date.now() + off);
      await refuse(await sent(by()), by(), by());
      const before = await pauses();
      expect(before.filter(({ is_open }) => is_open)).toHaveLength(1);
      // Long before it is resumed, on however slow a machine.
      const underWay = await sent(new Date(by().getTime() - 60_000));
      await resume(before.find(({ is_open }) => is_open)!.id);
      await refuse(underWay, ago(1), by());
      expect(await pauses()).toHaveLength(open * 2 - 1);
      await refuse(await sent(by()), new Date(), by());
      expect((await pauses()).at(-1)).toMatchObject({ is_open: true });
      await resume((await pauses()).at(-1)!.id);
    }
  });

  it('is not begun again by an older refusal that commits while it is resumed', async () => {
    const [first, second] = [await sent(ago(5)), await sent(ago(5))];
    await refuse(first);
    const [pause] = await pauses();
    await inTransaction(database, async (owner) => {
      await owner.query('select * from end_pause($1, $2, $3, now())', [seed.tenantId, seed.issuerId, pause!.id]);
      const refused = refuse(second, ago(4));
      await lockAwaited(database, 1, 'advance_document');
      await owner.query('commit');
      await refused;
    });
    expect(await pauses()).toMatchObject([{ is_open: false }]);
  });

  describe('of an emission point', () => {
    /** Issues documents; those with that answer of the SRI were received, the others' numbers it gave to others. */
    async function answered(...answers: ('received' | 'taken')[]): Promise<string> {
      let last = '';
      for (const answer of answers) {
        last = (await issueBySql(service, seed)).response.document_id;
        await database.query(`update documents set received_at = case when $2 = 'received' then now() end, error_code = case when $2 = 'taken' then 'SEQUENTIAL_TAKEN' end where id = $1`, [last, answer]);
      }
      return last;
    }
    /** What is done when the SRI has said that a number is taken. @returns how many documents were read for it */
    async function pauseAt(id: string): Promise<number> {
      return inTransaction(database, async (owner) => {
        const wanted = { scope: 'emission_point', code: '45', threshold: 3, decidedAt: null, id: randomUUID(), event_id: randomUUID() };
        await owner.query('select pause_scope(d, $2, now()) from documents d where d.tenant_id = $3 and d.id = $1', [id, JSON.stringify(wanted), seed.tenantId]);
        const { rows: [read] } = await owner.query<{ documents: number }>(`select (seq_tup_read + idx_tup_fetch)::integer as documents from pg_stat_xact_user_tables where relname = 'documents'`);
        await owner.query('commit');
        return read!.documents;
      });
    }

    it('begins with the third number in a row that others have, and not before', async () => {
      await pauseAt(await answered('received', 'taken', 'taken'));
      expect(await pauses()).toEqual([]);
      await pauseAt(await answered('taken'));
      expect(await pauses()).toMatchObject([{ scope: 'emission_point', code: '45', is_open: true }]);
    });

    it('does not begin again with numbers from before it was resumed, and does with those that came after', async () => {
      await pauseAt(await answered('taken', 'taken', 'taken'));
      const before = [await answered('taken'), await answered('taken')];
      const resume = () => database.query('update issuing_pauses set resumed_at = now() where resumed_at is null');
      await resume();
      for (const id of before) await pauseAt(id);
      expect(await pauses()).toMatchObject([{ is_open: false }]);
      await pauseAt(await answered('taken'));
      expect(await pauses()).toMatchObject([{ is_open: false }, { is_open: true }]);
    });

    it('begins again with drafts from before it was resumed that were numbered after', async () => {
      await pauseAt(await answered('taken', 'taken', 'taken'));
      await database.query('update issuing_pauses set resumed_at = now() where resumed_at is null');
      const drafted = await answered('taken');
      await inTransaction(database, async (owner) => {
        await owner.query('set local session_replication_role = replica');
        await owner.query(`update documents set created_at = created_at - interval '1 day' where id = $1`, [drafted]);
        await owner.query('commit');
      });
      await pauseAt(drafted);
      expect(await pauses()).toMatchObject([{ is_open: false }, { is_open: true }]);
    });

    it('does not begin where the SRI has received one in between, or one with a higher number', async () => {
      await pauseAt(await answered('taken', 'taken', 'received', 'taken'));
      expect(await pauses()).toEqual([]);
      const third = await answered('taken', 'taken');
      await answered('received');
      await pauseAt(third);
      expect(await pauses()).toEqual([]);
    });

    it('looks at a thousand numbers on either side, however many wait', async () => {
      const third = await answered('taken', 'taken', 'taken');
      await inTransaction(database, async (owner) => {
        // Past the triggers that see to it that documents begin with a number.
        await owner.query('set local session_replication_role = replica');
        await owner.query(
          `insert into documents select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'sequential', n, 'access_key', lpad(n::text, 49, '0'), 'error_code', null))).*
           from documents d cross join generate_series(4, 6000) n where d.id = $1`, [third]);
        await owner.query('commit');
      });
      expect(await pauseAt(third)).toBeLessThan(2_100);
      expect(await pauses()).toHaveLength(1);
    });
  });

  it('is told by what waits under it, until it is resumed', async () => {
    await refuse(await sent(ago(1)));
    const [pause] = await pauses();
    const id = await signed();
    expect(await documents.take(seed.tenantId, id, randomUUID(), new Date(), 60_000)).toBeNull();
    const record = () => new GetDocumentHandler(transaction).execute(new GetDocument(acting(), id));
    expect(await record()).toMatchObject({
      status: 'RECEPTION_PENDING', next_attempt_at: null,
      error: { code: 'ISSUER_PAUSED', message: expect.stringContaining('con sri_code 45, ajuste el contador'), detail: { pause_id: pause!.id, scope: 'issuer', sri_code: '57', suggested_action: 'resume_pause' } },
    });
    await resume(pause!.id);
    expect(await record()).toMatchObject({ error: null, next_attempt_at: expect.any(Date) });
    expect((await documents.take(seed.tenantId, id, randomUUID(), new Date(), 60_000))?.claim.step).toBe('submit');
  });

  it('is resumed by an API of the version before whose clock is late, for what came to wait meanwhile too', async () => {
    await refuse(await sent(ago(1)));
    const [pause] = await pauses();
    const id = await signed();
    expect(await documents.take(seed.tenantId, id, randomUUID(), new Date(), 60_000)).toBeNull();
    const before = new Date();
    const late = new Date(before.getTime() - 3_600_000);
    await service.query('select from end_pause($1, $2, $3, $4)', [seed.tenantId, seed.issuerId, pause!.id, late]);
    expect(await service.query('select wake_resumed($1, $2, $3, 100) as woken', [seed.tenantId, pause!.id, late])).toEqual([{ woken: 1 }]);
    // Not as if it had waited for an hour.
    const [work] = await database.query<{ due_at: Date }>('select due_at from outbox where document_id = $1', [id]);
    expect(Math.abs(work!.due_at.getTime() - before.getTime())).toBeLessThan(60_000);
    expect((await documents.take(seed.tenantId, id, randomUUID(), new Date(), 60_000))?.claim.step).toBe('submit');
  });

  it('ends at once however much waits, and all of it is due again', async () => {
    const waiting = 25_000;
    await database.query(
      `insert into outbox (tenant_id, document_id, step, due_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent, ahead)
       select $1, gen_random_uuid(), 'submit', now() + interval '9 minutes', 1, $2, $3, $4, '01', n, true, true from generate_series(1, $5) n`,
      [seed.tenantId, seed.issuerId, seed.establishmentId, seed.emissionPointId, waiting],
    );
    const id = randomUUID();
    await database.query(`insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at) values ($1, $2, 'issuer', $3, '57', $2, now())`, [seed.tenantId, id, seed.issuerId]);
    const calls: number[] = [];
    const counted = new (class extends TenantTransaction {
      override async call<Row>(...asked: Parameters<TenantTransaction['call']>): Promise<Row[]> {
        const rows = await super.call<Row>(...asked);
        const [first] = rows as { woken?: number }[];
        if (first?.woken !== undefined) calls.push(first.woken);
        return rows;
      }
    })(service);
    expect((await new ResumePauseHandler(new PausesRepository(counted), new SystemClock()).execute(new ResumePause(acting(), seed.issuerId, id))).resumed_at).toEqual(expect.any(Date));
    expect(calls).toEqual([10_000, 10_000, 5_000, 0]);
    const [left] = await database.query<{ due: number; ahead: number }>('select count(*) filter (where due_at <= now())::int as due, count(*) filter (where ahead)::int as ahead from outbox where tenant_id = $1', [seed.tenantId]);
    expect(left).toEqual({ due: waiting, ahead: 0 });
    // What a worker found to wait for its turn since then is not woken again and again.
    await database.query(`update outbox set ahead = true, due_at = now() + interval '10 minutes 2 seconds' where tenant_id = $1 and sequential <= 10`, [seed.tenantId]);
    expect(await service.query('select wake_resumed($1, $2, now(), 100) as woken', [seed.tenantId, id])).toEqual([{ woken: 0 }]);
  });

  it('is found on a page of the list, however many came after it', async () => {
    await database.query(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at, resumed_at)
       select $1, gen_random_uuid(), 'issuer', $2, n::text, $3, now() + n * interval '1 second', case when n > 1 then now() + interval '1 hour' end from generate_series(1, 105) n`,
      [seed.tenantId, seed.issuerId, randomUUID()],
    );
    const list = (page: number, page_size: number) => new ListPausesHandler(new PausesRepository(transaction)).execute(new ListPauses(acting(), seed.issuerId, { page, page_size }));
    expect(await list(1, 2)).toMatchObject({ items: [{ sri_code: '105' }, { sri_code: '104' }], total: 105, page: 1, page_size: 2 });
    const { items } = await list(2, 100);
    expect(items.map(({ sri_code }) => sri_code)).toEqual(['5', '4', '3', '2', '1']);
    expect(items.at(-1)).toMatchObject({ resumed_at: null });
    expect(await list(3, 100)).toMatchObject({ items: [], total: 105 });
  });
});
