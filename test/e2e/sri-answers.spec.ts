import { setTimeout as sleep } from 'node:timers/promises';
import { addFaults, Business, type SimulatorAccount, simulatorAccount } from '../support/business.js';
import { POPPLER, wordsOf } from '../support/pdf.js';
import { metricsOf, valueOf } from '../support/exposition.js';
import { type Stack, startStack } from '../support/stack.js';

describe('what the SRI may answer', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ env: { SRI_TIMEOUT_SECONDS: '4', LEASE_SECONDS: '10' } });
  });
  afterAll(() => stack.stop());

  type Outcome = { status: string; document: Record<string, unknown>; account: SimulatorAccount; triggers: string[] };

  /** Issues one invoice under the given faults and reports what became of it on both sides. */
  const under = async (...actions: { service?: string; action: Record<string, unknown>; times?: number }[]): Promise<Outcome> => {
    const business = await Business.open(stack);
    await addFaults(stack, ...actions.map(({ service, action, times }) => ({ match: { ruc: business.ruc, ...(service ? { service } : {}) }, times: times ?? 1, action })));
    const { document_id, access_key } = await business.accepted();
    const document = await business.settled(document_id);
    const history = await stack.database.query<{ trigger: string }>('select trigger from document_history where document_id = $1 order by version', [document_id]);
    return { status: document.status, document, account: await simulatorAccount(stack, access_key), triggers: history.map((row) => row.trigger) };
  };

  it.each<[string, Parameters<typeof under>[0]]>([
    ['a time-out before it accepted', { service: 'reception', action: { kind: 'hang', phase: 'before' } }],
    ['a time-out after it accepted', { service: 'reception', action: { kind: 'hang', phase: 'after' } }],
    ['a reset before it accepted', { service: 'reception', action: { kind: 'reset', phase: 'before' } }],
    ['a reset after it accepted', { service: 'reception', action: { kind: 'reset', phase: 'after' } }],
    ['502 with an HTML page', { service: 'reception', action: { kind: 'http', status: 502, body: '<html>Bad gateway</html>' } }],
    ['200 with an HTML page', { service: 'reception', action: { kind: 'http', status: 200, body: '<html>Mantenimiento</html>' } }],
    ['a truncated answer after it accepted', { service: 'reception', action: { kind: 'malformed', body: 'truncated' } }],
    ['a SOAP fault', { service: 'reception', action: { kind: 'malformed', body: 'soap_fault' } }],
  ])('%s: asked first, sent again only if unknown, authorized once', async (_name, fault) => {
    const { status, account, triggers } = await under(fault);
    expect(status).toBe('AUTHORIZED');
    expect({ authorized: account.authorized, digests: account.digests.length, stored: account.stored_digests.length }).toEqual({ authorized: 1, digests: 1, stored: 1 });
    expect(triggers).toContain('no_evidence');
  });

  it('50 twice: the same bytes again, later', async () => {
    const { status, account, triggers } = await under({ service: 'reception', times: 2, action: { kind: 'refuse', code: '50', at: 'reception' } });
    expect([status, account.submissions, account.digests.length]).toEqual(['AUTHORIZED', 3, 1]);
    expect(triggers.filter((trigger) => trigger === 'transient')).toHaveLength(2);
  });

  it.each(['43', '70'])('%s while it holds the document: never sent again', async (code) => {
    const { status, account } = await under({ service: 'reception', action: { kind: 'refuse', code, at: 'reception', stored: true } });
    expect([status, account.submissions, account.authorized]).toEqual(['AUTHORIZED', 1, 1]);
  });

  it('45 although it holds our own document: followed', async () => {
    const { status, account } = await under({ service: 'reception', action: { kind: 'refuse', code: '45', at: 'reception', stored: true } });
    expect([status, account.submissions]).toEqual(['AUTHORIZED', 1]);
  });

  it('45 for a number that another key holds: a person decides, nothing is renumbered', async () => {
    const { status, document, account } = await under({ service: 'reception', action: { kind: 'refuse', code: '45', at: 'reception' } });
    expect([status, (document['error'] as { code: string }).code, account.submissions]).toEqual(['MANUAL_REVIEW_REQUIRED', 'SEQUENTIAL_TAKEN', 1]);
  });

  it('EN PROCESO three times, then a decision', async () => {
    const { status, triggers } = await under({ service: 'authorization', times: 3, action: { kind: 'in_process' } });
    expect(status).toBe('AUTHORIZED');
    expect(triggers.filter((trigger) => trigger === 'undecided')).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ['an empty answer', { kind: 'empty' }],
    ['an unknown state', { kind: 'state', estado: 'QUIZAS' }],
    ['a time-out', { kind: 'hang', phase: 'before' }],
    ['HTML', { kind: 'http', status: 503, body: '<html></html>' }],
  ])('%s to the question: asked again', async (_name, action) => {
    expect((await under({ service: 'authorization', times: 2, action })).status).toBe('AUTHORIZED');
  });

  it.each([['35', 'reception'], ['52', 'authorization'], ['39', 'authorization']])('refused with %s at %s: REJECTED with the SRI’s words, number kept', async (code, at) => {
    const { status, document, account } = await under({ service: 'reception', action: { kind: 'refuse', code, at } });
    expect(status).toBe('REJECTED');
    expect(document['error']).toMatchObject({ code: 'SRI_REJECTED' });
    expect((document['sri_messages'] as unknown[])[0]).toMatchObject({ identifier: code, message_type: 'ERROR' });
    expect(document['sequential']).toBe(1);
    expect(account.authorized).toBe(0);
  });

  it.each(['document', 'key'])('an authorization of another %s is never taken for ours', async (what) => {
    const { status, triggers } = await under({ service: 'authorization', times: 1, action: { kind: 'tampered', what } });
    if (what === 'document') expect(status).toBe('MANUAL_REVIEW_REQUIRED');
    else expect([status, triggers.includes('undecided')]).toEqual(['AUTHORIZED', true]);
  });

  it('unreachable for a while: accepted at once, delivered when it is back', async () => {
    const away = await startStack({ simulator: false, env: { SRI_RECEPTION_URL: 'http://127.0.0.1:1/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:1/a' } });
    try {
      const business = await Business.open(away);
      const answer = await business.issue();
      expect(answer.status).toBe(202);
      while ((await business.document(answer.body.document_id)).status !== 'RECEPTION_RETRY_SCHEDULED') await sleep(100);
      await away.killWorker(0, 'SIGTERM');
      await away.startWorker({
        SRI_RECEPTION_URL: `${stack.simulatorUrl}/comprobantes-electronicos-ws/RecepcionComprobantesOffline`,
        SRI_AUTHORIZATION_URL: `${stack.simulatorUrl}/comprobantes-electronicos-ws/AutorizacionComprobantesOffline`,
      });
      expect((await business.settled(answer.body.document_id)).status).toBe('AUTHORIZED');
    } finally {
      await away.stop();
    }
  });
});

