import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Business } from '../support/business.js';
import { signedIn, join } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

interface Event {
  id: string;
  type: string;
  version: number | null;
  created_at: string;
  data: Record<string, Record<string, unknown>>;
}
interface Page extends Record<string, unknown> {
  items: Event[];
  next_cursor: string;
  has_more: boolean;
}

/** A stream of Server-Sent Events as a client reads it. */
class Reader {
  readonly events: Event[] = [];
  lastId = '';
  hasEnded = false;
  private readonly aborting = new AbortController();

  private constructor(readonly response: Response) {}

  static async open(url: string, headers: Record<string, string>, query = ''): Promise<Reader> {
    const aborting = new AbortController();
    const reader = new Reader(await fetch(`${url}/events/stream${query}`, { headers, signal: aborting.signal }));
    reader.aborting.signal.addEventListener('abort', () => aborting.abort());
    void reader.read();
    return reader;
  }

  async until(ready: (reader: Reader) => boolean): Promise<this> {
    for (let waited = 0; waited < 1_200; waited += 1) {
      if (ready(this)) return this;
      await sleep(50);
    }
    throw new Error(`the stream brought ${this.events.map(({ type }) => type).join(', ')}`);
  }

  close(): void {
    this.aborting.abort();
  }

  private async read(): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of this.response.body!.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const lines = Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
          if (lines['id'] !== undefined) this.lastId = lines['id'];
          if (lines['data'] !== undefined) this.events.push(JSON.parse(lines['data']) as Event);
        }
      }
    } catch {
      // Cut off, by us or by the server.
    }
    this.hasEnded = true;
  }
}

