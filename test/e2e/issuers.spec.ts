import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { Business } from '../support/business.js';
import { certificate, PLAIN_ISSUER, rsaPair } from '../support/pki.js';
import { type RunningStack, sharedStack } from '../support/stack.js';
import { check, container, inDays, PASSWORD, upload, verdict } from '../support/uploads.js';

const ISSUER = { ruc: '1710034065001', razon_social: 'Pérez', direccion_matriz: 'Quito', obligado_contabilidad: false };

type Refused = { error: { code: string; detail: unknown; message: string } };

describe('issuers and what hangs on them', () => {
  let stack: RunningStack;
  let mine: Business;
  let other: Business;

  beforeAll(async () => {
    stack = await sharedStack();
    mine = await Business.open(stack, { certificate: null });
    other = await Business.open(stack, { certificate: null });
  });
  afterAll(() => stack.stop());

  describe('an issuer', () => {
    it('is created, read, changed and listed', async () => {
      const created = await mine.call('POST', '/issuers', { ...ISSUER, nombre_comercial: ' Ñandú\u0020' });
      expect(created.status).toBe(201);
      const record = {
        ...ISSUER, tenant_id: mine.tenantId, nombre_comercial: 'Ñandú', contribuyente_especial: null, agente_retencion: null, gran_contribuyente: null,
        regimen_rimpe: 'none', default_payment_method: '01', is_active: true, disabled_at: null, warnings: [],
      };
      expect(created.body).toMatchObject(record);
      const path = `/issuers/${created.body['id'] as string}`;
      expect((await mine.call('GET', path)).body).toEqual(created.body);
      const changed = await mine.call('PATCH', path, { nombre_comercial: null, regimen_rimpe: 'entrepreneur', is_active: false });
      expect([changed.status, changed.body]).toMatchObject([200, { ...record, nombre_comercial: null, regimen_rimpe: 'entrepreneur', is_active: false }]);
      const unchanged = await mine.call('PATCH', path, {});
      expect([unchanged.status, unchanged.body]).toEqual([200, changed.body]);
      const inactive = await mine.call('GET', '/issuers?is_active=false');
      expect(inactive.body).toEqual({ items: [changed.body], total: 1, page: 1, page_size: 20 });
      const second = await mine.call('GET', '/issuers?page=2&page_size=1');
      expect(second.body).toMatchObject({ items: [{ id: mine.issuerId }], total: 2, page: 2, page_size: 1 });
    });

    it('exists once per tenant and RUC, and may exist in two tenants until one proves it', async () => {
      expect(verdict(await mine.call('POST', '/issuers', { ...ISSUER, ruc: mine.ruc }))).toEqual([409, 'ALREADY_EXISTS']);
      expect((await other.call('POST', '/issuers', { ...ISSUER, ruc: mine.ruc })).status).toBe(201);
    });

    it.each([
      ['12 digits', '179001234500', 'format'],
      ['letters', '17900123450AB', 'format'],
      ['province 99', '9990012345001', 'province'],
      ['third digit 7', '1770012345001', 'third_digit'],
      ['suffix 000', '1790012345000', 'suffix'],
      ['suffix 002', '1790012345002', 'suffix'],
      ['a wrong cedula', '1710034064001', 'check_digit'],
    ])('with %s is no taxpayer', async (_name, ruc, problem) => {
      const answer = await mine.call<Refused>('POST', '/issuers', { ...ISSUER, ruc });
      expect([answer.status, answer.body.error.code, answer.body.error.detail]).toEqual([400, 'INVALID_RUC', { field: 'ruc', problem }]);
    });

    it('that is none, beside other faults, is one of the findings', async () => {
      const answer = await mine.call<Refused & { detail: unknown }>('POST', '/issuers', { ...ISSUER, ruc: '123', razon_social: '' });
      const findings = [{ loc: ['body', 'razon_social'], type: 'string_too_short' }, { loc: ['body', 'ruc'], type: 'identification_ruc', input: '123', ctx: { problem: 'format' } }];
      expect([answer.status, answer.body.error.code, answer.body.detail]).toMatchObject([422, 'VALIDATION_FAILED', findings]);
      const lacking = await mine.call<Refused & { detail: unknown }>('POST', '/issuers', { ...ISSUER, ruc: '123', razon_social: undefined });
      expect([lacking.status, lacking.body.error.code, lacking.body.detail]).toMatchObject([400, 'INVALID_PAYLOAD', [{ type: 'missing' }, { type: 'identification_ruc' }]]);
    });

    it('of a company with a failing check digit is taken with a warning', async () => {
      const answer = await mine.call('POST', '/issuers', { ...ISSUER, ruc: '1790012346001' });
      expect([answer.status, answer.body['warnings']]).toEqual([201, ['ruc.check_digit']]);
    });

    it.each(['id', 'tenant_id', 'ruc', 'created_at', 'disabled_at', 'warnings'])('never lets a caller set %s by change', async (field) => {
      const answer = await mine.call<{ detail: { loc: string[]; type: string }[] }>('PATCH', `/issuers/${mine.issuerId}`, { [field]: 'x' });
      expect([answer.status, answer.body.detail]).toMatchObject([422, [{ loc: ['body', field], type: 'extra_forbidden' }]]);
    });

    it.each([[{ razon_social: null }], [{ is_active: 'yes' }], [{ regimen_rimpe: 'RIMPE' }], [{ agente_retencion: '01' }], [{ default_payment_method: '1' }]])(
      'refuses the change %j',
      async (change) => {
        expect(verdict(await mine.call('PATCH', `/issuers/${mine.issuerId}`, change))).toEqual([422, 'VALIDATION_FAILED']);
      },
    );

    it('misses what is required', async () => {
      const answer = await mine.call<Refused & { detail: { loc: string[]; type: string }[] }>('POST', '/issuers', { ruc: '1' });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_PAYLOAD']);
      expect(answer.body.detail.map(({ loc, type }) => [loc.at(-1), type])).toEqual([
        ['razon_social', 'missing'], ['direccion_matriz', 'missing'], ['obligado_contabilidad', 'missing'], ['ruc', 'identification_ruc'],
      ]);
    });
  });

  describe('establishments and emission points', () => {
    it('are created, read and listed', async () => {
      const created = await mine.call('POST', `/issuers/${mine.issuerId}/establishments`, { code: '002', name: null, address: 'Cuenca' });
      expect([created.status, created.body]).toMatchObject([201, { tenant_id: mine.tenantId, issuer_id: mine.issuerId, code: '002', name: null, address: 'Cuenca', is_active: true }]);
      const path = `/issuers/${mine.issuerId}/establishments/${created.body['id'] as string}`;
      expect((await mine.call('GET', path)).body).toEqual(created.body);
      expect((await mine.call('GET', `/issuers/${mine.issuerId}/establishments?page_size=1`)).body).toEqual({ items: [created.body], total: 2, page: 1, page_size: 1 });

      const point = await mine.call('POST', `${path}/emission-points`, { code: '010' });
      expect([point.status, point.body]).toMatchObject([201, { tenant_id: mine.tenantId, establishment_id: created.body['id'], code: '010', initial_sequential: 1, is_active: true }]);
      expect((await mine.call('GET', `${path}/emission-points/${point.body['id'] as string}`)).body).toEqual(point.body);
      expect((await mine.call('GET', `${path}/emission-points?is_active=true&page=1&page_size=100`)).body).toEqual({ items: [point.body], total: 1, page: 1, page_size: 100 });
      expect((await mine.call('GET', `${path}/emission-points?is_active=false`)).body).toEqual({ items: [], total: 0, page: 1, page_size: 20 });
    });

    it('have codes of their own', async () => {
      const path = `/issuers/${mine.issuerId}/establishments`;
      expect(verdict(await mine.call('POST', path, { code: '001', address: 'x' }))).toEqual([409, 'ALREADY_EXISTS']);
      expect(verdict(await mine.call('POST', `${path}/${mine.establishmentId}/emission-points`, { code: '001' }))).toEqual([409, 'ALREADY_EXISTS']);
      for (const code of ['000', '1', '0001', 'abc', 1, '٠٠١', '001\n', null]) {
        expect(verdict(await mine.call('POST', path, { code, address: 'x' }))).toEqual([422, 'VALIDATION_FAILED']);
      }
    });

    it.each([0, -5, 1_000_000_000, 1.5, '1', null])('take no initial number %p', async (initial_sequential) => {
      const path = `/issuers/${mine.issuerId}/establishments/${mine.establishmentId}/emission-points`;
      expect(verdict(await mine.call('POST', path, { code: '099', initial_sequential }))).toEqual([422, 'VALIDATION_FAILED']);
    });

    it.each(['is_active=yes', 'is_active=', 'is_active=1', 'is_active=true&is_active=false', 'page=0', 'page=1.5', 'page=1e9', 'page=NaN', 'page=', 'page=1&page=2', 'page[]=1', 'page[a]=1', 'page_size=0', 'page_size=101', 'limit=5'])(
      'refuse the query %s',
      async (query) => {
        const answer = await mine.call<{ detail: { loc: string[] }[] }>('GET', `/issuers/${mine.issuerId}/establishments?${query}`);
        expect([answer.status, answer.body.detail[0]?.loc[0]]).toEqual([422, 'query']);
      },
    );
  });

  describe('another tenant', () => {
    it('sees nothing: its answer is that of an id that nobody has, at every position of every route', async () => {
      const uploaded = await upload(other, container(other.ruc));
      const certificateId = uploaded.body['id'] as string;
      const [i, e, p] = [other.issuerId, other.establishmentId, other.emissionPointId];
      const none = randomUUID();
      const establishment = { code: '050', address: 'x' };
      const pairs: [method: string, theirs: string, nobodys: string, body?: unknown][] = [
        ['GET', `/issuers/${i}`, `/issuers/${none}`],
        ['PATCH', `/issuers/${i}`, `/issuers/${none}`, { razon_social: 'x' }],
        ['PATCH', `/issuers/${i}`, `/issuers/${none}`, {}],
        ['GET', `/issuers/${i}/establishments`, `/issuers/${none}/establishments`],
        ['POST', `/issuers/${i}/establishments`, `/issuers/${none}/establishments`, establishment],
        ['GET', `/issuers/${i}/establishments/${e}`, `/issuers/${none}/establishments/${none}`],
        ['GET', `/issuers/${mine.issuerId}/establishments/${e}`, `/issuers/${mine.issuerId}/establishments/${none}`],
        ['GET', `/issuers/${i}/establishments/${e}/emission-points`, `/issuers/${none}/establishments/${none}/emission-points`],
        ['GET', `/issuers/${mine.issuerId}/establishments/${e}/emission-points`, `/issuers/${mine.issuerId}/establishments/${none}/emission-points`],
        ['POST', `/issuers/${mine.issuerId}/establishments/${e}/emission-points`, `/issuers/${mine.issuerId}/establishments/${none}/emission-points`, { code: '050' }],
        ['GET', `/issuers/${mine.issuerId}/establishments/${mine.establishmentId}/emission-points/${p}`, `/issuers/${mine.issuerId}/establishments/${mine.establishmentId}/emission-points/${none}`],
        ['GET', `/issuers/${i}/certificates`, `/issuers/${none}/certificates`],
        ['POST', `/issuers/${i}/certificates`, `/issuers/${none}/certificates`, { file_base64: 'AAAA', password: 'x' }],
        ['POST', `/issuers/${i}/certificates/check`, `/issuers/${none}/certificates/check`, { file_base64: 'AAAA', password: 'x' }],
        ['GET', `/issuers/${mine.issuerId}/certificates/${certificateId}`, `/issuers/${mine.issuerId}/certificates/${none}`],
        ['POST', `/issuers/${mine.issuerId}/certificates/${certificateId}/activate`, `/issuers/${mine.issuerId}/certificates/${none}/activate`],
        ['POST', `/issuers/${i}/certificates/${certificateId}/activate`, `/issuers/${none}/certificates/${none}/activate`],
        ['DELETE', `/issuers/${i}/certificates/${certificateId}`, `/issuers/${none}/certificates/${none}`],
      ];
      for (const [method, theirs, nobodys, body] of pairs) {
        const [a, b] = [await mine.call<Refused>(method, theirs, body), await mine.call<Refused>(method, nobodys, body)];
        expect([method, theirs, a.status]).toEqual([method, theirs, 404]);
        expect({ ...a.body.error, request_id: '' }).toEqual({ ...b.body.error, request_id: '' });
      }
      expect((await other.call('GET', `/issuers/${i}/certificates/${certificateId}`)).body).toMatchObject({ is_active: true, status: 'active' });
      expect((await other.call('GET', `/issuers/${i}/establishments`)).body['total']).toBe(1);
    });

    it('and an issuer of one’s own with an establishment of another one’s own is 404 too', async () => {
      const second = await mine.call('POST', '/issuers', { ...ISSUER, ruc: '1790012347001' });
      expect(second.status).toBe(201);
      expect(verdict(await mine.call('GET', `/issuers/${second.body['id'] as string}/establishments/${mine.establishmentId}`))).toEqual([404, 'NOT_FOUND']);
    });

    it.each(['abc', '00000000-0000-0000-0000-000000000000', `{${randomUUID()}}`, 'undefined', 'null', '1', "'%20or%201=1"])('an id that is none, %s, is 422', async (id) => {
      for (const path of [`/issuers/${id}`, `/issuers/${mine.issuerId}/establishments/${id}`, `/issuers/${mine.issuerId}/certificates/${id}`]) {
        const answer = await mine.call<{ detail: { loc: string[]; type: string }[] }>('GET', path);
        expect([answer.status, answer.body.detail]).toMatchObject([422, [{ type: 'uuid_parsing' }]]);
      }
    });

    it('an upper-case id is the same id', async () => {
      expect((await mine.call('GET', `/issuers/${mine.issuerId.toUpperCase()}`)).body['id']).toBe(mine.issuerId);
    });
  });

  describe('a certificate', () => {
    const CARD = ['id', 'tenant_id', 'issuer_id', 'subject', 'issuer_name', 'serial_number', 'ruc', 'valid_from', 'valid_to', 'status', 'is_active', 'fingerprint_sha256', 'checks', 'created_at'];

    it('is taken in, listed, replaced, activated again and revoked', async () => {
      const business = await Business.open(stack, { certificate: null });
      const path = `/issuers/${business.issuerId}/certificates`;
      const first = await upload(business, container(business.ruc));
      expect(first.status).toBe(201);
      expect(Object.keys(first.body).sort()).toEqual([...CARD].sort());
      expect(first.body).toMatchObject({ issuer_id: business.issuerId, ruc: business.ruc, status: 'active', is_active: true, serial_number: '251603841751' });

      const second = await upload(business, container(business.ruc, { key: rsaPair('b'), der: { key: rsaPair('b'), validTo: inDays(20) } }));
      expect(second.body).toMatchObject({ status: 'expiring', is_active: true });
      const listed = await business.call('GET', path);
      expect(listed.body).toEqual({ items: [second.body, { ...first.body, is_active: false }], total: 2 });

      const again = await business.call('POST', `${path}/${first.body['id'] as string}/activate`);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect((await business.call('GET', `${path}/${second.body['id'] as string}`)).body).toEqual({ ...second.body, is_active: false });

      for (let again = 0; again < 3; again += 1) expect((await business.call('DELETE', `${path}/${first.body['id'] as string}`)).status).toBe(204);
      const told = await stack.database.query(`select from audit_log where tenant_id = $1 and action = 'certificate.revoked'`, [business.tenantId]);
      expect(told).toHaveLength(1);
      expect((await business.call('GET', `${path}/${first.body['id'] as string}`)).body).toMatchObject({ status: 'revoked', is_active: false });
      const refused = await business.call<Refused>('POST', `${path}/${first.body['id'] as string}/activate`);
      expect([refused.status, refused.body.error.code, refused.body.error.detail]).toEqual([409, 'INVALID_STATE', { reason: 'revoked', status: 'revoked', allowed_actions: ['upload_another'] }]);
      expect(verdict(await upload(business, container(business.ruc)))).toEqual([409, 'INVALID_STATE', 'revoked']);
      const rows = await stack.database.query<{ bytes: number }>('select length(sealed_key) as bytes from certificates where id = $1', [first.body['id']]);
      expect(rows).toEqual([{ bytes: 0 }]);
    });

    it('is stored by an upload as other tests store one without', async () => {
      const [stored, uploaded] = [await Business.open(stack), await Business.open(stack, { certificate: null })];
      await uploaded.uploadCertificate();
      const rowOf = async ({ tenantId, ruc }: Business): Promise<object> => {
        const [row] = await stack.database.query<Record<string, unknown>>(
          `select to_jsonb(c) - array['id', 'tenant_id', 'issuer_id', 'subject', 'serial_number', 'fingerprint_sha256', 'certificate_der', 'sealed_key', 'valid_from', 'valid_to', 'created_at']::text[]
             || jsonb_build_object('ruc', c.ruc = $2, 'subject', regexp_replace(c.subject, '[0-9]+', 'RUC'), 'has_key', length(c.sealed_key) > 1000, 'days', round(extract(epoch from c.valid_to - c.valid_from) / 86400),
               'claimed', exists (select from verified_rucs v where v.ruc = $2 and v.tenant_id = c.tenant_id and v.issuer_id = c.issuer_id and v.environment = 'TEST' and not v.is_open)) as stored
           from certificates c where c.tenant_id = $1`, [tenantId, ruc]);
        // What was found by looking at the file.
        return { ...(row!['stored'] as object), checks: null };
      };
      expect(await rowOf(stored)).toEqual(await rowOf(uploaded));
      expect(await rowOf(stored)).toMatchObject({ ruc: true, is_active: true, has_key: true, claimed: true });
    });

    it('is the one of the issuer in a file that holds another taxpayer\'s as well', async () => {
      const business = await Business.open(stack, { certificate: null });
      const [own, other] = [rsaPair('a'), rsaPair('b')];
      const both = container(business.ruc, { container: {
        keys: [{ key: own }, { key: other }],
        certificates: [{ der: certificate({ key: own, ruc: business.ruc, serial: 1n, validTo: inDays(300) }) }, { der: certificate({ key: other, ruc: '1790012345001', serial: 2n, validTo: inDays(600) }) }],
      } });
      expect((await check(business, both)).body).toMatchObject({ outcome: 'warning', serial_number: '1', ruc: business.ruc });
      const taken = await upload(business, both);
      expect([taken.status, taken.body]).toMatchObject([201, { serial_number: '1', ruc: business.ruc }]);
    });

    it('is checked before it is taken in, and nothing of it is kept', async () => {
      const business = await Business.open(stack, { certificate: null });
      const file = container(business.ruc, { der: { validTo: inDays(12) } });
      const report = await check(business, file);
      expect([report.status, report.body]).toMatchObject([200, {
        outcome: 'warning', ruc: business.ruc, subject: 'CN=PERSONA FICTICIA, C=EC', issuer_name: 'CN=CA FICTICIA,O=AUTORIDAD FICTICIA S.A.,C=EC', serial_number: '251603841751',
        valid_from: expect.any(String), valid_to: expect.any(String),
      }]);
      expect(report.body.checks.map(({ check: name, outcome }) => `${name} ${outcome}`)).toEqual([
        'container ok', 'signing_certificate ok', 'ruc ok', 'key_usage ok', 'validity warning', 'key_size ok', 'chain warning', 'issuing_body warning', 'test_signature ok',
      ]);
      expect((await business.call('GET', `/issuers/${business.issuerId}/certificates`)).body['total']).toBe(0);

      const [a, b] = [rsaPair('a'), rsaPair('b')];
      const bad = container('1790012345001', { container: {
        keys: [{ key: a }, { key: b }],
        certificates: [{ der: certificate({ key: a, keyUsage: ['keyEncipherment'] }) }, { der: certificate({ key: b, serial: 7n, validFrom: inDays(-20), validTo: inDays(-1) }) }],
      } });
      const told = await check(business, bad, PASSWORD, { 'accept-language': 'en' });
      expect([told.status, told.body]).toMatchObject([200, { outcome: 'failed', serial_number: '7', ruc: '1790012345001' }]);
      expect(told.body.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([
        { check: 'ruc', outcome: 'failed', message: `The certificate is not of the RUC ${business.ruc}; it carries: 1790012345001`, detail: { reason: 'ruc_mismatch', issuer_ruc: business.ruc, certificate_rucs: ['1790012345001'] } },
        { check: 'validity', outcome: 'failed', message: `The certificate expired on ${guayaquilDay(inDays(-1))}`, detail: { reason: 'expired', valid_to: expect.any(String) } },
      ]);
      const wrong = await check(business, file, 'another');
      expect([wrong.status, wrong.body]).toEqual([200, {
        outcome: 'failed', subject: null, issuer_name: null, serial_number: null, ruc: null, valid_from: null, valid_to: null,
        checks: [{ check: 'container', outcome: 'failed', message: 'La contraseña no abre el archivo', detail: { reason: 'wrong_password' } }],
      }]);
    });

    it('keeps what was found when it was taken in, and tells it in the language of whoever asks', async () => {
      const business = await Business.open(stack, { certificate: null });
      const path = `/issuers/${business.issuerId}/certificates`;
      const file = container(business.ruc);
      const [report, uploaded] = [await check(business, file), await upload(business, file)];
      expect(uploaded.body['checks']).toEqual(report.body.checks);
      const one = `${path}/${uploaded.body['id'] as string}`;
      const messageOf = async (headers: Record<string, string>): Promise<unknown> => {
        const { body } = await business.call<{ checks: { check: string; message: string }[] }>('GET', one, undefined, headers);
        return body.checks.find(({ check: name }) => name === 'issuing_body')?.message;
      };
      expect(await messageOf({})).toBe('No se reconoce a quien emite como entidad acreditada en Ecuador');
      expect(await messageOf({ 'accept-language': 'en' })).toBe('The issuer is not recognized as a body accredited in Ecuador');

      // As rows of before there were checks.
      await stack.database.query(`update certificates set checks = '[]' where id = $1`, [uploaded.body['id']]);
      expect((await business.call('GET', path)).body).toMatchObject({ items: [{ checks: [] }], total: 1 });
      expect((await upload(business, file)).body['checks']).toEqual(report.body.checks);
    });

    it('whose chain holds a forged signature is refused', async () => {
      const business = await Business.open(stack, { certificate: null });
      const authority = certificate({ key: rsaPair('authority'), subject: PLAIN_ISSUER, ca: true, keyUsage: ['keyCertSign'], ruc: null });
      const forged = certificate({ ruc: business.ruc, issuerKey: rsaPair('b') });
      expect(verdict(await upload(business, container(business.ruc, { container: { certificates: [{ der: forged }, { der: authority }] } })))).toEqual([400, 'INVALID_CERTIFICATE', 'chain_broken']);
    });
  });

  it('leaves no password and no key in log, database or answer', async () => {
    const logs = readdirSync(stack.logFolder).map((file) => readFileSync(join(stack.logFolder, file), 'utf8')).join('\n');
    expect(logs).toContain('certificate activated');
    for (const secret of [PASSWORD, mine.apiKey, other.apiKey, 'file_base64']) expect(logs).not.toContain(secret);
    const pkcs8 = rsaPair().privateKey.export({ format: 'der', type: 'pkcs8' });
    const rows = await stack.database.query<{ sealed_key: Buffer }>('select sealed_key from certificates');
    expect(rows.length).toBeGreaterThan(3);
    for (const { sealed_key } of rows) expect(sealed_key.includes(pkcs8.subarray(100, 132))).toBe(false);
    const keys = await stack.database.query<{ text: string }>('select k::text as text from api_keys k');
    expect(keys.some(({ text }) => text.includes(mine.apiKey))).toBe(false);
  });
});
