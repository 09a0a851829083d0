import { execFileSync } from 'node:child_process';
import { sriUrls } from '../../src/local/parts.js';
import { beginNewLife } from '../../src/platform/database/backup/new-life.js';
import { Business } from '../support/business.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import type { Answer } from '../support/http.js';
import { signedIn } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';
import { container, inDays, PASSWORD, upload, verdict } from '../support/uploads.js';

const HAS_DOCUMENTS = { error: { code: 'INVALID_STATE', detail: { reason: 'has_documents', allowed_actions: ['deactivate'] } } };
const BEING_CHANGED = { error: { code: 'INVALID_STATE', detail: { reason: 'BEING_CHANGED', allowed_actions: ['repeat'] } } };

describe('issuers, establishments and emission points', () => {
  let stack: Stack;
  let business: Business;
  beforeAll(async () => {
    stack = await startStack();
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const issuer = ({ issuerId }: Business): string => `/issuers/${issuerId}`;
  const establishment = (one: Business): string => `${issuer(one)}/establishments/${one.establishmentId}`;
  const point = (one: Business): string => `${establishment(one)}/emission-points/${one.emissionPointId}`;

  it('take changes of all but their code', async () => {
    const changed = await business.call('PATCH', establishment(business), { name: 'Matriz', address: 'Calle 1' });
    expect([changed.status, changed.body]).toMatchObject([200, { code: '001', name: 'Matriz', address: 'Calle 1', is_active: true }]);
    expect((await business.call('PATCH', establishment(business), { name: null })).body).toMatchObject({ name: null, address: 'Calle 1' });
    expect((await business.call('PATCH', establishment(business), {})).body).toMatchObject({ name: null, address: 'Calle 1' });
    for (const [path, body] of [[establishment(business), { code: '002' }], [point(business), { code: '002' }], [point(business), { initial_sequential: 5 }]] as const) {
      expect((await business.call('PATCH', path, body)).body).toMatchObject({ error: { code: 'VALIDATION_FAILED', detail: [{ type: 'extra_forbidden' }] } });
    }
    for (const body of [{ address: null }, { is_active: 'yes' }, { is_active: null }, { address: '' }]) expect((await business.call('PATCH', establishment(business), body)).status).toBe(422);
  });

  it('issue nothing while one of them is inactive', async () => {
    for (const [path, refusal] of [
      [issuer(business), { code: 'ISSUER_DISABLED' }],
      [establishment(business), { code: 'FISCAL_RULE_VIOLATED', detail: [{ pointer: '/establishment_id', rule: 'place.inactive' }] }],
      [point(business), { code: 'FISCAL_RULE_VIOLATED', detail: [{ pointer: '/emission_point_id', rule: 'place.inactive' }] }],
    ] as const) {
      expect((await business.call('PATCH', path, { is_active: false })).body).toMatchObject({ is_active: false });
      expect((await business.issue()).body).toMatchObject({ error: refusal });
      expect((await business.call('PATCH', path, { is_active: true })).status).toBe(200);
    }
    expect(await business.lastNumber()).toBe(0);
    expect((await business.issue()).status).toBe(202);
  });

  it('stay while they hold documents, drafts too', async () => {
    const drafting = await Business.open(stack);
    expect((await drafting.call('POST', '/documents/drafts', drafting.invoice())).status).toBe(201);
    for (const one of [business, drafting]) {
      for (const path of [point(one), establishment(one), issuer(one)]) {
        const refused = await one.call('DELETE', path);
        expect([refused.status, refused.body]).toMatchObject([409, HAS_DOCUMENTS]);
        expect((await one.call('GET', path)).status).toBe(200);
      }
    }
  });

  it.each([['a point', point], ['an establishment', establishment], ['an issuer', issuer]] as const)('refuse the deletion of %s in use without waiting for what is being issued', async (_what, path) => {
    await inTransaction(stack.database, async (issuing) => {
      await issuing.query('update sequence_counters set last_value = last_value where tenant_id = $1', [business.tenantId]);
      const refused = await business.call('DELETE', path(business));
      expect([refused.status, refused.body]).toMatchObject([409, HAS_DOCUMENTS]);
    });
  });

  it.each([['a point', point], ['an establishment', establishment], ['an issuer', issuer]] as const)('lock nothing that issuing still needs while the deletion of %s waits for a counter', async (_what, path) => {
    const leaving = await Business.open(stack, { certificate: null });
    await stack.database.query(`insert into sequence_counters values ($1, $2, '01', 'TEST', 0)`, [leaving.tenantId, leaving.emissionPointId]);
    await inTransaction(stack.database, async (issuing) => {
      await issuing.query('update sequence_counters set last_value = last_value where tenant_id = $1', [leaving.tenantId]);
      const deletion = { isAnswered: false };
      const deleted = leaving.call('DELETE', path(leaving)).finally(() => (deletion.isAnswered = true));
      await issuing.query('savepoint before');
      // It gives the counter up after a moment: so the foreign keys of the document are asked for all the while, each time anew.
      while (!deletion.isAnswered) {
        for (const table of ['emission_points', 'establishments', 'issuers']) await issuing.query(`select from ${table} where tenant_id = $1 for key share nowait`, [leaving.tenantId]);
        await issuing.query('rollback to before');
      }
      const refused = await deleted;
      expect([refused.status, refused.body]).toMatchObject([409, BEING_CHANGED]);
      await issuing.query('commit');
    });
    expect((await leaving.call('DELETE', path(leaving))).status).toBe(204);
  });

  it.each([['an establishment', 'establishments', establishment], ['an issuer', 'issuers', issuer]] as const)('give way, while %s is deleted, to the document that referred to it before its emission point', async (_what, table, path) => {
    const leaving = await Business.open(stack, { certificate: null });
    await inTransaction(stack.database, async (issuing) => {
      await issuing.query(`select from ${table} where tenant_id = $1 for key share`, [leaving.tenantId]);
      const refused = await leaving.call('DELETE', path(leaving));
      expect([refused.status, refused.body]).toMatchObject([409, BEING_CHANGED]);
      await issuing.query('select from emission_points where tenant_id = $1 for key share nowait', [leaving.tenantId]);
      await issuing.query('commit');
    });
    expect((await leaving.call('DELETE', path(leaving))).status).toBe(204);
  });

  it('lock no point whose number waits to be raised: a deletion may hold the counter', async () => {
    const raised = await Business.open(stack, { certificate: null });
    await stack.database.query(`insert into sequence_counters values ($1, $2, '01', 'TEST', 0)`, [raised.tenantId, raised.emissionPointId]);
    await inTransaction(stack.database, async (deleting) => {
      await deleting.query('select from sequence_counters where tenant_id = $1 for update', [raised.tenantId]);
      const answer = raised.call('POST', `/emission-points/${raised.emissionPointId}/sequences/01/raise`, { next_number: 10, reason: 'x' });
      await lockAwaited(stack.database, 1, 'sequence_counters');
      await deleting.query('select from emission_points where tenant_id = $1 for update nowait', [raised.tenantId]);
      await deleting.query('commit');
      expect((await answer).status).toBe(200);
    });
  });

  it.each([
    ['an establishment', ['emission_points', 'establishments', 'issuers'], (one: Business) => `${issuer(one)}/establishments`, { code: '002', address: 'Quito' }],
    ['an emission point', ['emission_points', 'establishments'], (one: Business) => `${establishment(one)}/emission-points`, { code: '002', initial_sequential: 1 }],
    ['a raised number', ['emission_points'], (one: Business) => `/emission-points/${one.emissionPointId}/sequences/01/raise`, { next_number: 10, reason: 'x' }],
  ] as const)('take %s not while they are being deleted', async (_what, tables, path, body) => {
    const leaving = await Business.open(stack, { certificate: null });
    await inTransaction(stack.database, async (deleting) => {
      for (const table of tables) await deleting.query(`delete from ${table} where tenant_id = $1`, [leaving.tenantId]);
      const answer = leaving.call('POST', path(leaving), body);
      await lockAwaited(stack.database);
      await deleting.query('commit');
      expect([(await answer).status, (await answer).body]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
    });
  });

  it('go when they hold none, with all that belongs to them, and leave the RUC to whoever proves it', async () => {
    const leaving = await Business.open(stack);
    const draft = await leaving.call('POST', '/documents/drafts', { ...leaving.invoice(), idempotency_key: 'k' });
    expect((await leaving.call('DELETE', `/documents/${draft.body['id'] as string}`)).status).toBe(204);
    expect((await leaving.call('DELETE', point(leaving))).status).toBe(204);
    expect((await leaving.call('DELETE', point(leaving))).status).toBe(404);
    expect((await leaving.call('DELETE', issuer(leaving))).status).toBe(204);
    for (const path of [issuer(leaving), establishment(leaving)]) expect((await leaving.call('GET', path)).status).toBe(404);
    const other = await Business.open(stack, { ruc: leaving.ruc });
    expect((await other.issue()).status).toBe(202);
  });

  it.each([
    [
      'a restore',
      async (one: Business) => {
        const life = { lineage: 'aabbccdd', documentTypes: ['01'], skip: 1000, reason: 'restored', now: new Date(), whileServed: true, isFilled: true, webhooksHeld: null };
        expect((await beginNewLife(stack.ownerUrl, life)).raised.filter(({ emission_point_id }) => emission_point_id === one.emissionPointId)).toMatchObject([{ from_number: 1, to_number: 1000 }]);
      },
    ],
    [
      'a raise by hand',
      async (one: Business) => {
        expect((await one.call('POST', `/emission-points/${one.emissionPointId}/sequences/01/raise`, { next_number: 9, reason: 'Otro sistema' })).status).toBe(200);
      },
    ],
  ] as const)('stay once %s left numbers out that the SRI may hold: founded again, a point would give them out', async (_what, leaveOut) => {
    const one = await Business.open(stack, { certificate: null });
    await leaveOut(one);
    for (const path of [point(one), establishment(one), issuer(one)]) {
      const refused = await one.call('DELETE', path);
      expect([refused.status, refused.body]).toMatchObject([409, { error: { code: 'INVALID_STATE', detail: { reason: 'numbers_left_out', allowed_actions: ['deactivate'] } } }]);
    }
    expect((await one.call('PATCH', point(one), { is_active: false })).status).toBe(200);
  });

  it('tell that a certificate comes to its end once per threshold, whoever looks and however often', async () => {
    const one = await Business.open(stack);
    const notices = (): Promise<{ type: string; threshold: number }[]> =>
      stack.database.query('select e.type, n.threshold from certificate_notices n join events e on e.tenant_id = n.tenant_id and e.id = n.event_id where n.tenant_id = $1 order by threshold desc', [one.tenantId]);
    const look = async (days: number): Promise<void> => {
      await stack.database.query('update certificates set valid_to = now() + make_interval(hours => 24 * $2) where tenant_id = $1', [one.tenantId, days]);
      await Promise.all(Array.from({ length: 4 }, () => stack.database.query('select notice_certificates(clock_timestamp())')));
    };
    await look(31);
    expect(await notices()).toEqual([]);
    for (const days of [30, 29, 16, 12, 12]) await look(days);
    expect(await notices()).toEqual([{ type: 'certificate.expiring', threshold: 30 }, { type: 'certificate.expiring', threshold: 15 }]);
    // Nobody looked for a while: what has passed is not told any more.
    await look(1);
    await look(0);
    expect((await notices()).map(({ type, threshold }) => `${type} ${threshold}`)).toEqual(['certificate.expiring 30', 'certificate.expiring 15', 'certificate.expiring 1', 'certificate.expired 0']);
    const [told] = await stack.database.query<{ count: string }>(`select count(*) from events where tenant_id = $1 and type like 'certificate.%'`, [one.tenantId]);
    expect(told).toEqual({ count: '4' });
  });

  it('tell nothing of a certificate that was replaced or revoked, or of an inactive issuer', async () => {
    const [replaced, revoked, inactive] = [await Business.open(stack), await Business.open(stack), await Business.open(stack)];
    const all = [replaced, revoked, inactive].map(({ tenantId }) => tenantId);
    await stack.database.query(`update certificates set valid_to = now() + interval '1 hour' where tenant_id = any($1)`, [all]);
    await replaced.uploadCertificate();
    const [gone] = await stack.database.query<{ id: string }>('select id from certificates where tenant_id = $1', [revoked.tenantId]);
    await revoked.call('DELETE', `${issuer(revoked)}/certificates/${gone?.id ?? ''}`);
    await inactive.call('PATCH', issuer(inactive), { is_active: false });
    await stack.database.query('select notice_certificates(now())');
    expect(await stack.database.query('select 1 from certificate_notices where tenant_id = any($1)', [all])).toEqual([]);
  });

  it('take certificates however many were revoked: those that signed stay, of the others the newest', async () => {
    const one = await Business.open(stack);
    const certificates = `${issuer(one)}/certificates`;
    const listed = async (): Promise<{ items: { id: string; status: string }[]; total: number }> => (await one.call<{ items: { id: string; status: string }[]; total: number }>('GET', certificates)).body;
    const { items: [signer] } = await listed();
    const { document_id } = await one.accepted();
    expect(await one.settled(document_id)).toMatchObject({ status: 'AUTHORIZED' });
    expect((await one.call('DELETE', `${certificates}/${signer?.id ?? ''}`)).status).toBe(204);
    // Newer ones: that of row 1 is the oldest of them.
    await stack.database.query(
      `insert into certificates select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'fingerprint_sha256', lpad(to_hex(n), 64, '0'),
         'subject', 'CN=' || n, 'created_at', now() + make_interval(secs => n)))).*
       from certificates c cross join generate_series(1, 230) n where c.issuer_id = $1`, [one.issuerId]);
    const full = await listed();
    expect([full.items.length, full.total, full.items.some(({ id }) => id === signer?.id)]).toEqual([200, 231, false]);

    expect((await one.uploadCertificate()).status).toBe(201);
    const { items, total } = await listed();
    expect([items.length, total, items.at(-1)?.id]).toEqual([102, 102, signer?.id]);
    expect(items).toContainEqual(expect.objectContaining({ subject: 'CN=131', status: 'revoked' }));
    expect(items).not.toContainEqual(expect.objectContaining({ subject: 'CN=130' }));
    expect((await one.call('GET', `/documents/${document_id}/xml?kind=signed`)).status).toBe(200);
    expect((await one.issue()).status).toBe(202);
  });

  it('sign again after their certificate was uploaded anew, where its stored key was damaged', async () => {
    const one = await Business.open(stack, { certificate: null });
    const file = container(one.ruc);
    const first = await upload(one, file);
    await stack.database.query(`update certificates set sealed_key = set_byte(sealed_key, length(sealed_key) - 1, (get_byte(sealed_key, length(sealed_key) - 1) + 1) % 256) where id = $1`, [first.body['id']]);
    const failed = await one.accepted();
    expect(await one.settled(failed.document_id)).toMatchObject({ status: 'FAILED_PERMANENT' });
    const again = await upload(one, file);
    expect([again.status, again.body['id']]).toEqual([201, first.body['id']]);
    expect((await one.call('POST', `/documents/${failed.document_id}/retry`)).status).toBe(202);
    expect(await one.settled(failed.document_id)).toMatchObject({ status: 'AUTHORIZED', sequential: 1 });
  });

  describe('the RUC of an issuer', () => {
    /** Another tenant with the holder's RUC; `leave`: it deletes its issuer and makes it anew. */
    const twinOf = async (holder: Business): Promise<{ claim: () => Promise<Answer>; issuerId: string; leave: () => Promise<void> }> => {
      const other = await Business.open(stack, { certificate: null });
      const make = async (): Promise<string> =>
        (await other.call<{ id: string }>('POST', '/issuers', { ruc: holder.ruc, razon_social: 'Pérez', direccion_matriz: 'Quito', obligado_contabilidad: false })).body.id;
      const file_base64 = container(holder.ruc).toString('base64');
      let issuerId = await make();
      return {
        issuerId,
        claim: () => other.call('POST', `/issuers/${issuerId}/certificates`, { file_base64, password: PASSWORD }),
        leave: async () => {
          expect((await other.call('DELETE', `/issuers/${issuerId}`)).status).toBe(204);
          issuerId = await make();
        },
      };
    };
    const authorized = async (one: Business): Promise<void> => {
      const { document_id } = await one.accepted();
      expect((await one.settled(document_id)).status).toBe('AUTHORIZED');
    };
    const audited = async (...issuers: string[]): Promise<string[]> =>
      (await stack.database.query<{ action: string }>(`select action from audit_log where target_id = any ($1) and action like 'ruc.%' order by at`, [issuers])).map(({ action }) => action);

    const aDayLater = (ruc: string): Promise<unknown> => stack.database.query(`update verified_rucs set verified_at = verified_at - interval '1 day' where ruc = $1`, [ruc]);
    const activate = async (one: Business, certificateId: unknown): Promise<number> => (await one.call('POST', `${issuer(one)}/certificates/${String(certificateId)}/activate`)).status;

    it('passes to whoever uploads or activates a certificate a day later, until the SRI has authorized a document: one at a time signs', async () => {
      const first = await Business.open(stack, { certificate: null });
      const { body: { id } } = await upload(first, container(first.ruc));
      const { claim, issuerId } = await twinOf(first);
      expect(verdict(await claim())).toEqual([409, 'ALREADY_EXISTS', 'verified_by_another_issuer']);
      await aDayLater(first.ruc);
      expect((await claim()).status).toBe(201);
      expect(await audited(first.issuerId)).toEqual(['ruc.claim_passed']);
      expect((await first.issue()).body).toMatchObject({ error: { code: 'CERTIFICATE_NOT_FOUND' } });
      expect(await activate(first, id)).toBe(409);
      await aDayLater(first.ruc);
      expect(await activate(first, id)).toBe(200);
      expect(await audited(issuerId)).toEqual(['ruc.claim_passed']);
      await authorized(first);
      await aDayLater(first.ruc);
      expect(verdict(await claim())).toEqual([409, 'ALREADY_EXISTS', 'verified_by_another_issuer']);
    });

    it('stays where it is when a certificate that would claim it is refused', async () => {
      const first = await Business.open(stack, { certificate: null });
      await upload(first, container(first.ruc));
      const { claim, issuerId } = await twinOf(first);
      await aDayLater(first.ruc);
      await stack.database.query(
        `insert into certificates select (jsonb_populate_record(c, jsonb_build_object('tenant_id', i.tenant_id, 'issuer_id', i.id, 'id', gen_random_uuid(),
           'fingerprint_sha256', lpad(to_hex(n), 64, '0'), 'is_active', false))).*
         from certificates c cross join generate_series(1, 100) n join issuers i on i.id = $2 where c.issuer_id = $1`, [first.issuerId, issuerId]);
      expect((await claim()).status).toBe(422);
      expect(await audited(first.issuerId)).toEqual([]);
      await authorized(first);
    });

    it('is not kept for another day by who deletes his issuer and makes it anew', async () => {
      const owner = await Business.open(stack, { certificate: null });
      const { claim, leave } = await twinOf(owner);
      expect((await claim()).status).toBe(201);
      await aDayLater(owner.ruc);
      await leave();
      expect((await claim()).status).toBe(201);
      expect((await upload(owner, container(owner.ruc))).status).toBe(201);
      expect((await claim()).status).toBe(409);
    });

    it('comes back at once to who had proven it, though his certificate ended, and stays', async () => {
      const holder = await Business.open(stack, { certificate: null });
      const { body: { id } } = await upload(holder, container(holder.ruc));
      await authorized(holder);
      const { claim, issuerId } = await twinOf(holder);
      await stack.database.query(`update certificates set valid_from = valid_from - interval '2 years', valid_to = now() - interval '1 minute' where id = $1`, [id]);
      expect((await claim()).status).toBe(201);
      expect((await upload(holder, container(holder.ruc, { der: { validTo: inDays(350) } }))).status).toBe(201);
      expect(await audited(issuerId)).toEqual(['ruc.claim_passed']);
      await aDayLater(holder.ruc);
      expect((await claim()).status).toBe(409);
      await authorized(holder);
    });

    it('passes on when its holder has no certificate any more', async () => {
      const holder = await Business.open(stack, { certificate: null });
      const { body } = await upload(holder, container(holder.ruc));
      await authorized(holder);
      const { claim } = await twinOf(holder);
      expect((await claim()).status).toBe(409);
      expect((await holder.call('DELETE', `${issuer(holder)}/certificates/${body['id'] as string}`)).status).toBe(204);
      expect((await claim()).status).toBe(201);
    });

    it('is kept by an operator for the tenant whose it is, however many others are quicker', async () => {
      const owner = await Business.open(stack, { certificate: null });
      const squatter = await twinOf(owner);
      expect((await squatter.claim()).status).toBe(201);
      const provision = (...options: string[]): unknown => JSON.parse(execFileSync(process.execPath, ['dist/src/provision.js', ...options], { env: {
        PATH: process.env['PATH'], DATABASE_URL: stack.databaseUrl, DATABASE_OWNER_URL: stack.ownerUrl, REDIS_URL: stack.redisUrl, ...sriUrls(stack.simulatorUrl),
      }, encoding: 'utf8', stdio: 'pipe' }));
      expect(() => provision('--take-ruc-claim', owner.ruc, '--for', 'nobody')).toThrow('--for: the id of a tenant');
      expect(() => provision('--take-ruc-claim', owner.ruc, '--for', owner.issuerId)).toThrow(`--for: there is no tenant ${owner.issuerId}`);
      expect(() => provision('--lift-ruc-bars', owner.ruc, '--for', owner.tenantId)).toThrow('--for: only together with --take-ruc-claim');
      expect(provision('--take-ruc-claim', owner.ruc, '--for', owner.tenantId)).toEqual({ ruc: owner.ruc, environment: 'TEST', reserved_for: owner.tenantId });
      const another = await twinOf(owner);
      expect(verdict(await another.claim())).toEqual([409, 'ALREADY_EXISTS', 'verified_by_another_issuer']);
      expect((await upload(owner, container(owner.ruc))).status).toBe(201);
      // A day without a document: what is kept does not pass on.
      await stack.database.query(`update verified_rucs set verified_at = now() - interval '2 days' where ruc = $1`, [owner.ruc]);
      expect((await another.claim()).status).toBe(409);
      expect(provision('--lift-ruc-bars', owner.ruc)).toEqual({ ruc: owner.ruc, environment: 'TEST', tenants_barred_until_now: 1 });
      expect((await another.claim()).status).toBe(201);
    });

    describe('that the platform has disabled', () => {
      const set = async ({ tenantId, issuerId }: Business, act: 'disable' | 'enable'): Promise<void> => {
        const admin = await signedIn(stack, { platformAdmin: true });
        expect((await admin.call('POST', `/platform/tenants/${tenantId}/issuers/${issuerId}/${act}`)).status).toBe(200);
      };

      it('is not let go of by deleting the issuer', async () => {
        const holder = await Business.open(stack, { certificate: null });
        await set(holder, 'disable');
        expect(verdict(await holder.call('DELETE', issuer(holder)))).toEqual([403, 'ISSUER_DISABLED']);
        await set(holder, 'enable');
        expect((await holder.call('DELETE', issuer(holder))).status).toBe(204);
      });

      it.each([
        ['its certificate is revoked', (one: Business, id: string): Promise<unknown> => one.call('DELETE', `${issuer(one)}/certificates/${id}`)],
        ['its certificate ends', (_one: Business, id: string): Promise<unknown> => stack.database.query(`update certificates set valid_from = valid_from - interval '2 years', valid_to = now() - interval '1 minute' where id = $1`, [id])],
        ['it has proven nothing for a day', (one: Business): Promise<unknown> => aDayLater(one.ruc)],
      ] as const)('passes to nobody though %s, until the issuer is enabled', async (_what, happens) => {
        const holder = await Business.open(stack, { certificate: null });
        const { body } = await upload(holder, container(holder.ruc));
        const { claim } = await twinOf(holder);
        await set(holder, 'disable');
        await happens(holder, body['id'] as string);
        expect(verdict(await claim())).toEqual([409, 'ALREADY_EXISTS', 'verified_by_another_issuer']);
        // What was issued before is still to be signed.
        expect((await upload(holder, container(holder.ruc, { der: { validTo: inDays(350) } }))).status).toBe(201);
        expect(verdict(await holder.issue())).toEqual([403, 'ISSUER_DISABLED']);
        await set(holder, 'enable');
        await aDayLater(holder.ruc);
        expect((await claim()).status).toBe(201);
      });

      it('passes on once an operator has taken it from the issuer', async () => {
        const holder = await Business.open(stack, { certificate: null });
        await upload(holder, container(holder.ruc));
        const { claim } = await twinOf(holder);
        await set(holder, 'disable');
        await stack.database.query(`select take_ruc_claim($1, 'TEST', now())`, [holder.ruc]);
        expect((await claim()).status).toBe(201);
      });

      it('is not claimed by the issuer, for nobody could have it back', async () => {
        const without = await Business.open(stack, { certificate: null });
        await set(without, 'disable');
        expect(verdict(await upload(without, container(without.ruc)))).toEqual([403, 'ISSUER_DISABLED']);
        const { claim } = await twinOf(without);
        expect((await claim()).status).toBe(201);
        await aDayLater(without.ruc);
        expect(verdict(await upload(without, container(without.ruc)))).toEqual([403, 'ISSUER_DISABLED']);
        await set(without, 'enable');
        expect((await upload(without, container(without.ruc))).status).toBe(201);
      });
    });

    it('is taken from its holder by an operator, who does not get it back', async () => {
      const holder = await Business.open(stack, { certificate: null });
      const file = container(holder.ruc);
      await upload(holder, file);
      await authorized(holder);
      const { claim } = await twinOf(holder);
      const provision = (option: string): string => execFileSync(process.execPath, ['dist/src/provision.js', option, holder.ruc], { env: {
        PATH: process.env['PATH'], DATABASE_URL: stack.databaseUrl, DATABASE_OWNER_URL: stack.ownerUrl, REDIS_URL: stack.redisUrl, ...sriUrls(stack.simulatorUrl),
      }, encoding: 'utf8', stdio: 'pipe' });
      const take = (): string => provision('--take-ruc-claim');
      expect((await claim()).status).toBe(409);
      expect(JSON.parse(take())).toEqual({ ruc: holder.ruc, environment: 'TEST', is_claimed: false });
      expect(take).toThrow(`${holder.ruc}: no issuer has claimed this RUC in TEST`);
      expect(verdict(await upload(holder, file))).toEqual([409, 'ALREADY_EXISTS', 'verified_by_another_issuer']);
      expect((await claim()).status).toBe(201);
      expect(verdict(await upload(holder, file))).toEqual([409, 'ALREADY_EXISTS', 'verified_by_another_issuer']);
      expect((await holder.issue()).body).toMatchObject({ error: { code: 'CERTIFICATE_NOT_FOUND' } });
      expect(await audited(holder.issuerId)).toEqual(['ruc.claim_taken']);
      // Another issuer of the same tenant, in place of the one from whom it was taken, does not get it either.
      take();
      const squatter = await twinOf(holder);
      expect((await squatter.claim()).status).toBe(201);
      take();
      await squatter.leave();
      expect((await squatter.claim()).status).toBe(409);
      const lift = (): unknown => JSON.parse(provision('--lift-ruc-bars'));
      expect(lift()).toEqual({ ruc: holder.ruc, environment: 'TEST', tenants_barred_until_now: 3 });
      expect((await upload(holder, file)).status).toBe(201);
    });
  });
});
