import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import { digestOf } from '../../src/modules/retention/archive/part-files.js';
import { Archive, RetentionStore } from '../../src/modules/retention/public.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type IssuedInThePast, issueInThePast } from '../support/past-documents.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';
import { unzip } from '../support/unzip.js';

const TABLES = ['document_contents', 'document_history', 'signed_documents', 'sri_attempts', 'document_authorizations', 'buyer_documents', 'mails', 'events'];

const PART = /\/part-\d+$/;

/** The first or the last day of a month that is some months away from this one. */
function dayOf(months: number, which: 'first' | 'last'): string {
  const [year = 0, month = 0] = guayaquilDay(new Date()).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months + (which === 'last' ? 1 : 0), which === 'last' ? 0 : 1, 12)).toISOString().slice(0, 10);
}
const SEVEN_YEARS = -84;

describe('retention', () => {
  let database: TestDatabase;
  let service: DataSource;
  let folder: string;
  let mine: SeededTenant;
  let theirs: SeededTenant;
  let disputed: SeededTenant;
  const old = new Map<string, IssuedInThePast>();
  const kept = new Set<string>();

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 4);
    folder = mkdtempSync(join(tmpdir(), 'sello-archive-'));
    [mine, theirs, disputed] = [await seedTenant(database), await seedTenant(database, { ruc: '0992345678001' }), await seedTenant(database, { ruc: '0190345678001' })];
    await database.query(`insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at) values ($1, gen_random_uuid(), 'https://example.com', true, now(), now())`, [mine.tenantId]);
    const past = async (tenant: SeededTenant, day: string, more: { type?: string; total?: string; modifies?: string; isMoving?: boolean } = {}): Promise<IssuedInThePast> =>
      issueInThePast(service, tenant, { day, ...more });
    const goes = (document: IssuedInThePast): IssuedInThePast => (old.set(document.id, document), document);
    const stays = (document: IssuedInThePast): void => void kept.add(document.id);
    for (let number = 0; number < 12; number += 1) goes(await past(mine, dayOf(SEVEN_YEARS - 6, 'first')));
    const credited = goes(await past(mine, dayOf(SEVEN_YEARS - 6, 'last')));
    goes(await past(mine, dayOf(SEVEN_YEARS - 1, 'last'), { type: '04', total: '40.00', modifies: credited.id }));
    goes(await past(theirs, dayOf(SEVEN_YEARS - 1, 'last')));
    const creditedLate = await past(mine, dayOf(SEVEN_YEARS - 1, 'first'));
    stays(creditedLate);
    stays(await past(mine, dayOf(SEVEN_YEARS + 2, 'first'), { type: '04', total: '40.00', modifies: creditedLate.id }));
    stays(await past(mine, dayOf(SEVEN_YEARS - 6, 'first'), { isMoving: true }));
    stays(await past(mine, dayOf(SEVEN_YEARS, 'first')));
    stays(await past(theirs, dayOf(0, 'first')));
    stays(await past(disputed, dayOf(SEVEN_YEARS - 20, 'first')));
    for (const id of old.keys()) await sent(id);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Makes as if the mails of a document were sent, or its deliveries made. */
  const mailed = (id: string): Promise<unknown> => database.query(`
    with m as (update mails set status = 'sent' where document_id = '${id}' returning tenant_id, id)
    delete from mail_outbox o using m where o.tenant_id = m.tenant_id and o.id = m.id`);
  const delivered = (id: string): Promise<unknown> => database.query(`
    with v as (update webhook_deliveries v set status = 'delivered' from events e where e.tenant_id = v.tenant_id and e.id = v.event_id and e.document_id = '${id}' returning v.tenant_id, v.id)
    delete from webhook_work w using v where w.tenant_id = v.tenant_id and w.delivery_id = v.id`);
  const sent = async (id: string): Promise<void> => {
    await mailed(id);
    await delivered(id);
  };
  /** Runs the program; killed once it has said what matches. */
  const run = (args: string[], env: Record<string, string> = {}, kill?: RegExp): Promise<{ code: number | null; output: string }> => {
    const child = spawn(process.execPath, ['dist/src/retention.js', ...args], {
      env: {
        PATH: process.env['PATH'] ?? '', APP_ENV: 'sandbox', DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl, REDIS_URL: 'redis://127.0.0.1:1',
        RETENTION_ARCHIVE_DIR: folder, RETENTION_HOLD_TENANTS: disputed.tenantId, ...env,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        output += data.toString();
        if (kill?.test(output)) child.kill('SIGKILL');
      });
    }
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  };
  const ids = async (): Promise<string[]> => (await database.query<{ id: string }>('select id from documents')).map(({ id }) => id);
  /** Records of all parts of the archive and the XML beside them. */
  const archived = (): { records: Map<string, { record: string; folder: string }>; xml: Map<string, Buffer> } => {
    const records = new Map<string, { record: string; folder: string }>();
    const xml = new Map<string, Buffer>();
    for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => PART.test(name)).sort()) {
      const part = join(folder, entry);
      for (const line of gunzipSync(readFileSync(join(part, 'documents.jsonl.gz'))).toString().trim().split('\n')) records.set(line.slice(7, 43), { record: line, folder: entry });
      for (const [name, content] of unzip(readFileSync(join(part, 'xml.zip')))) xml.set(name, content);
    }
    return { records, xml };
  };

  it.each([[[]], [['--apply']], [['--apply', '--only', 'documents']]])('is refused with %j where the archive is missing, as on a volume that is not mounted, and makes none', async (args) => {
    const [before, missing] = [await ids(), join(folder, 'unmounted')];
    const { code, output } = await run(args, { RETENTION_ARCHIVE_DIR: missing });
    expect([code, output]).toEqual([1, `RETENTION_ARCHIVE_DIR: ${missing} does not exist; create it, or mount the volume that holds it\n`]);
    expect([await ids(), existsSync(missing)]).toEqual([before, false]);
    expect(await run(['--only', 'operation'], { RETENTION_ARCHIVE_DIR: missing })).toMatchObject({ code: 0 });
  });

  it('writes no part into an archive that went away meanwhile', async () => {
    const missing = join(folder, 'unmounted');
    await expect(new Archive(missing).add(mine.tenantId, '2015-01-01', (async function* () { /* none */ })(), new Date())).rejects.toThrow('ENOENT');
    expect(existsSync(missing)).toBe(false);
  });

  it('reads a part back whatever characters the texts of the SRI have, also those that end a line for others', async () => {
    const own = mkdtempSync(join(tmpdir(), 'sello-archive-'));
    const said = 'uno\u2028dos\u2029tres\u0085cuatro\rcinco';
    // As PostgreSQL writes it: \r escaped, the others as they are.
    const document = (id: string, version: number) => ({ id, version, accessKey: null, record: JSON.stringify({ additional_info: said.repeat(20_000) }), papers: [] });
    const documents = [document(randomUUID(), 3), document(randomUUID(), 4)];
    const archive = new Archive(own);
    const { name } = await archive.add(mine.tenantId, '2015-01-01', Readable.from(documents), new Date());
    expect([...(await archive.read(name))]).toEqual(documents.map(({ id, record }) => [id, digestOf(record)]));
    expect((await archive.holds(mine.tenantId, '2015-01-01')).size).toBe(2);
    rmSync(own, { recursive: true });
  });

  it('gives no part the name of another, whichever were moved away, and goes on beside those that were numbered', async () => {
    const [own, elsewhere] = [mkdtempSync(join(tmpdir(), 'sello-archive-')), mkdtempSync(join(tmpdir(), 'sello-archive-'))];
    const archive = new Archive(own);
    const home = join(own, mine.tenantId, '2015-01');
    const ofPart = async (second: number): Promise<{ id: string; path: string }> => {
      const id = randomUUID();
      const { name } = await archive.add(mine.tenantId, '2015-01-01', Readable.from([{ id, version: 1, accessKey: null, record: '{}', papers: [] }]), new Date(Date.UTC(2026, 0, 1, 5, 0, second)));
      return { id, path: join(own, name) };
    };
    const moveAway = ({ path }: { path: string }): void => renameSync(path, join(elsewhere, basename(path)));
    const [first, second] = [await ofPart(1), await ofPart(2)];
    // As it was named before, and as a run left it that was killed.
    renameSync(first.path, join(home, 'part-0001'));
    mkdirSync(join(home, '.part-0002.unfinished'));
    const third = await ofPart(3);
    expect([...(await archive.holds(mine.tenantId, '2015-01-01')).keys()]).toEqual([first.id, second.id, third.id]);
    moveAway({ path: join(home, 'part-0001') });
    const fourth = await ofPart(4);
    for (const part of [second, third, fourth]) moveAway(part);
    moveAway(await ofPart(5));
    expect([readdirSync(elsewhere).filter((name) => PART.test(`/${name}`)).length, readdirSync(home)]).toEqual([5, []]);
    for (const folder of [own, elsewhere]) rmSync(folder, { recursive: true });
  });

  it('tells what it would do and does nothing', async () => {
    const before = await ids();
    const { code, output } = await run([]);
    expect([code, output]).toEqual([0, expect.stringContaining('nothing was changed')]);
    expect(output).toContain(`${old.size + 1} due, 0 archived, 0 removed, 1 held`);
    expect(await ids()).toEqual(before);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('loses no document when it is killed in the middle', async () => {
    const month = await database.query<{ id: string }>('select id from documents where id = any ($1) and issue_date <= $2 order by created_at, id', [[...old.keys()], dayOf(SEVEN_YEARS - 6, 'last')]);
    // It waits for those behind the second batch, so that it is in the middle however late it is killed.
    await database.query(`
      create function held() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return old; end $$;
      create trigger held before delete on documents for each row when (old.id = any ('{${month.slice(6).map(({ id }) => id).join()}}')) execute function held()`);
    const { output } = await inTransaction(database, async (owner) => {
      await owner.query('select pg_advisory_xact_lock(1)');
      return run(['--apply', '--only', 'documents', '--batch', '3'], {}, /: 6 of \d+ removed/);
    });
    await database.query('drop function held cascade');
    expect(output).not.toContain('documents issued before');
    const left = new Set(await ids());
    const { records } = archived();
    const gone = [...old.keys()].filter((id) => !left.has(id));
    expect(gone.length).toBeGreaterThan(0);
    expect(gone.length).toBeLessThan(old.size);
    expect(gone.filter((id) => !records.has(id))).toEqual([]);
  });

  it('goes on where it was killed, until what is past its time is in the archive, to the byte, and nowhere else', async () => {
    expect(await run(['--apply', '--only', 'documents', '--batch', '3'])).toMatchObject({ code: 0 });
    expect(new Set(await ids())).toEqual(kept);
    for (const table of TABLES) {
      const left = await database.query<{ id: string }>(`select distinct document_id as id from ${table} where document_id is not null`);
      expect([table, left.filter(({ id }) => !kept.has(id))]).toEqual([table, []]);
    }
    const { records, xml } = archived();
    for (const [id, { accessKey, signed, authorization }] of old) {
      expect(records.get(id)?.folder).toMatch(accessKey.includes('0992345678001') ? theirs.tenantId : mine.tenantId);
      expect(records.get(id)?.record).toMatch(/"document": \{.*"total": (100|40)\.00,/);
      expect(xml.get(`${accessKey}/signed-1.xml`)?.equals(signed)).toBe(true);
      expect(xml.get(`${accessKey}/authorization-1.xml`)?.equals(authorization)).toBe(true);
    }
    expect(await run(['--apply', '--only', 'documents'])).toMatchObject({ code: 0, output: expect.stringContaining('0 archived, 0 removed') });
  });

  it('leaves counts right, numbers taken and their emission point in place', async () => {
    const { response } = await issueBySql(service, mine);
    kept.add(response.document_id);
    const taken = [...old.values()].filter(({ accessKey }) => accessKey.includes('01' + mine.ruc)).map(({ sequential }) => sequential);
    expect(Number(response.access_key.slice(30, 39))).toBeGreaterThan(Math.max(...taken));
    const [{ inside, whole } = { inside: 0, whole: 0 }] = await database.query<{ inside: number; whole: number }>(
      `select count(*) filter (where a.numbers @> n)::int as inside, count(*)::int as whole
       from unnest($1::int[]) n, (select range_agg(r) as numbers from archived_numbers a, unnest(a.numbers) r where a.tenant_id = $2 and a.document_type = '01') a`, [taken, mine.tenantId]);
    expect(inside).toBe(whole);
    const sums = await database.query(
      `select tenant_id, sum(n) as documents from (select tenant_id, documents as n from document_counts union all select tenant_id, change from document_count_changes) c group by 1
       except select tenant_id, count(*) from documents where resting_status is not null group by 1`);
    expect(sums).toEqual([]);
    await expect(database.query('delete from emission_points where tenant_id = $1', [theirs.tenantId])).rejects.toThrow(/foreign key/);
  });

  it.each([['six years', '6'], ['nothing that is a number', 'seven']])('does not start when settings say %s', async (_what, years) => {
    expect(await run(['--apply'], { RETENTION_DOCUMENT_YEARS: years })).toMatchObject({ code: 1, output: expect.stringContaining('RETENTION_DOCUMENT_YEARS') });
  });

  it.each([[[]], [['--apply']], [['--apply', '--only', 'operation']]])('is refused with %j where a tenant that is to be held is none, as one whose id is mistyped', async (args) => {
    const before = await ids();
    const [mistyped, other] = [disputed.tenantId.replace(/.$/, (last) => (last === '0' ? '1' : '0')), randomUUID()];
    const { code, output } = await run(args, { RETENTION_HOLD_TENANTS: `${mistyped},${mine.tenantId},${other}` });
    expect([code, output]).toEqual([1, `RETENTION_HOLD_TENANTS: no tenant has the id ${mistyped}, ${other}; nothing was removed\n`]);
    expect(await ids()).toEqual(before);
  });

  it('is refused by the database for younger documents, and to the service altogether', async () => {
    const [young] = await database.query<{ id: string; version: number }>(`select id, version from documents where tenant_id = $1 and issue_date >= now() - interval '7 years' limit 1`, [mine.tenantId]);
    const remove = (before: string): string => `select remove_archived_documents('${mine.tenantId}', array['${young?.id}']::uuid[], array[${young?.version}], '${before}', now())`;
    await expect(database.query(remove(dayOf(SEVEN_YEARS + 1, 'last')))).rejects.toThrow(/seven years/);
    expect(await database.query(remove(dayOf(SEVEN_YEARS, 'first')))).toEqual([{ remove_archived_documents: 0 }]);
    await expect(service.query(remove(dayOf(SEVEN_YEARS, 'first')))).rejects.toThrow(/permission denied/);
    await expect(service.query(`select remove_as_archived($1, '{}', '{}', '2015-01-01', now())`, [mine.tenantId])).rejects.toThrow(/permission denied/);
    await expect(service.query(`select rows_past_keeping('audit', now() - interval '9 years', 0, 1, true)`)).rejects.toThrow(/permission denied/);
    await expect(database.query(`delete from document_history where tenant_id = $1`, [mine.tenantId])).rejects.toThrow(/kept for ever/);
  });

  it('removes nothing on the word of an archive that was changed', async () => {
    const late = await issueInThePast(service, theirs, { day: dayOf(SEVEN_YEARS - 1, 'first') });
    await sent(late.id);
    const part = join(folder, readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.startsWith(theirs.tenantId) && PART.test(name))!);
    const whole = readFileSync(join(part, 'xml.zip'));
    appendFileSync(join(part, 'xml.zip'), 'x');
    expect(await run(['--apply', '--only', 'documents'])).toMatchObject({ code: 1, output: expect.stringContaining('not as it was written') });
    expect(await ids()).toContain(late.id);
    rmSync(join(part, 'xml.zip'));
    appendFileSync(join(part, 'xml.zip'), whole);
    expect(await run(['--apply', '--only', 'documents'])).toMatchObject({ code: 0 });
    expect(await ids()).not.toContain(late.id);
  });

  it('neither archives nor removes a document of which something is still to be sent; it goes with the run after that', async () => {
    const [toMail, toDeliver] = [await issueInThePast(service, mine, { day: dayOf(SEVEN_YEARS - 3, 'first') }), await issueInThePast(service, mine, { day: dayOf(SEVEN_YEARS - 3, 'first') })];
    await delivered(toMail.id);
    await mailed(toDeliver.id);
    expect(await run(['--apply', '--only', 'documents'])).toMatchObject({ code: 0, output: expect.stringContaining('0 removed, 2 stay') });
    expect(await ids()).toEqual(expect.arrayContaining([toMail.id, toDeliver.id]));
    expect([archived().records.has(toMail.id), archived().records.has(toDeliver.id)]).toEqual([false, false]);
    for (const { id } of [toMail, toDeliver]) await sent(id);
    expect(await run(['--apply', '--only', 'documents'])).toMatchObject({ code: 0, output: expect.stringContaining('2 archived, 2 removed') });
    expect(archived().records.get(toMail.id)?.record).toMatch(/"mails": \[\{[^}]*"status": "sent"/);
  });

  describe('of a document that is archived and cannot go yet', () => {
    const month = SEVEN_YEARS - 4;
    let document: IssuedInThePast;
    const archive = (): ReturnType<typeof run> => run(['--apply', '--only', 'documents']);
    beforeEach(async () => {
      document = await issueInThePast(service, mine, { day: dayOf(month, 'first') });
      await sent(document.id);
      await database.query(`
        create function held() returns trigger language plpgsql as $$ begin raise exception 'held' using errcode = '55P03'; end $$;
        create trigger held before delete on documents for each row execute function held()`);
      expect(await archive()).toMatchObject({ code: 0, output: expect.stringContaining('1 archived, 0 removed') });
      await database.query('drop function held cascade');
    });
    const newest = (): string => archived().records.get(document.id)?.record ?? '';

    it('archives anew what was added to it without a move, before it removes it', async () => {
      const [{ version } = { version: 0 }] = await database.query<{ version: number }>('select version from documents where id = $1', [document.id]);
      const attempt = randomUUID();
      await service.query(`select advance_document($1, $2, 'AUTHORIZED', $3, null, now(), '[]', '{}', null, '[]', $4, null)`, [
        mine.tenantId, document.id, version,
        JSON.stringify({ asked: { id: attempt, service: 'authorization', signing_no: 1, started_at: new Date(), outcome: 'authorized', messages: [] } }),
      ]);
      expect(await archive()).toMatchObject({ code: 0, output: expect.stringContaining('1 archived, 1 removed') });
      expect(newest()).toContain(attempt);
      expect(newest()).toContain(`"version":${version},`);
    });

    it('archives anew what is noted of a mail that was sent, as that it came back', async () => {
      await database.query(`update mails set status = 'bounced' where document_id = $1`, [document.id]);
      expect(await archive()).toMatchObject({ code: 0, output: expect.stringContaining('1 archived, 1 removed') });
      expect(newest()).toContain('"bounced"');
    });

    it('waits for what is being noted of a mail, and archives that, too', async () => {
      let removal: ReturnType<typeof run> | null = null;
      await inTransaction(database, async (client) => {
        await client.query(`update mails set status = 'bounced' where document_id = $1`, [document.id]);
        removal = archive();
        await lockAwaited(database, 1, 'remove_as_archived');
        await client.query('commit');
      });
      expect(await removal!).toMatchObject({ code: 0, output: expect.stringContaining('1 archived, 1 removed') });
      expect(newest()).toContain('"bounced"');
    });

    it('waits for what is about to be added to it, and archives that, too', async () => {
      const mail = randomUUID();
      let removal: ReturnType<typeof run> | null = null;
      await inTransaction(database, async (client) => {
        await client.query(
          `insert into mails (tenant_id, id, cause, document_id, recipient, language, status, created_at, updated_at) values ($1, $2, 'requested', $3, 'b@example.com', 'es', 'sent', now(), now())`,
          [mine.tenantId, mail, document.id]);
        removal = archive();
        await lockAwaited(database, 1, 'remove_as_archived');
        await client.query('commit');
      });
      expect(await removal!).toMatchObject({ code: 0, output: expect.stringContaining('1 archived, 1 removed') });
      expect(newest()).toContain(mail);
    });
  });

  it('removes what served the operation once its days are over, and nothing that is still under way', async () => {
    const query = (sql: string): Promise<Record<string, unknown>[]> => database.query(sql);
    await query(`
      update webhook_deliveries set status = 'delivered', finished_at = now() - interval '100 days';
      delete from webhook_work;
      insert into webhook_attempts (tenant_id, delivery_id, number, started_at) select tenant_id, id, 1, now() from webhook_deliveries;
      update events set created_at = now() - interval '400 days' where created_at < now() - interval '1 day';
      delete from mail_outbox where id in (select id from mails order by created_at limit 1);
      update mails set status = 'sent', updated_at = now() - interval '400 days' where id not in (select id from mail_outbox);
      update mails set status = 'sent', updated_at = now() - interval '300 days' where id in (select id from mail_outbox order by id limit 1);
      insert into users (id, email, name, created_at, updated_at) values ('00000000-0000-4000-8000-000000000001', 'a@b.c', 'A', now(), now());
      insert into sessions (id, user_id, created_at, expires_at, ended_at) select gen_random_uuid(), '00000000-0000-4000-8000-000000000001', now(), now() + days * interval '1 day', ended
      from (values (30, null), (-10, null), (-40, null), (20, now() - interval '40 days')) s (days, ended);
      insert into refresh_tokens (token_hash, session_id, created_at, expires_at) select id::text::bytea, id, now(), now() from sessions;
      insert into one_time_tokens (token_hash, purpose, created_at, expires_at) values ('a', 'verify_email', now(), now() - interval '40 days'), ('b', 'verify_email', now(), now())`);
    for (const days of [3_000, 2_000]) {
      await database.query(`insert into audit_log (tenant_id, id, at, actor_kind, action) values ($1, gen_random_uuid(), now() - $2::int * interval '1 day', 'system', 'x')`, [mine.tenantId, days]);
    }
    const [pending] = await database.query<{ id: string; event_id: string }>(`update webhook_deliveries set status = 'pending', finished_at = null where id = (select id from webhook_deliveries limit 1) returning id, event_id`);
    const mails = await query('select id from mails');
    const { code, output } = await run(['--apply', '--only', 'operation']);
    expect([code, output]).toEqual([0, expect.stringContaining('audit: 1 older')]);
    expect(await query('select id from webhook_deliveries')).toEqual([{ id: pending?.id }]);
    expect(await query('select delivery_id as id from webhook_attempts')).toEqual([{ id: pending?.id }]);
    expect(await query(`select id from events where created_at < now() - interval '365 days'`)).toEqual([{ id: pending?.event_id }]);
    expect(await query('select id from mails')).toHaveLength(mails.length - 1);
    expect(await query('select count(*)::int as n from sessions union all select count(*)::int from refresh_tokens')).toEqual([{ n: 2 }, { n: 2 }]);
    expect(await query('select token_hash from one_time_tokens')).toHaveLength(1);
    expect(await query('select id from audit_log')).toHaveLength(1);
    await expect(query('delete from audit_log')).rejects.toThrow(/append-only/);
  });

  describe('beside the service, which sends a delivery again', () => {
    const prepared = async (): Promise<string> => {
      // Each is to be delivered to the tenant's one address.
      await database.query(`insert into events (tenant_id, id, type, created_at, data) select $1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}' from generate_series(1, 3)`, [mine.tenantId]);
      await database.query(`
        update webhook_deliveries set status = 'delivered', finished_at = now() - interval '100 days';
        delete from webhook_work; delete from webhook_attempts;
        insert into webhook_attempts (tenant_id, delivery_id, number, started_at) select tenant_id, id, 1, now() from webhook_deliveries`);
      return (await database.query<{ id: string }>('select id from webhook_deliveries order by id limit 1'))[0]!.id;
    };
    const REPLAY = `select restart_delivery(d.tenant_id, d.id, d.webhook_id, d.event_id, now()) from webhook_deliveries d where d.id = $1`;
    const attempts = (): Promise<object[]> => database.query('select delivery_id as id from webhook_attempts');
    const applied = (): ReturnType<typeof run> => run(['--apply', '--only', 'operation']);

    it('leaves that one and removes the others', async () => {
      const id = await prepared();
      let removal: ReturnType<typeof run> | null = null;
      await inTransaction(database, async (client) => {
        await client.query(REPLAY, [id]);
        removal = applied();
        await lockAwaited(database, 1, 'rows_past_keeping');
        await client.query('commit');
      });
      expect(await removal!).toMatchObject({ code: 0, output: expect.not.stringContaining('in use') });
      expect(await database.query('select id, status from webhook_deliveries')).toEqual([{ id, status: 'pending' }]);
      expect(await attempts()).toEqual([{ id }]);
    });

    it('leaves what it cannot have for the next run, and says so', async () => {
      const id = await prepared();
      const before = await attempts();
      expect(before.length).toBeGreaterThan(1);
      await inTransaction(database, async (client) => {
        await client.query(REPLAY, [id]);
        expect(await applied()).toMatchObject({ code: 0, output: expect.stringMatching(/deliveries: 0 older than .*1 of 1 parts of the table are in use/) });
      });
      expect(await attempts()).toEqual(before);
      expect(await applied()).toMatchObject({ code: 0, output: expect.not.stringContaining('in use') });
      expect(await attempts()).toEqual([]);
    });
  });
});

describe('the connection of retention', () => {
  it('has no statement compiled, whatever the database is set to', async () => {
    const database = await createTestDatabase({ migrated: false });
    try {
      await database.query(`alter database ${new URL(database.ownerUrl).pathname.slice(1)} set jit = on`);
      await database.query('create schema sello');
      // Tells how it was called, where the real one tells what is past its time.
      await database.query(`
        create function sello.months_past_keeping(date) returns table (tenant_id text, month text, documents int, created_from text, created_to text)
        language sql as $$ select current_setting('jit'), '', 0, '', '' $$`);
      const store = await RetentionStore.open(database.ownerUrl);
      const [answer] = await store.months('2019-01-01').finally(() => store.close());
      expect(answer?.tenantId).toBe('off');
    } finally {
      await database.drop();
    }
  });
});