describe('certificates that run out', () => {
  it('parks what cannot be signed and resumes by itself when a certificate is uploaded', async () => {
    const stack = await startStack({ workers: 0 });
    try {
      const business = await Business.open(stack);
      const { document_id } = await business.accepted();
      await stack.database.query(`update certificates set valid_to = now() - interval '1 second' where tenant_id = $1`, [business.tenantId]);
      await stack.startWorker();
      const parked = async (): Promise<Record<string, unknown>> => business.document(document_id);
      while ((await parked())['error'] === null) await sleep(100);
      expect(await parked()).toMatchObject({ status: 'NUMBER_RESERVED', error: { code: 'CERTIFICATE_EXPIRED' }, next_attempt_at: null });
      await business.uploadCertificate();
      expect(await business.settled(document_id)).toMatchObject({ status: 'AUTHORIZED', error: null, sequential: 1 });
    } finally {
      await stack.stop();
    }
  });

  it('waits for a master key that a worker lacks, and goes on where it is known', async () => {
    const stack = await startStack({ workers: 0, env: { METRICS_PORT: '0' } });
    try {
      const business = await Business.open(stack);
      // It begins, for there is no key yet that it lacks.
      await stack.database.query('update certificates set is_active = false');
      const { worker } = await stack.startWorker({ MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
      await stack.database.query('update certificates set is_active = true');
      const { document_id } = await business.accepted();
      let waiting = await business.document(document_id);
      for (const until = Date.now() + 20_000; waiting['error'] === null && Date.now() < until; waiting = await business.document(document_id)) await sleep(100);
      expect(waiting).toMatchObject({ status: 'NUMBER_RESERVED', error: { code: 'SIGNING_KEY_UNAVAILABLE' }, sequential: 1 });
      // Counted once the worker knows that it is written.
      const told = async (): Promise<number | null> => valueOf(await metricsOf(worker), 'sello_own_faults_total', { source: 'document', code: 'SIGNING_KEY_UNAVAILABLE' });
      for (const until = Date.now() + 20_000; (await told()) === null && Date.now() < until; ) await sleep(100);
      expect(await told()).toBeGreaterThanOrEqual(1);
      await stack.killWorker(0, 'SIGTERM');
      await stack.startWorker();
      await stack.database.query('update outbox set due_at = now() where document_id = $1', [document_id]);
      expect(await business.settled(document_id)).toMatchObject({ status: 'AUTHORIZED', error: null, sequential: 1 });
    } finally {
      await stack.stop();
    }
  });

  it('fails for good what no key can open, and says so', async () => {
    const stack = await startStack({ workers: 0 });
    try {
      const business = await Business.open(stack);
      const { document_id } = await business.accepted();
      await stack.database.query(`update certificates set sealed_key = set_byte(sealed_key, length(sealed_key) - 1, get_byte(sealed_key, length(sealed_key) - 1) # 1)`);
      await stack.startWorker();
      const document = await business.settled(document_id);
      expect(document).toMatchObject({ status: 'FAILED_PERMANENT', error: { code: 'SIGNING_FAILED' }, sequential: 1 });
      const ride = await fetch(`${stack.apiUrl}/documents/${document_id}/ride`, { headers: { 'x-api-key': business.apiKey } });
      if (POPPLER) expect(wordsOf(Buffer.from(await ride.arrayBuffer()))).toMatch(/^(?![^]*NO AUTORIZADO)[^]*NO EMITIDO - SIN VALIDEZ/);
    } finally {
      await stack.stop();
    }
  });
});
