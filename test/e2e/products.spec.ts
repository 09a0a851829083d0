import { parse } from 'csv-parse/sync';
import { WITHOUT_SRI } from '../support/bad-input.js';
import { Business } from '../support/business.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call } from '../support/http.js';
import { ASKED_FOR_POLLUTION, expectUnpolluted } from '../support/prototype.js';
import { type Stack, startStack } from '../support/stack.js';

type Product = Record<string, unknown> & { id: string; main_code: string; updated_at: string };
interface Page {
  items: Product[];
  total: number;
}
interface Imported {
  created: number;
  updated: number;
  unchanged: number;
  faulty: number;
  errors: { line: number; field: string | null; type: string; message: string; input: string | null }[];
}
interface Refused {
  error: { code: string; detail: unknown };
  detail: { loc: string[]; type: string; msg: string }[];
}

const CAFE = { main_code: 'CAFE', name: 'Café', unit_price: '2.50', iva_rate_code: '4' };

describe('the catalogue', () => {
  let stack: Stack;
  let business: Business;
  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: { ...WITHOUT_SRI, ...ASKED_FOR_POLLUTION } });
  });
  beforeEach(async () => {
    business = await Business.open(stack, { certificate: null });
  });
  afterAll(() => stack.stop());

  const add = (change: object = {}): Promise<Answer<Product>> => business.call<Product>('POST', '/products', { ...CAFE, ...change });
  const added = async (change: object = {}): Promise<Product> => {
    const answer = await add(change);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body;
  };
  const list = async (query = ''): Promise<Page> => (await business.call<Page>('GET', `/products${query}`)).body;
  const codes = async (query = ''): Promise<string[]> => (await list(query)).items.map(({ main_code }) => main_code);
  /** The bytes, with their byte order mark. */
  const file = async (query = ''): Promise<string> => {
    const response = await fetch(`${stack.apiUrl}/products/export.csv${query}`, { headers: { 'x-api-key': business.apiKey } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="products.csv"');
    return Buffer.from(await response.arrayBuffer()).toString();
  };
  const put = <Body = Imported>(csv: string | Uint8Array<ArrayBuffer>, query = ''): Promise<Answer<Body>> =>
    call<Body>(stack.apiUrl, 'POST', `/products/import${query}`, { apiKey: business.apiKey, body: csv, headers: { 'content-type': 'text/csv' } });

  it('exports what stands behind the code that arrived last', async () => {
    const mine = await Business.open(stack, { certificate: null });
    for (const main_code of ['A', 'B', 'C']) expect((await mine.call('POST', '/products', { main_code, name: main_code, unit_price: '1.00', iva_rate_code: '4' })).status).toBe(201);
    const behind = async (query: string): Promise<(string | undefined)[]> => {
      const text = await (await fetch(`${stack.apiUrl}/products/export.csv${query}`, { headers: { 'x-api-key': mine.apiKey } })).text();
      return parse<Record<string, string>>(text, { bom: true, columns: true }).map(({ main_code }) => main_code);
    };
    expect([await behind(''), await behind('?cursor=A'), await behind('?cursor=C')]).toEqual([['A', 'B', 'C'], ['B', 'C'], []]);
    // A code that a spreadsheet would compute stands behind an apostrophe, and goes on from there as from any other.
    const promo = '@P,-1,-2,-3,-4,-5,-6,-7';
    expect((await mine.call('POST', '/products', { main_code: promo, name: 'Promo', unit_price: '1.00', iva_rate_code: '4' })).status).toBe(201);
    const [first] = await behind('');
    expect([first, await behind(`?cursor=${encodeURIComponent(first!)}`)]).toEqual([expect.stringMatching(/^'@P,'-1,'-2/), ['A', 'B', 'C']]);
  });

  it('keeps what it is told, amounts with their digits, and fills in the rest', async () => {
    const first = await added({ unit_price: 10.125, aux_code: 'F010101' });
    expect(first).toEqual({
      id: expect.any(String), tenant_id: business.tenantId, main_code: 'CAFE', aux_code: 'F010101', name: 'Café', unit_price: '10.125', default_discount: '0.00', tax_code: '2', iva_rate_code: '4',
      applies_tourism_iva: false, applies_ice: false, ice_code: null, additional_fields: {}, is_active: true, deleted_at: null, created_at: expect.any(String), updated_at: expect.any(String),
    });
    const second = await added({ main_code: 'PERFUME', unit_price: '7', default_discount: '+0.100000', applies_ice: true, ice_code: '3610', applies_tourism_iva: true });
    expect(second).toMatchObject({ unit_price: '7', default_discount: '0.100000', applies_ice: true, ice_code: '3610' });
    expect((await business.call('GET', `/products/${first.id}`)).body).toEqual(first);
  });

  it("stores the caller's own data as it is, whatever its names", async () => {
    const own = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":null,"__html":"<b>","list":[1,2.5,"tab\\t"]}';
    const answer = await business.call<Product>('POST', '/products', JSON.stringify(CAFE).replace('}', `,"additional_fields":${own}}`));
    expect(answer.status).toBe(201);
    const response = await fetch(`${stack.apiUrl}/products/${answer.body.id}`, { headers: { 'x-api-key': business.apiKey } });
    const text = await response.text();
    for (const part of ['"__proto__":{"polluted":true}', '"constructor":{"prototype":1}', '"toString":null', '"list":[1,2.5,"tab\\t"]']) expect(text.replaceAll('": ', '":')).toContain(part);
    await expectUnpolluted(stack);
  });

  it('changes the fields that a body names, and judges them together with those that stay', async () => {
    const { id, updated_at } = await added();
    const patch = (body: object): Promise<Answer<Product & Refused>> => business.call('PATCH', `/products/${id}`, body);
    expect([(await patch({})).status, (await patch({})).body.updated_at]).toEqual([200, updated_at]);
    expect((await patch({ unit_price: '3.000', additional_fields: { shelf: 'B' }, is_active: false })).body).toMatchObject({
      name: 'Café', unit_price: '3.000', additional_fields: { shelf: 'B' }, is_active: false,
    });
    expect([(await patch({ applies_ice: true })).status, (await patch({ ice_code: '3533' })).status, (await patch({ applies_ice: true })).status]).toEqual([400, 200, 200]);
    const without = await patch({ ice_code: null });
    expect([without.status, without.body.detail[0]]).toMatchObject([400, { loc: ['body', 'ice_code'], type: 'missing' }]);
    expect((await patch({ ice_code: null, applies_ice: false })).body).toMatchObject({ applies_ice: false, ice_code: null, unit_price: '3.000' });
  });

  it('finds by a part of name or codes, whatever the case and the accents, and takes every sign by itself', async () => {
    for (const [main_code, name, aux_code] of [['A-1', 'Café molido', null], ['B_2', '100% CAÑA', 'CAFE'], ['C3', 'Pan', null]]) await added({ main_code, name, aux_code });
    expect([await codes('?q=CAFÉ'), await codes('?q=cana'), await codes('?q=b_'), await codes('?q=%25'), await codes('?q=a_1'), await codes("?q='")]).toEqual([['B_2', 'A-1'], ['B_2'], ['B_2'], ['B_2'], [], []]);
    // A part of neither, made of the end of one and the beginning of the other.
    expect(await codes('?q=1Café')).toEqual([]);
  });

  it('pages newest first', async () => {
    for (const main_code of ['A', 'B', 'C']) await added({ main_code });
    await added({ main_code: 'D', is_active: false });
    expect(await codes()).toEqual(['D', 'C', 'B', 'A']);
    expect(await list('?page=2&page_size=3')).toMatchObject({ items: [{ main_code: 'A' }], total: 4, page: 2, page_size: 3 });
    expect([await codes('?is_active=true'), await codes('?is_active=false')]).toEqual([['C', 'B', 'A'], ['D']]);
  });

  it('deletes so that nothing finds it, keeps the row, and gives the code free', async () => {
    const { id } = await added();
    expect((await business.call('DELETE', `/products/${id}`)).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE']) expect([method, (await business.call(method, `/products/${id}`, method === 'PATCH' ? {} : undefined)).status]).toEqual([method, 404]);
    expect((await list()).total).toBe(0);
    const again = await added();
    expect((await list('?include_deleted=true')).items).toMatchObject([{ id: again.id, deleted_at: null }, { id, is_active: false, deleted_at: expect.any(String) }]);
    expect(await file()).not.toContain(id);
    expect((await business.call('DELETE', `/products/${again.id}`)).status).toBe(204);
  });

  it('has one product of a main code, also when many are added at once, and each tenant its own', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    const refused = answers.find(({ status }) => status === 409)!.body as unknown as Refused;
    expect(refused.error).toMatchObject({ code: 'ALREADY_EXISTS', detail: { field: 'main_code' } });
    const { id } = await added({ main_code: 'TE' });
    expect((await business.call('PATCH', `/products/${id}`, { main_code: 'CAFE' })).status).toBe(409);
    const other = await Business.open(stack, { certificate: null });
    expect((await other.call('POST', '/products', CAFE)).status).toBe(201);
    expect((await other.call('GET', `/products/${id}`)).status).toBe(404);
  });

  describe('as a file', () => {
    it('B92 makes every cell that begins like a formula inert, and takes it in again as it was', async () => {
      const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', "'=1", "'", '"quoted", with commas; and more', '＝1'];
      for (const [index, name] of formulas.entries()) await added({ main_code: index === 0 ? '=cmd' : `F${index}`, name, additional_fields: { note: name } });
      const rows = parse<Record<string, string>>(await file(), { bom: true, columns: true });
      for (const { main_code = '', name = '' } of rows) for (const cell of [main_code, name]) expect(cell).not.toMatch(/^[=+\-@＝\t\r]/u);
      expect(rows.map(({ name }) => name)).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", "''=1", "'", '"quoted", with commas; and more', "'＝1"]);
      for (const query of ['', '?separator=semicolon']) expect((await put(await file(query))).body).toMatchObject({ created: 0, updated: 0, unchanged: formulas.length, errors: [] });
      const exported = await file();
      for (const { id } of (await list()).items) await business.call('DELETE', `/products/${id}`);
      expect((await put(exported)).body).toMatchObject({ created: formulas.length, updated: 0, unchanged: 0 });
      expect(await file()).toBe(exported);
      expect((await list()).items.map(({ name }) => name).sort()).toEqual([...formulas].sort());
    });

    it('is filtered like the list, and empty has its header', async () => {
      expect(await file()).toBe('\ufeffmain_code,aux_code,name,unit_price,default_discount,tax_code,iva_rate_code,applies_tourism_iva,applies_ice,ice_code,is_active,additional_fields\r\n');
      await added();
      await added({ main_code: 'TE', name: 'Té', is_active: false });
      expect(await file('?is_active=true&separator=semicolon')).toMatch(/\r\nCAFE;;Café;2,50;0,00;2;4;false;false;;true;\{\}\r\n$/);
      expect((await file('?q=te')).match(/\r\n/g)).toHaveLength(2);
    });

    it('comes in as Excel in Ecuador writes it: semicolons, decimal commas, CR LF, VERDADERO, empty rows, another character set', async () => {
      await added({ main_code: 'TE', name: 'Té', aux_code: 'X', default_discount: '0.5' });
      const csv = 'name;main_code;unit_price;iva_rate_code;applies_ice;ice_code\r\n"Piñata; grande";P1;12,50;4;VERDADERO;3610\r\n;;;;;\r\n\r\nTé verde;TE;3;0;falso;\r\n';
      for (const [bytes, query] of [[Buffer.from(`\ufeff${csv}`), '?dry_run=true'], [Buffer.from(csv, 'latin1'), '?charset=windows-1252']] as const) {
        expect([query, (await put(new Uint8Array(bytes), query)).body]).toMatchObject([query, { created: 1, updated: 1, unchanged: 0, faulty: 0, errors: [] }]);
        if (query === '?dry_run=true') expect((await list()).total).toBe(1);
      }
      // Columns that the file does not have stay.
      expect((await list()).items).toMatchObject([
        { main_code: 'P1', name: 'Piñata; grande', unit_price: '12.50', applies_ice: true, ice_code: '3610', default_discount: '0.00' },
        { main_code: 'TE', name: 'Té verde', unit_price: '3', iva_rate_code: '0', aux_code: 'X', default_discount: '0.5' },
      ]);
      expect((await put<Refused>(new Uint8Array(Buffer.from(csv, 'latin1')))).body.error).toMatchObject({ code: 'MALFORMED_REQUEST', detail: { reason: 'invalid_charset', charset: 'utf-8', expected: ['utf-8', 'windows-1252'] } });
      const typed = async (query: string): Promise<[number, unknown]> => {
        const headers = { 'content-type': 'text/csv; charset=windows-1252' };
        const answer = await call<Refused>(stack.apiUrl, 'POST', `/products/import${query}`, { apiKey: business.apiKey, body: new Uint8Array(Buffer.from(csv, 'latin1')), headers });
        return [answer.status, (answer.body as Partial<Refused>).error?.detail];
      };
      expect((await typed(''))[0]).toBe(200);
      expect(await typed('?charset=utf-8')).toMatchObject([400, { reason: 'invalid_charset', charset: 'utf-8', content_type: 'windows-1252' }]);
    });

    it('comes in by a form too', async () => {
      const form = new FormData();
      form.append('file', new Blob(['main_code,name,unit_price,iva_rate_code\nA,Café,1,4\n'], { type: 'text/csv' }), 'products.csv');
      const response = await fetch(`${stack.apiUrl}/products/import`, { method: 'POST', headers: { 'x-api-key': business.apiKey }, body: form });
      expect([response.status, await response.json()]).toMatchObject([200, { created: 1 }]);
    });

    it('is told of a form that cannot be read what is wrong with its parts', async () => {
      const send = async (...parts: (readonly [name: string, size: number])[]): Promise<unknown[]> => {
        const form = new FormData();
        for (const [name, size] of parts) form.append(name, new Blob([new Uint8Array(size)], { type: 'text/csv' }), 'products.csv');
        const response = await fetch(`${stack.apiUrl}/products/import`, { method: 'POST', headers: { 'x-api-key': business.apiKey, 'accept-language': 'en' }, body: form });
        const { error } = (await response.json()) as { error: { code: string; message: string; detail: unknown } };
        return [response.status, error.code, error.message, error.detail];
      };
      const unreadable = (message: string) => [400, 'MALFORMED_REQUEST', `${message} Send those that detail names.`];
      expect(await send(['archivo', 9])).toEqual([...unreadable('The form holds a part that is not expected.'), { reason: 'unexpected_part', part: 'archivo', expected: 'file' }]);
      expect(await send(['file', 9], ['file', 9])).toEqual([...unreadable('The form holds too many parts.'), { reason: 'too_many_parts', expected: 'file' }]);
      const csv = 'main_code,name,unit_price,iva_rate_code\r\nA,Café,1,4\r\n';
      const part = (headers: string): string => `--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${csv}\r\n`;
      const named = part('name="file"; filename="products.csv"');
      for (const form of [part('name="file"'), part('name="file"\r\nContent-Type: application/octet-stream'), named + part('name="dry_run"'), '']) {
        const headers = { 'x-api-key': business.apiKey, 'content-type': 'multipart/form-data; boundary=b' };
        const response = await fetch(`${stack.apiUrl}/products/import`, { method: 'POST', headers, body: `${form}--b--\r\n` });
        expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'MALFORMED_REQUEST', detail: { reason: 'part_without_filename', expected: 'file' } } }]);
      }
      expect(await send(['file', 5_242_881])).toEqual([413, 'PAYLOAD_TOO_LARGE', 'The body exceeds the allowed size. Send less content.', { max_bytes: 5_242_880 }]);
    });

    const FAULTY = 'main_code,name,unit_price,iva_rate_code\nA,"Café ""1""",1.00,4\n\nB,,x,4\n"C","two\nlines",1,4\nD,Té,1,99\nE,Pan,1,4\nE,Pan,1,4\n';

    it('tells every fault with its line and field, and then takes nothing', async () => {
      const { status, body } = await put<Refused>(FAULTY);
      expect([status, body.error.code]).toEqual([400, 'INVALID_PAYLOAD']);
      expect(body.detail.map(({ loc, type }) => [...loc, type].join(' '))).toEqual([
        'body 4 name missing', 'body 4 unit_price decimal_parsing', 'body 5 name string_line_break', 'body 7 iva_rate_code code_unknown', 'body 9 main_code csv_repeated',
      ]);
      expect((await list()).total).toBe(0);
      const dry = await put(FAULTY, '?dry_run=true');
      expect([dry.status, dry.body]).toMatchObject([200, { dry_run: true, created: 2, faulty: 4 }]);
      expect(dry.body.errors[1]).toEqual({ line: 4, field: 'unit_price', type: 'decimal_parsing', message: 'Debe ser un número decimal simple, como 12.30', input: 'x' });
      expect((await list()).total).toBe(0);
    });

    it('takes the sound rows where that is asked for', async () => {
      expect((await put(FAULTY, '?skip_faulty=true')).body).toMatchObject({ created: 2, faulty: 4, errors: { length: 5 } });
      expect((await codes()).sort()).toEqual(['A', 'E']);
    });

    it('of thousands of products comes in at once and goes out piece by piece, none twice and none left out', async () => {
      const lines = Array.from({ length: 5_000 }, (_, i) => `P-${String(i).padStart(4, '0')},Producto número ${i} ${'x'.repeat(200)},${i}.25,4`);
      const csv = `main_code,name,unit_price,iva_rate_code\r\n${lines.join('\r\n')}`;
      expect((await put(csv)).body).toMatchObject({ created: 5_000, updated: 0, unchanged: 0 });
      expect((await put(csv.replace(',7.25,', ',7.26,'))).body).toMatchObject({ created: 0, updated: 1, unchanged: 4_999 });
      const response = await fetch(`${stack.apiUrl}/products/export.csv`, { headers: { 'x-api-key': business.apiKey } });
      expect([response.headers.get('content-length'), response.headers.get('transfer-encoding')]).toEqual([null, 'chunked']);
      const rows = parse<Record<string, string>>(await response.text(), { bom: true, columns: true });
      expect(rows.map(({ main_code }) => main_code)).toEqual(lines.map((line) => line.slice(0, 6)));
      expect(rows[7]).toMatchObject({ unit_price: '7.26', name: expect.stringMatching(/^Producto número 7 x{200}$/) });
      // More slow readers than there are connections, and then they hang up: nobody waits for them.
      const hangUp = new AbortController();
      await Promise.all(Array.from({ length: 20 }, async () => {
        const begun = await fetch(`${stack.apiUrl}/products/export.csv`, { headers: { 'x-api-key': business.apiKey }, signal: hangUp.signal });
        await begun.body!.getReader().read();
      }));
      expect((await list()).total).toBe(5_000);
      hangUp.abort();
      expect((await list()).total).toBe(5_000);
    });

    const NEW = 'main_code,name,unit_price,iva_rate_code\nA,Uno,1,4\nB,Dos,2,4\nC,Tres,3,4\n';

    it('changes what somebody else has added meanwhile, and adds the rest', async () => {
      const { id } = await added({ main_code: 'X' });
      await inTransaction(stack.database, async (client) => {
        // Of those that are new to the file, one is as it says.
        await client.query(
          `insert into products (tenant_id, id, main_code, name, unit_price, iva_rate_code, search_text, created_at, updated_at)
           select tenant_id, gen_random_uuid(), p.code, p.name, 2, '4', '', now(), now() from products cross join (values ('A', 'Otro'), ('B', 'Dos')) p (code, name) where id = $1`,
          [id],
        );
        const answer = put(NEW);
        await lockAwaited(stack.database);
        await client.query('commit');
        expect([(await answer).status, (await answer).body]).toMatchObject([200, { created: 1, updated: 1, unchanged: 1, faulty: 0 }]);
      });
      const names = (await list()).items.map(({ main_code, name }) => [main_code, name].join(' '));
      expect(names.sort()).toEqual(['A Uno', 'B Dos', 'C Tres', 'X Café']);
    });

    it('waits for another import no longer than a statement may, and says what to do', async () => {
      await put(NEW);
      await inTransaction(stack.database, async (client) => {
        await client.query('select from products where tenant_id = $1 for update', [business.tenantId]);
        const refused = await put<Refused>(NEW.replace('Uno', 'One'));
        expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { reason: 'BEING_CHANGED', allowed_actions: ['repeat'] } }]);
      });
      expect((await put(NEW)).body).toMatchObject({ updated: 0, unchanged: 3 });
    });

    it('waits for nobody when it only tells what would happen', async () => {
      await put(NEW);
      await inTransaction(stack.database, async (client) => {
        await client.query('select from products where tenant_id = $1 for update', [business.tenantId]);
        expect((await put(NEW.replace('Uno', 'One'), '?dry_run=true')).body).toMatchObject({ created: 0, updated: 1, unchanged: 2 });
        // No more does a file that is refused anyway.
        expect((await put(`${NEW},,,\nD,,1,4\n`)).status).toBe(400);
      });
    });

    it('is not waited for by whoever changes one of its products: a connection held so long would be missing to others', async () => {
      await put(NEW);
      const { items } = (await business.call<{ items: { id: string; main_code: string }[] }>('GET', '/products?q=Uno')).body;
      const product = `/products/${items[0]!.id}`;
      await inTransaction(stack.database, async (client) => {
        await client.query('select from products where tenant_id = $1 for update', [business.tenantId]);
        for (const answer of [await business.call('PATCH', product, { name: 'Otro' }), await business.call('DELETE', product)]) {
          expect([answer.status, answer.body['error']]).toMatchObject([409, { code: 'INVALID_STATE', detail: { reason: 'BEING_CHANGED', allowed_actions: ['repeat'] } }]);
        }
      });
      // Nobody holds the product here, and the log is waited for.
      await inTransaction(stack.database, async (client) => {
        await client.query('lock table audit_log in share mode');
        const changed = business.call('PATCH', product, { name: 'Otro' });
        await lockAwaited(stack.database);
        await client.query(`select pg_sleep(0.5)`);
        await client.query('commit');
        expect((await changed).status).toBe(200);
      });
    });

    it('is under way at most twice for one tenant; one more is refused by a limit of its own', async () => {
      await put(NEW);
      const other = await Business.open(stack, { certificate: null });
      await inTransaction(stack.database, async (client) => {
        await client.query('select from products where tenant_id = $1 for update', [business.tenantId]);
        const two = [put(NEW), put(NEW)];
        await lockAwaited(stack.database, 2);
        const refused = await put<Refused>(NEW, '?dry_run=true');
        expect(refused.status).toBe(429);
        expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', detail: { limit: 2, limits: 'imports', retry_after_seconds: 10 } });
        expect(['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => refused.headers.get(name))).toEqual(['10', '2', '0']);
        const elsewhere = await fetch(`${stack.apiUrl}/products/import`, { method: 'POST', headers: { 'x-api-key': other.apiKey, 'content-type': 'text/csv' }, body: NEW });
        expect(elsewhere.status).toBe(200);
        await client.query('commit');
        expect((await Promise.all(two)).map(({ status }) => status)).toEqual([200, 200]);
      });
      expect((await put(NEW)).status).toBe(200);
    });

    it('leaves one line in the audit log, and none when nothing is written', async () => {
      const lines = async (): Promise<unknown[]> =>
        stack.database.query(`select actor_id, target_id, detail from audit_log where tenant_id = $1 and action = 'products.imported' order by at`, [business.tenantId]);
      await put(NEW, '?dry_run=true');
      await put(`${NEW},,,\n`);
      expect((await put(`${NEW}D,,x,4\n`)).status).toBe(400);
      expect(await lines()).toHaveLength(1);
      await put(NEW.replace('Uno', 'One').replace('C,', 'D,'));
      const line = { actor_id: business.apiKeyId, target_id: null };
      expect(await lines()).toEqual([{ ...line, detail: { created: 3, changed: 0, unchanged: 0 } }, { ...line, detail: { created: 1, changed: 1, unchanged: 1 } }]);
    });

    it('of nothing but empty rows is refused soon, and lets other calls in between', async () => {
      const refused = put<Refused>(`main_code,name,unit_price,iva_rate_code\n${',\n'.repeat(2_500_000)}`);
      let [done, answered] = [false, 0];
      void refused.finally(() => (done = true));
      while (!done) {
        await fetch(`${stack.apiUrl}/health/live`);
        answered += 1;
      }
      expect(await refused).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE', detail: { max_rows: 20_000 } } } });
      expect(answered).toBeGreaterThan(10);
    });

    it('may end in thousands of empty rows, as spreadsheets leave them', async () => {
      expect((await put(`${NEW}${',,,\r\n'.repeat(10_000)}`)).body).toMatchObject({ created: 3, faulty: 0 });
    });

    it('tells of a header with thousands of columns what an answer holds', async () => {
      const refused = await put<Refused>(`${Array.from({ length: 8_000 }, (_, i) => `c${i}`).join(',')},main_code\n`);
      expect(refused.status).toBe(422);
      expect(refused.body.detail).toHaveLength(501);
    });

    it('of the most rows lets other calls in between, and is taken whole or not at all', async () => {
      const csv = `main_code,name,unit_price,iva_rate_code,additional_fields\n${Array.from({ length: 20_000 }, (_, i) => `P${i},Producto ${i},1,4,"{""shelf"":""B"",""n"":[${i},1,2,3]}"`).join('\n')}`;
      expect(await (put(`${csv}\nP-last,x,1,99,{}`.replace('\nP7,Producto 7,1,4,"{""shelf"":""B"",""n"":[7,1,2,3]}"', '')).then(({ status }) => status))).toBe(422);
      expect((await list()).total).toBe(0);
      expect((await put(csv)).body).toMatchObject({ created: 20_000, updated: 0, unchanged: 0 });
      const again = put(csv);
      let [done, answered] = [false, 0];
      void again.finally(() => (done = true));
      while (!done) {
        await fetch(`${stack.apiUrl}/health/live`);
        answered += 1;
      }
      expect((await again).body).toMatchObject({ created: 0, updated: 0, unchanged: 20_000 });
      // Between its eighty parts; on a busy machine not between any two. An import that lets none in has one or two.
      expect(answered).toBeGreaterThan(20);
    });

    it('that two bring in at once ends as one of them says', async () => {
      const csv = (name: string): string => `main_code,name,unit_price,iva_rate_code\n${Array.from({ length: 300 }, (_, i) => `P${i},${name},1,4`).join('\n')}`;
      await put(csv('zero'));
      const answers = await Promise.all(['one', 'two'].map((name) => put(csv(name))));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const names = await stack.database.query<{ name: string }>('select distinct name from products where tenant_id = $1', [business.tenantId]);
      expect(names).toHaveLength(1);
    });
  });
});