describe('events', () => {
  let stack: Stack;
  let business: Business;
  let documents: string[];

  beforeAll(async () => {
    stack = await startStack({ api: 2, env: { EVENT_STREAMS_PER_TENANT: '3', NOTICE_INTERVAL_SECONDS: '1' } });
    business = await Business.open(stack);
    documents = [];
    for (let i = 0; i < 3; i += 1) documents.push((await business.accepted()).document_id);
    for (const id of documents) expect((await business.settled(id)).status).toBe('AUTHORIZED');
  });
  afterAll(() => stack.stop());

  const page = async (query = '', owner = business): Promise<Page> => {
    const answer = await owner.call<Page>('GET', `/events${query}`);
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  /** Everything behind a cursor, page by page. */
  const all = async (cursor: string | null, owner = business, query = ''): Promise<{ events: Event[]; cursor: string }> => {
    const events: Event[] = [];
    let at = cursor;
    for (;;) {
      const { items, next_cursor, has_more } = await page(`?limit=2${at === null ? '' : `&cursor=${at}`}${query}`, owner);
      events.push(...items);
      at = next_cursor;
      if (!has_more) return { events, cursor: next_cursor };
    }
  };
  /** Until what is committed by now is shown: transactions of other tests on the same server may be open still. */
  const caughtUp = async (): Promise<void> => {
    const [mark] = await stack.database.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
    for (;;) {
      const [now] = await stack.database.query<{ passed: boolean }>('select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as passed', [mark!.xid]);
      if (now!.passed) return;
      await sleep(50);
    }
  };
  const key = (owner = business) => ({ 'x-api-key': owner.apiKey });
  const write = async (owner = business, type = 'certificate.expiring', client?: pg.Client): Promise<string> => {
    const id = randomUUID();
    const insert = `insert into sello.events (tenant_id, id, type, created_at, data) values ($1, $2, $3, now(), '{"certificate": {"id": "x"}}')`;
    if (client === undefined) await stack.database.query(insert, [owner.tenantId, id, type]);
    else await client.query(insert, [owner.tenantId, id, type]);
    return id;
  };

  it('are read page by page, oldest first, each once, and go on from any cursor', async () => {
    await caughtUp();
    const whole = await all(null);
    expect(whole.events.map(({ type, data }) => [type, data['document']?.['id']]).sort()).toEqual(documents.map((id) => ['document.authorized', id]).sort());
    expect(await page(`?cursor=${whole.cursor}`)).toEqual({ items: [], next_cursor: whole.cursor, has_more: false });
    expect((await page('?limit=100')).items).toEqual(whole.events);
    const first = await page('?limit=1');
    expect([first.items, first.has_more]).toEqual([whole.events.slice(0, 1), true]);
    expect((await all(first.next_cursor)).events).toEqual(whole.events.slice(1));
    expect((await all(null, business, `&document_id=${documents[1]!}`)).events.map(({ data }) => data['document']?.['id'])).toEqual([documents[1]]);
    expect((await all(null, business, '&type=document.rejected')).events).toEqual([]);
    expect((await all(null, await Business.open(stack, { certificate: null }))).events).toEqual([]);
  });

  it('find what is rare behind much that does not fit, without looking at it all at once', async () => {
    const owner = await Business.open(stack, { certificate: null });
    await stack.database.query(`insert into events (tenant_id, id, type, created_at, data) select $1, gen_random_uuid(), 'certificate.expiring', now(), '{}' from generate_series(1, 2500)`, [owner.tenantId]);
    const rare = await write(owner, 'certificate.expired');
    await caughtUp();
    const begun = await page('?type=certificate.expired', owner);
    expect([begun.items, begun.has_more]).toEqual([[], true]);
    expect((await all(null, owner, '&type=certificate.expired')).events.map(({ id }) => id)).toEqual([rare]);
  });

  it('tell of a document as it was: later changes do not reach back, and versions grow', async () => {
    const owner = await Business.open(stack);
    const { document_id: original } = await owner.accepted();
    await owner.settled(original);
    const { lines, taxes, subtotal, total_tax, total } = owner.invoice();
    const credit = (await owner.call('POST', `/documents/${original}/credit-note`, { reason: 'Devolución', lines, taxes, subtotal, total_tax, total })).body['credit_note_id'] as string;
    expect((await owner.call('POST', `/documents/${credit}/issue`)).status).toBe(202);
    await owner.settled(credit);
    await caughtUp();
    const { events } = await all(null, owner, `&document_id=${original}`);
    expect(events.map(({ type, version, data: { document } }) => [type, document?.['status'], document?.['version'] === version])).toEqual([
      ['document.authorized', 'AUTHORIZED', true], ['document.voided', 'VOIDED_BY_NC', true],
    ]);
    expect(events[1]!.version).toBeGreaterThan(events[0]!.version!);
    expect(events[0]!.data['document']).toMatchObject({ lines: [{ description: 'Servicio de consultoría' }], total: '115.00', authorization_date: expect.stringMatching(/Z$/) });
    // What became of its mail is no part of an event.
    const { next_attempt_at: _a, email: _email, ...now } = await owner.document(original);
    expect(events[1]!.data['document']).toMatchObject(now);
  });

  it('of a transaction that commits late are not passed over, however many committed before it', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const late = new pg.Client({ connectionString: stack.ownerUrl });
    await late.connect();
    const seen: string[] = [];
    let { cursor } = await all(null, owner);
    const readOn = async (): Promise<void> => {
      const read = await all(cursor, owner);
      cursor = read.cursor;
      seen.push(...read.events.map(({ id }) => id));
    };
    await late.query('begin');
    const begunFirst = await write(owner, 'certificate.expiring', late);
    const meanwhile = [await write(owner), await write(owner)];
    await readOn();
    // Committed, and behind one that may still come: a reader does not get past it.
    expect(seen).toEqual([]);
    await late.query('commit');
    await caughtUp();
    await readOn();
    expect(seen).toEqual([begunFirst, ...meanwhile]);

    await late.query('begin');
    await write(owner, 'certificate.expiring', late);
    const after = await write(owner);
    await late.query('rollback');
    await late.end();
    await caughtUp();
    await readOn();
    expect(seen).toEqual([begunFirst, ...meanwhile, after]);
  });

  it('are each read once by a reader who follows while twenty write', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const written: string[] = [];
    const writing = { isOver: false };
    const writers = Promise.all(Array.from({ length: 20 }, async () => {
      const client = new pg.Client({ connectionString: stack.ownerUrl });
      await client.connect();
      for (let i = 0; i < 5; i += 1) {
        await client.query('begin');
        const id = await write(owner, 'certificate.expiring', client);
        await client.query('select pg_sleep(random() * 0.05)');
        await client.query(i === 3 ? 'rollback' : 'commit');
        if (i !== 3) written.push(id);
      }
      await client.end();
    })).then(() => (writing.isOver = true));
    const seen: string[] = [];
    let cursor: string | null = null;
    for (;;) {
      const { isOver } = writing;
      const read: { events: Event[]; cursor: string } = await all(cursor, owner);
      cursor = read.cursor;
      seen.push(...read.events.map(({ id }) => id));
      if (isOver && seen.length >= written.length) break;
    }
    await writers;
    expect([...seen].sort()).toEqual([...written].sort());
    expect((await all(null, owner)).events.map(({ id }) => id)).toEqual(seen);
  });

  it('stay readable in a database that was restored elsewhere, whose transactions begin anew', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const ids = [await write(owner), await write(owner)];
    await caughtUp();
    const { cursor } = await all(null, owner);
    const restored = cursor === '' ? '' : Buffer.from(`99999999999.${Buffer.from(cursor, 'base64url').toString().split('.')[1]!}`).toString('base64url');
    await stack.database.query(`update events set xid = '99999999999' where tenant_id = $1`, [owner.tenantId]);
    expect((await all(null, owner)).events).toEqual([]);
    await stack.database.query('select settle_restored_events()');
    expect((await all(null, owner)).events.map(({ id }) => id)).toEqual(ids);
    const next = await write(owner);
    await caughtUp();
    expect((await all(restored, owner)).events.map(({ id }) => id)).toEqual([next]);
  });

  it('keep their order in a database that was restored where others had been at work, some of them above its transactions and some below', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const ids = [await write(owner), await write(owner), await write(owner)];
    await stack.database.query(`update events set xid = '99999999999' where tenant_id = $1 and id = any ($2)`, [owner.tenantId, ids.slice(1)]);
    await stack.database.query('select settle_restored_events()');
    await caughtUp();
    expect((await all(null, owner)).events.map(({ id }) => id)).toEqual(ids);
  });

  it('are refused behind a cursor behind which some are gone, in the list and in the stream, and read anew without one', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const ids: string[] = [];
    for (let written = 0; written < 12; written += 1) ids.push(await write(owner, 'document.authorized'));
    await caughtUp();
    const [first, seventh] = [await page('?limit=1', owner), await page('?limit=7', owner)];
    await stack.database.query(`update events set created_at = now() - interval '40 days' where id = any ($1)`, [ids.slice(0, 7)]);
    await stack.database.query(`select rows_past_keeping('events', now() - interval '31 days', 0, 100000, true)`);
    const expired = (loc: string[]) => [422, [expect.objectContaining({ loc, type: 'cursor_expired' })]];
    for (const [path, headers, loc] of [
      [`/events?cursor=${first.next_cursor}`, {}, ['query', 'cursor']],
      [`/events/stream?cursor=${first.next_cursor}`, {}, ['query', 'cursor']],
      ['/events/stream', { 'last-event-id': first.next_cursor }, ['header', 'Last-Event-ID']],
    ] as const) {
      const { status, body } = await owner.call<{ error: { detail: unknown[] } }>('GET', path, undefined, headers);
      expect([path, [status, body.error.detail]]).toEqual([path, expired([...loc])]);
    }
    expect((await all(seventh.next_cursor, owner)).events.map(({ id }) => id)).toEqual(ids.slice(7));
    expect((await all(null, owner)).events.map(({ id }) => id)).toEqual(ids.slice(7));
  });

  it('tell once of each threshold that a counter passes', async () => {
    const owner = await Business.open(stack, { initialSequential: 999_950_000 });
    const { document_id } = await owner.accepted();
    await owner.settled(document_id);
    const low = async (count: number): Promise<Event[]> => {
      for (let waited = 0; waited < 600; waited += 1) {
        const { items } = await page('?type=sequence.low', owner);
        if (items.length >= count) return items;
        await sleep(100);
      }
      throw new Error(`no event of a low counter\n${stack.logs()}`);
    };
    // A million and a hundred thousand at once: only the nearer is told.
    expect(await low(1)).toMatchObject([{ version: null, data: { sequence: { emission_point_id: owner.emissionPointId, issuer_id: owner.issuerId, document_type: '01', remaining: 49_999, threshold: 100_000, next_number: 999_950_001 } } }]);
    await owner.call('POST', `/emission-points/${owner.emissionPointId}/sequences/01/raise`, { next_number: 999_999_999, reason: 'x' });
    const told = await low(2);
    await sleep(1_500);
    expect((await low(2)).map(({ data }) => data['sequence']?.['threshold'])).toEqual([100_000, 1_000]);
    expect(told.length).toBe(2);
  });

  describe('as a stream', () => {
    it('come as they happen, and go on behind the last id without a gap', async () => {
      const owner = await Business.open(stack, { certificate: null });
      await write(owner);
      await caughtUp();
      const reader = await Reader.open(stack.apiUrl, key(owner));
      expect([reader.response.status, reader.response.headers.get('content-type'), reader.response.headers.get('cache-control')]).toEqual([200, 'text/event-stream; charset=utf-8', 'no-store']);
      await reader.until(({ lastId }) => lastId !== '');
      const ids = [await write(owner), await write(owner)];
      await reader.until(({ events }) => events.length === 2);
      expect(reader.events.map(({ id }) => id)).toEqual(ids);
      reader.close();
      const missed = [await write(owner, 'certificate.expired'), await write(owner)];
      await caughtUp();
      const again = await Reader.open(stack.apiUrls[1]!, { ...key(owner), 'last-event-id': reader.lastId }, '?cursor=MC4w');
      await again.until(({ events }) => events.length === 2);
      expect(again.events.map(({ id }) => id)).toEqual(missed);
      again.close();
      const filtered = await Reader.open(stack.apiUrl, key(owner), '?cursor=MC4w&type=certificate.expired');
      await filtered.until(({ events }) => events.length === 1);
      expect(filtered.events.map(({ id }) => id)).toEqual([missed[0]]);
      // What the list says, the stream says.
      expect(filtered.events).toEqual((await page('?type=certificate.expired', owner)).items);
      filtered.close();
    });

    it('bring events so large that one look does not find them all, each once and in order', async () => {
      await caughtUp();
      const { cursor } = await all(null);
      const ids = Array.from({ length: 8 }, () => randomUUID());
      await stack.database.query(
        `insert into sello.events (tenant_id, id, type, created_at, data)
         select $1, id, 'sequence.low', now(), jsonb_build_object('sequence', jsonb_build_object('issuer_id', repeat('x', 600000))) from unnest($2::uuid[]) with ordinality as given (id, place) order by place`,
        [business.tenantId, ids]);
      await caughtUp();
      const reader = await Reader.open(stack.apiUrl, key(), `?cursor=${cursor}`);
      await reader.until(({ events }) => events.length >= ids.length);
      reader.close();
      expect(reader.events.map(({ id }) => id)).toEqual(ids);
    });

    it('of one document tell of it alone', async () => {
      const { document_id: id } = await business.accepted();
      // From the beginning: behind the events of the documents before it.
      const reader = await Reader.open(stack.apiUrl, key(), `?cursor=MC4w&document_id=${id}`);
      expect((await business.settled(id)).status).toBe('AUTHORIZED');
      await caughtUp();
      await reader.until(({ events }) => events.length > 0);
      expect(reader.events.map(({ type, data }) => [type, data['document']?.['id']])).toEqual([['document.authorized', id]]);
      reader.close();
    });

    it('that wait are not woken by what is none of theirs, of one document also not by others', async () => {
      const owner = await Business.open(stack, { certificate: null });
      const before = (await page('', owner)).next_cursor;
      await write(owner);
      await write(business);
      await caughtUp();
      const behind = async (cursor: string, documentId: string | null = null, tenantId = owner.tenantId): Promise<boolean> => {
        const [xid, position] = Buffer.from(cursor, 'base64url').toString().split('.');
        const [row] = await stack.database.query<{ found: boolean[] }>('select events_behind($1, $2, $3, $4) as found', [[randomUUID(), tenantId], ['0', xid], ['0', position], [null, documentId]]);
        expect(row!.found[0]).toBe(false);
        return row!.found[1]!;
      };
      const [any, ofType] = [(await page(`?cursor=${before}`, owner)).next_cursor, (await page(`?cursor=${before}&type=document.authorized`, owner)).next_cursor];
      expect([await behind(before), await behind(any), await behind(ofType)]).toEqual([true, false, false]);
      expect(await behind(before, randomUUID())).toBe(false);
      await write(owner);
      await caughtUp();
      expect([await behind(any), await behind(ofType)]).toEqual([true, true]);
      const [first] = documents;
      expect([await behind('MC4w', first, business.tenantId), await behind('MC4w', first), await behind((await page('?limit=100')).next_cursor, first, business.tenantId)]).toEqual([true, false, false]);
    });

    it('answer HEAD with their headers alone, and hold no place for it', async () => {
      const owner = await Business.open(stack, { certificate: null });
      for (let asked = 0; asked < 4; asked += 1) {
        const answer = await fetch(`${stack.apiUrl}/events/stream`, { method: 'HEAD', headers: key(owner), signal: AbortSignal.timeout(60_000) });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
      }
      const reader = await Reader.open(stack.apiUrl, key(owner));
      expect(reader.response.status).toBe(200);
      reader.close();
      expect((await fetch(`${stack.apiUrl}/events/stream?cursor=x`, { method: 'HEAD', headers: key(owner) })).status).toBe(422);
    });

    it('are bounded for each tenant and given back', async () => {
      const owner = await Business.open(stack, { certificate: null });
      const readers = await Promise.all([1, 2, 3].map(() => Reader.open(stack.apiUrl, key(owner))));
      const refused = await owner.call('GET', '/events/stream');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
      const another = await Reader.open(stack.apiUrl, key());
      expect(another.response.status).toBe(200);
      another.close();
      for (const reader of readers) reader.close();
      for (let waited = 0; ; waited += 1) {
        const next = await Reader.open(stack.apiUrl, key(owner));
        next.close();
        if (next.response.status === 200) break;
        if (waited > 1_200) throw new Error('closed streams are not given back');
        await sleep(50);
      }
    });

    it('of one person leave room for others of the tenant', async () => {
      const owner = await Business.open(stack, { certificate: null });
      const [busy, other] = await Promise.all([signedIn(stack), signedIn(stack)]);
      for (const one of [busy, other]) await join(stack, one, owner.tenantId, 'viewer');
      const as = ({ token }: { token: string }) => ({ Authorization: `Bearer ${token}`, 'X-Tenant-Id': owner.tenantId });
      const readers = await Promise.all([1, 2].map(() => Reader.open(stack.apiUrl, as(busy))));
      const refused = await fetch(`${stack.apiUrl}/events/stream`, { headers: as(busy) });
      expect([refused.status, (await refused.json() as { error: { detail: unknown } }).error.detail]).toEqual([429, { limit: 2, limits: 'streams_of_person', retry_after_seconds: 15 }]);
      const last = await Reader.open(stack.apiUrl, as(other));
      expect(last.response.status).toBe(200);
      for (const reader of [...readers, last]) reader.close();
    });

    it('end when the key is revoked, when the person leaves, and when the process stops', async () => {
      const owner = await Business.open(stack, { certificate: null });
      const made = (await owner.call<{ id: string; key: string }>('POST', '/auth/api-keys', { name: 'stream' })).body;
      const person = await signedIn(stack);
      const memberId = await join(stack, person, owner.tenantId, 'viewer');
      const [byKey, byPerson, byOther] = await Promise.all([
        Reader.open(stack.apiUrl, { 'x-api-key': made.key }), Reader.open(stack.apiUrl, { authorization: `Bearer ${person.token}`, 'x-tenant-id': owner.tenantId }), Reader.open(stack.apiUrls[1]!, key(owner)),
      ]);
      expect([byKey, byPerson, byOther].map(({ response }) => response.status)).toEqual([200, 200, 200]);
      await owner.call('DELETE', `/auth/api-keys/${made.id}`);
      await byKey.until(({ hasEnded }) => hasEnded);
      expect(byPerson.hasEnded).toBe(false);
      await owner.call('DELETE', `/tenant/members/${memberId}`);
      await byPerson.until(({ hasEnded }) => hasEnded);
      expect(byOther.hasEnded).toBe(false);
      await stack.killApi(1, 'SIGTERM');
      await byOther.until(({ hasEnded }) => hasEnded);
    });
  });
});
