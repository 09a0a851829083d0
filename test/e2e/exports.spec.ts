import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { WITHOUT_SRI } from '../support/bad-input.js';
import { Business } from '../support/business.js';
import { type Stack, startStack } from '../support/stack.js';
import { unzip } from '../support/unzip.js';
import { readWorkbook } from '../support/workbook.js';

const ROWS = 20_000;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

describe('exports of documents', () => {
  let stack: Stack;
  let business: Business;
  let other: Business;
  let owner: pg.Client;
  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: WITHOUT_SRI });
    business = await Business.open(stack, { certificate: null });
    other = await Business.open(stack, { certificate: null });
    owner = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello' });
    await owner.connect();
    // Any state at once: without the guards of the way there.
    await owner.query(`alter table documents disable trigger guard_document`);
    for (const [one, rows] of [[business, ROWS], [other, 3]] as const) {
      await owner.query(
        `insert into documents (tenant_id, id, issuer_id, establishment_id, emission_point_id, document_type, sri_environment, sequential, access_key, status, issue_date,
           subtotal, total_discount, total_tax, total, buyer_id_type, buyer_id, buyer_name, reason, created_at, updated_at)
         select $1, gen_random_uuid(), $2, $3, $4, case n % 10 when 0 then '04' else '01' end, 'TEST', n, '2508202601' || $5 || '1001001' || lpad(n::text, 9, '0') || '1234567810',
           case n % 100 when 0 then 'REJECTED' else 'AUTHORIZED' end, date '2026-08-01' + n % 20, 999999999999.99 - n, 0.10, 0, 999999999999.89 - n, '05', '1710034065',
           case n when 1 then '=HYPERLINK("http://x")' when 2 then 'Ñandú, "S.A."; _x0041_ <&>' when 3 then '+1' when 4 then '-1' when 5 then '@x' else 'María Pérez' end,
           repeat('x', 400), timestamptz '2026-08-01' + n / 7 * interval '1 second', now()
         from generate_series(1, $6::integer) n`,
        [one.tenantId, one.issuerId, one.establishmentId, one.emissionPointId, one.ruc, rows],
      );
    }
    await owner.query(
      `insert into sequence_counters (tenant_id, emission_point_id, document_type, environment, last_value) select $1, $2, type, 'TEST', $3 from unnest(array['01', '04']) type`,
      [business.tenantId, business.emissionPointId, ROWS],
    );
    await owner.query('alter table documents enable trigger guard_document');
    // Documents come one by one, and are counted by the planner meanwhile.
    await owner.query('analyze documents');
  });
  afterAll(async () => {
    await owner.end();
    await stack.stop();
  });

  const open = (path: string, { apiKey }: Business = business, signal?: AbortSignal): Promise<Response> =>
    fetch(`${stack.apiUrl}/documents/export.${path}`, { headers: { 'x-api-key': apiKey }, ...(signal && { signal }) });
  /** Until there are so many places again. */
  const untilServed = async (places: number): Promise<void> => {
    for (let waited = 0; waited < 600; waited += 1) {
      const answers = await Promise.all(Array.from({ length: places }, () => open('csv')));
      for (const { body } of answers) await body?.cancel();
      if (answers.every(({ status }) => status === 200)) return;
      await sleep(100);
    }
    throw new Error('places are not given back');
  };
  const csv = async (query = '', from = business): Promise<Record<string, string>[]> =>
    parse(await (await open(`csv${query}`, from)).text(), { columns: true, bom: true });
  const xlsx = async (query = ''): Promise<Record<string, string>[]> => {
    const [sheet] = readWorkbook(Buffer.from(await (await open(`xlsx${query}`)).arrayBuffer()));
    const [header = {}, ...rows] = sheet!.rows;
    return rows.map((row) => Object.fromEntries(Object.entries(header).map(([letter, name]) => [name, row[letter] ?? ''])));
  };

  it('hold every document once, in the order of the list, with the decimals of the record', async () => {
    const answer = await open('csv');
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([200, 'text/csv; charset=utf-8; header=present', 'attachment; filename="documents.csv"']);
    await answer.body?.cancel();
    const rows = await csv();
    const { rows: stored } = await owner.query<{ id: string; total: string }>('select id, total::text from documents where tenant_id = $1 order by created_at desc, id desc', [business.tenantId]);
    expect(rows.map(({ id, total }) => ({ id, total }))).toEqual(stored);
    expect(rows).toHaveLength(ROWS);
    const list = await business.call<{ items: { id: string }[] }>('GET', '/documents?page=3&page_size=100');
    expect([list.status, list.body]).toMatchObject([200, { items: rows.slice(200, 300).map(({ id }) => ({ id })) }]);
  });

  it.each(['', '&status=REJECTED'])('go on behind the row that arrived last%s', async (narrowed) => {
    const rows = await csv(narrowed.replace('&', '?'));
    const half = Math.floor(rows.length / 2);
    const last = rows[half - 1]!['id']!;
    expect(await csv(`?cursor=${last}${narrowed}`)).toEqual(rows.slice(half));
    expect(await csv(`?cursor=${rows.at(-1)!['id']!}${narrowed}`)).toEqual([]);
    expect((await xlsx(`?cursor=${last}${narrowed}`)).map(({ id }) => id)).toEqual(rows.slice(half).map(({ id }) => id));
    for (const strange of [randomUUID(), last]) {
      const refused = await open(`csv?cursor=${strange}`, strange === last ? other : business);
      expect([refused.status, await refused.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND', detail: { field: 'cursor' } } }]);
    }
  });

  it('have semicolons and decimal commas for a spreadsheet set to Spanish, and are else the same', async () => {
    const text = await (await open('csv?status=REJECTED&separator=semicolon')).text();
    expect(text.split('\r\n')[1]).toMatch(/;\d{12},99;0,10;0,00;\d{12},89;/);
    const rows: Record<string, string>[] = parse(text, { columns: true, bom: true, delimiter: ';' });
    const amounts = ['subtotal', 'total_discount', 'total_tax', 'total'];
    const withPoints = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, amounts.includes(name) ? cell.replace(',', '.') : cell])));
    expect(withPoints).toEqual(await csv('?status=REJECTED&separator=comma'));
    for (const query of ['csv?separator=tab', 'xlsx?separator=semicolon']) {
      const refused = await open(query);
      expect([refused.status, await refused.json()]).toMatchObject([422, { detail: [{ loc: ['query', 'separator'] }] }]);
    }
  });

  it('B92 hold no text that a spreadsheet would compute', async () => {
    const names = new Set((await csv()).map(({ buyer_name }) => buyer_name));
    expect([...names].sort()).toEqual([`'=HYPERLINK("http://x")`, `'+1`, `'-1`, `'@x`, 'María Pérez', 'Ñandú, "S.A."; _x0041_ <&>'].sort());
  });

  it('are the same as a workbook, with amounts and days as such', async () => {
    const whole = unzip(Buffer.from(await (await open('xlsx')).arrayBuffer())).get('xl/worksheets/sheet1.xml')?.toString() ?? '';
    expect(new Set([...whole.matchAll(/<c r="A\d+"[^>]*><is><t[^>]*>([0-9a-f-]{36})</g)].map(([, id]) => id)).size).toBe(ROWS);
    expect(whole.match(/<row /g)).toHaveLength(ROWS + 1);
    const [rows, texts] = [await xlsx('?status=REJECTED'), await csv('?status=REJECTED')];
    expect(rows).toHaveLength(ROWS / 100);
    const asNumbers = ({ issue_date, ...row }: Record<string, string>): Record<string, string> => ({ ...row, issue_date: String((Date.parse(`${issue_date ?? ''}T00:00:00Z`) - Date.parse('1899-12-30T00:00:00Z')) / 86_400_000) });
    expect(rows).toEqual(texts.map(asNumbers));
    expect(Object.keys(rows[0] ?? {}).length).toBeLessThan(LETTERS.length);
  });

  it.each(['status=REJECTED&document_type=04', 'issue_date_from=2026-08-03&issue_date_to=2026-08-04', 'q=nandu', 'q=001-001-000000123', 'buyer_id=1710034065&status=REJECTED', 'status=DRAFT'])(
    'are narrowed like the list by %s',
    async (query) => {
      const { body } = await business.call<{ total: number }>('GET', `/documents?${query}&page_size=1`);
      expect((await csv(`?${query}`)).length).toBe(body.total);
    },
  );

  it('hold nothing of another tenant, and have their header without rows', async () => {
    expect(await csv('', other)).toHaveLength(3);
    expect(await csv(`?issuer_id=${business.issuerId}`, other)).toEqual([]);
    const empty = await (await open('csv?status=DRAFT')).text();
    expect(empty.split('\r\n')).toHaveLength(2);
    expect(await xlsx('?status=DRAFT')).toEqual([]);
  });

  it.each(['csv', 'xlsx'])('break off when they cannot go on: no part of a %s passes for the whole', async (format) => {
    const rowsIn = (bytes: Buffer): number =>
      format === 'csv' ? parse(bytes, { bom: true }).length : (unzip(bytes).get('xl/worksheets/sheet1.xml')?.toString().match(/<row /g)?.length ?? 0);
    let hasBrokenOff = false;
    for (let tries = 0; !hasBrokenOff && tries < 10; tries += 1) {
      const answer = await open(format);
      expect(answer.status).toBe(200);
      await owner.query('revoke select on issuers from sello_app');
      try {
        const read = await answer.arrayBuffer().catch(() => null);
        hasBrokenOff = read === null;
        // On a busy machine it may have been sent whole before: then another is broken off.
        if (read !== null) expect(rowsIn(Buffer.from(read))).toBe(ROWS + 1);
        expect((await open(format)).status).toBe(500);
      } finally {
        await owner.query('grant select on issuers to sello_app');
      }
    }
    expect(hasBrokenOff).toBe(true);
  });

  it('end with whoever hangs up, and leave no connection in use', async () => {
    for (const format of ['csv', 'xlsx', 'csv', 'xlsx']) {
      const hangUp = new AbortController();
      await open(format, business, hangUp.signal);
      hangUp.abort();
    }
    const busy = async (): Promise<number> =>
      (await owner.query(`select from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`)).rowCount ?? 0;
    for (let quiet = 0, looks = 0; quiet < 3; looks += 1) {
      quiet = (await busy()) === 0 ? quiet + 1 : 0;
      expect(looks).toBeLessThan(1_200);
      await sleep(50);
    }
    expect(await csv('?status=REJECTED')).toHaveLength(ROWS / 100);
  });

  it('give their places back when a connection ends on which several wait for their turn', async () => {
    const { hostname, port } = new URL(stack.apiUrl);
    const socket = connect(Number(port), hostname);
    const call = `GET /documents/export.csv HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${business.apiKey}\r\n\r\n`;
    socket.write(call.repeat(4));
    await once(socket, 'data');
    // What waits behind the first answer has not been begun to be read.
    socket.pause();
    for (let waited = 1, full = false; !full; waited += 1) {
      const answer = await open('csv?status=DRAFT');
      await answer.text();
      full = answer.status === 429;
      // On a busy machine the first may have been sent whole before the reading stopped: another takes its place, before the
      // connection is closed for being idle.
      if (!full) socket.write(call);
      if (waited > 500) throw new Error('four exports are not under way');
    }
    socket.destroy();
    await untilServed(4);
  });

  it('are under way at most so many times for one tenant, of all kinds together; whoever ends one makes room, whoever is refused takes none', async () => {
    for (let time = 0; time < 6; time += 1) expect((await open('csv?status=NONE')).status).toBe(422);
    const [first, ...others] = await Promise.all(Array<string>(4).fill('csv').map((format) => open(format)));
    expect([first, ...others].map((answer) => answer?.status)).toEqual([200, 200, 200, 200]);
    const products = (by: Business): Promise<Response> => fetch(`${stack.apiUrl}/products/export.csv`, { headers: { 'x-api-key': by.apiKey } });
    for (const refused of [await open('csv'), await open('xlsx'), await products(business)]) {
      const { error } = (await refused.json()) as { error: unknown };
      expect([refused.status, refused.headers.get('retry-after'), error]).toEqual([429, '10', expect.objectContaining({ code: 'RATE_LIMITED', detail: { limit: 4, limits: 'exports', retry_after_seconds: 10 } })]);
      // Of the limit that was met, not of the calls in a minute.
      expect(['x-ratelimit-limit', 'x-ratelimit-remaining', 'ratelimit'].map((name) => refused.headers.get(name))).toEqual(['4', '0', null]);
    }
    expect((await products(other)).status).toBe(200);
    expect((await business.call('GET', '/documents')).status).toBe(200);
    await first!.body!.cancel();
    await untilServed(1);
    // A workbook takes a place too. It is packed so small that a busy machine may have sent it whole before the next asks: then another.
    let isRefused = false;
    for (let tries = 0; !isRefused && tries < 10; tries += 1) {
      const workbook = await open('xlsx');
      expect(workbook.status).toBe(200);
      const next = await open('csv');
      isRefused = next.status === 429;
      for (const { body } of [workbook, next]) await body?.cancel();
      await untilServed(1);
    }
    expect(isRefused).toBe(true);
    for (const { body } of others) await body?.cancel();
    await untilServed(4);
  });
});
