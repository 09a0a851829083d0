import { StepGates } from '../../../platform/outbox/step-gates.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { EnvelopeError } from '../../../platform/secrets/key-wrapper.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import type { Decision, DocumentState, SagaPolicy } from '../domain/document.js';
import type { LoadedDocument, Records } from '../persistence/documents.repository.js';
import type { DocumentExample } from '../../../sri/document-types/document-type.js';
import { documentType } from '../../../sri/document-types/registry.js';
import { HostCannotSignError, UnsignableError } from '../../../sri/signing/xades.js';
import { AuthorizeStep } from './authorize.step.js';
import { PrepareStep } from './prepare.step.js';
import { SriBreaker } from './sri-breaker.js';
import { SriCalls } from './sri-calls.js';
import type { FreshSignature, SagaStep } from './step.js';
import { SubmitStep } from './submit.step.js';
import { Transmission } from './transmission.js';
import { WatchStep } from './watch.step.js';

const START = Date.parse('2026-11-21T15:00:00Z');
const DAY = 86_400_000;
const POLICY: SagaPolicy = {
  receptionLadderMs: [2_000, 5_000, 3_600_000], authorizationLadderMs: [3_000], unansweredWaitMs: 60_000, answerDeadlineMs: DAY,
  maxReceptionAttempts: 3, recheckEveryMs: DAY, recheckForMs: 30 * DAY, cancellationLadderMs: [60_000],
};
const STATE: DocumentState = {
  id: 'd', tenantId: 't', status: 'RECEPTION_PENDING', version: 1, accessKey: '1'.repeat(49), signingNo: 1, contentRevision: 1, signings: [], isResigning: false, isDateFixed: false, annulledAt: null, suspicion: null,
  receptionAttempts: 0, authorizationAttempts: 0, firstSentAt: null, receivedAt: null, deadlineAt: null, dueAt: null, changedAt: new Date(START), errorCode: null, sriMessages: [], cancellation: null,
};
const SETTINGS = { LEASE_SECONDS: 60, SRI_TIMEOUT_SECONDS: 30, SHUTDOWN_SECONDS: 25, WORKER_CONCURRENCY: 24, SRI_LONGEST_BREAK_SECONDS: 60, SRI_RAMP_SECONDS: 60 };

function invoiceExample(): DocumentExample {
  const [example] = documentType('01')!.examples;
  return example!;
}

describe('the steps that call the SRI', () => {
  let elapsed: number;
  let loaded: LoadedDocument;
  let decisions: Decision[];
  let records: Records[];
  let databaseAway: boolean;
  const clock = { now: () => new Date(START + elapsed) };
  let breaker: SriBreaker;
  beforeEach(() => {
    elapsed = 0;
    decisions = [];
    records = [];
    databaseAway = false;
    breaker = new SriBreaker(clock, SETTINGS);
    loaded = {
      state: STATE, acceptedAt: new Date(START), issuerId: 'i', sequential: 1, content: { numericCode: '12345678' } as never, issuer: {} as never,
      signed: { xml: Buffer.from('<factura/>'), certificateValidTo: new Date(START + DAY), wasSent: false }, activeCertificate: null,
    };
  });

  /** The table of one document. */
  const documents = {
    advance: (state: DocumentState, decision: Decision, _token: string, _now: Date, written: Records) => {
      if (databaseAway) return Promise.reject(new Error('the database is away'));
      decisions.push(decision);
      records.push(written);
      loaded = { ...loaded, state: { ...state, ...(decision.patch as Partial<DocumentState>), version: state.version + 1, changedAt: clock.now() } };
      return Promise.resolve({ version: loaded.state.version, successorWoken: false });
    },
  } as never;
  const killPoints = new KillPoints({ FAULTS: '' } as never, {} as never);
  const ids = { uuid: () => 'id' } as never;
  const calls = (): SriCalls => new SriCalls(breaker, clock, { sleep: () => Promise.reject(new Error('nobody waits here')) }, SETTINGS, new Shutdown(SETTINGS), new StepGates());
  const submitStep = (answer: () => unknown): SagaStep =>
    new SubmitStep(documents, new Transmission(documents, { submit: () => Promise.resolve(answer()) } as never, { nudge: () => undefined } as never, killPoints, clock, ids, POLICY), calls(), clock);
  const takes = (service: 'reception' | 'authorization' | 'consultation'): boolean => {
    const permit = breaker.acquire(service);
    if (permit.kind === 'go') permit.release();
    return permit.kind === 'go';
  };
  const call = (service: 'reception' | 'authorization' | 'consultation', answered: boolean): void => {
    const permit = breaker.acquire(service);
    if (permit.kind === 'go') permit.report(answered);
  };
  const received = (): unknown => ({ kind: 'received', messages: [] });
  const becomes = (more: Partial<DocumentState>): void => {
    loaded = { ...loaded, state: { ...loaded.state, ...more } };
  };

  it('tries that never left the house use nothing up, and come further and further apart up to the longest wait', async () => {
    const waits: number[] = [];
    for (let tries = 0; tries < 8; tries += 1) {
      // Each worker may be a new one, which knows nothing of the tries before.
      breaker = new SriBreaker(clock, SETTINGS);
      const work = await submitStep(() => ({ kind: 'not_delivered', reason: 'refused' })).run({ loaded, token: 'token', clearUntil: null });
      expect(loaded.state).toMatchObject({ receptionAttempts: 0, firstSentAt: null });
      expect(work).toMatchObject({ step: 'submit', unsent: true });
      const wait = (work!.dueAt as Date).getTime() - START - elapsed;
      waits.push(wait);
      elapsed += wait;
      becomes({ status: 'RECEPTION_RETRY_SCHEDULED' });
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('a try that never left the house keeps what earlier transmissions used up', async () => {
    const firstSentAt = new Date(START - 5_000);
    becomes({ status: 'RECEPTION_RETRY_SCHEDULED', receptionAttempts: 1, firstSentAt });
    const work = await submitStep(() => ({ kind: 'not_delivered', reason: 'refused' })).run({ loaded, token: 'token', clearUntil: null });
    expect(loaded.state).toMatchObject({ receptionAttempts: 1, firstSentAt });
    expect(work!.dueAt).toEqual(new Date(START + 5_000));
  });

  it('a transmission without a usable answer counts', async () => {
    await submitStep(() => ({ kind: 'no_evidence', reason: 'timeout', excerpt: '' })).run({ loaded, token: 'token', clearUntil: null });
    expect(loaded.state).toMatchObject({ receptionAttempts: 1, firstSentAt: new Date(START) });
  });

  it.each([[true, true], [undefined, false]])('documents of which the SRI says nothing that can be read keep nobody from sending, where it says something: %p', async (isHeard, takesOn) => {
    for (let i = 0; i < 10; i += 1) {
      becomes({ status: 'RECEPTION_PENDING' });
      await submitStep(() => ({ kind: 'no_evidence', reason: 'no estado, messages 35', excerpt: '', codes: ['35'], isHeard })).run({ loaded, token: 'token', clearUntil: null });
    }
    expect([takes('reception'), decisions[1]?.moves]).toEqual([takesOn, [{ trigger: 'no_evidence', detail: { reason: 'no estado, messages 35' } }]]);
  });

  it('a service that tells nobody anything is left alone, until it tells somebody something again', async () => {
    const send = async (issuerId: string, answer: unknown): Promise<unknown> => {
      becomes({ status: 'RECEPTION_PENDING' });
      loaded = { ...loaded, issuerId };
      return submitStep(() => answer).run({ loaded, token: 'token', clearUntil: null });
    };
    const tellNothing = async (issuers: number, from = 0): Promise<void> => {
      for (let i = 0; i < 12; i += 1) await send(`i${from + (i % issuers)}`, { kind: 'no_evidence', reason: 'no estado', excerpt: '', isHeard: true });
    };
    await tellNothing(4);
    await send('i9', received());
    await tellNothing(4, 4);
    expect(takes('reception')).toBe(true);
    await tellNothing(5);
    expect(takes('reception')).toBe(false);
    elapsed += 60_000;
    await send('i0', received());
    await tellNothing(4);
    expect(takes('reception')).toBe(true);
  });

  it.each([
    ['not sent under a certificate that ended', false, -1, true],
    ['sent under a certificate that ended', true, -1, false],
    ['not sent under one that serves', false, DAY, false],
  ])('bytes %s are signed anew: %s', async (_name, wasSent, ends, again) => {
    // The first sending was that of a former signing.
    becomes({ firstSentAt: new Date(START - DAY) });
    loaded = { ...loaded, signed: { xml: Buffer.from('<factura/>'), certificateValidTo: new Date(START + ends), wasSent } };
    const work = await submitStep(received).run({ loaded, token: 'token', clearUntil: null });
    expect([work?.step, decisions[0]?.moves.map(({ trigger }) => trigger)]).toEqual(again ? ['prepare', ['signature_stale']] : ['authorize', ['sending']]);
  });

  describe('a signature that is not stored yet', () => {
    const signature: FreshSignature = {
      moves: [{ trigger: 'xml_built' }, { trigger: 'signed' }, { trigger: 'queued' }], patch: { signingNo: 1, errorCode: null },
      signing: { signingNo: 1, certificateId: 'c', digest: 'digest', xml: Buffer.from('<factura/>') },
    };
    const submit = (): Promise<unknown> => {
      becomes({ status: 'NUMBER_RESERVED', signingNo: 0 });
      loaded = { ...loaded, signed: null };
      return submitStep(received).run({ loaded, token: 'token', clearUntil: null, signature });
    };

    it('commits with the beginning of the transmission', async () => {
      await submit();
      expect(decisions[0]).toMatchObject({ moves: [...signature.moves, { trigger: 'sending' }], patch: { signingNo: 1, receptionAttempts: 1 } });
      expect(records[0]).toMatchObject({ signing: signature.signing, attempt: { signingNo: 1 } });
    });

    it.each([[0, 'submit'], [2_000, 'authorize']])('accepted %i ms after an outage began that lasted 2,000 ms, with half of the places in use: then %s', async (acceptedMs, next) => {
      for (let i = 0; i < 5; i += 1) call('reception', false);
      elapsed = 2_000;
      call('reception', true);
      const held = Array.from({ length: 3 }, () => breaker.acquire('reception', new Date(START)));
      expect(held.every(({ kind }) => kind === 'go')).toBe(true);
      loaded = { ...loaded, acceptedAt: new Date(START + acceptedMs) };
      expect(await submit()).toMatchObject({ step: next });
    });

    it('is stored all the same while the SRI is not called', async () => {
      for (let i = 0; i < 5; i += 1) call('reception', false);
      expect(await submit()).toMatchObject({ step: 'submit', dueAt: new Date(START + 1_000) });
      expect(decisions).toMatchObject([{ moves: [...signature.moves, { trigger: 'not_delivered', detail: { reason: 'breaker_open' } }], patch: { signingNo: 1 } }]);
      expect(records).toEqual([{ signing: signature.signing }]);
    });
  });

  it.each([[300, true], [1_500, false]])('a signature that took %i ms goes with the transmission: %s', async (signingMs, goesWith) => {
    becomes({ status: 'NUMBER_RESERVED', signingNo: 0 });
    const { content, issuer, numbering } = invoiceExample();
    loaded = {
      ...loaded, signed: null, content, issuer, sequential: numbering.sequential,
      activeCertificate: { id: 'c', validTo: new Date(START + DAY) },
    };
    const slowly = {
      sign: (xml: string) => {
        elapsed += signingMs;
        return Promise.resolve(Buffer.from(xml));
      },
    };
    const prepare = new PrepareStep(documents, { signerFor: () => Promise.resolve(slowly) } as never, killPoints, clock, POLICY);
    const next = await prepare.run({ loaded, token: 'token', clearUntil: new Date(START + 1_000) });
    expect([next?.step, next?.signature?.signing.signingNo, decisions.length]).toEqual(['submit', goesWith ? 1 : undefined, goesWith ? 0 : 1]);
  });

  it.each([
    ['a damaged key', new EnvelopeError('damaged')], ['another key', new UnsignableError('the private key does not belong to the certificate')],
  ])('what was sent before is compared with the SRI also when its correction cannot be signed for %s', async (_name, fault) => {
    becomes({ status: 'NUMBER_RESERVED', firstSentAt: new Date(START - DAY) });
    loaded = { ...loaded, activeCertificate: { id: 'c', validTo: new Date(START + DAY) } };
    const prepare = new PrepareStep(documents, { signerFor: () => Promise.reject(fault) } as never, killPoints, clock, POLICY);
    expect(await prepare.run({ loaded, token: 'token', clearUntil: null })).toBeNull();
    expect(decisions).toMatchObject([{ moves: [{ trigger: 'failed' }], patch: { errorCode: 'SIGNING_FAILED' }, work: { step: 'authorize', recheck: true, dueAt: new Date(START + DAY) } }]);
  });

  it('a document that cannot be signed has failed, and no worker counts as lost by it', async () => {
    becomes({ status: 'NUMBER_RESERVED' });
    const { issuer, content } = invoiceExample();
    loaded = { ...loaded, issuer, content, activeCertificate: { id: 'c', validTo: new Date(START + DAY) } };
    const signer = { sign: () => Promise.reject(new UnsignableError('the root element must have id="comprobante"')) };
    const prepare = new PrepareStep(documents, { signerFor: () => Promise.resolve(signer) } as never, killPoints, clock, POLICY);
    expect(await prepare.run({ loaded, token: 'token', clearUntil: null })).toBeNull();
    expect(decisions).toMatchObject([{ moves: [{ trigger: 'failed' }], patch: { errorCode: 'SIGNING_FAILED' }, work: null }]);
  });

  it('a host that does not sign puts the document off, and no worker counts as lost by it', async () => {
    becomes({ status: 'NUMBER_RESERVED' });
    const { issuer, content } = invoiceExample();
    loaded = { ...loaded, issuer, content, activeCertificate: { id: 'c', validTo: new Date(START + DAY) } };
    const forbidden = { sign: () => Promise.reject(new HostCannotSignError('digital envelope routines::invalid digest')) };
    const prepare = new PrepareStep(documents, { signerFor: () => Promise.resolve(forbidden) } as never, killPoints, clock, POLICY);
    expect(await prepare.run({ loaded, token: 'token', clearUntil: null })).toBeNull();
    expect(decisions).toMatchObject([{ moves: [], patch: { errorCode: 'SIGNING_KEY_UNAVAILABLE' }, work: { step: 'prepare', dueAt: new Date(START + 60_000) } }]);
  });

  describe('a document that had other access keys', () => {
    const KEYS = ['1', '2', '3'].map((digit) => digit.repeat(49));
    let [asked, renewals]: [string[], number] = [[], 0];
    const run = (answers: Record<string, unknown>, isMine = true): Promise<unknown> => {
      [asked, renewals] = [[], 0];
      becomes({ status: 'RECEPTION_UNKNOWN', signings: KEYS.map((accessKey, index) => ({ signingNo: index + 1, digest: `${index}`, signedAt: new Date(START), accessKey, contentRevision: index + 1 })) });
      const query = (accessKey: string): Promise<unknown> => {
        asked.push(accessKey);
        return Promise.resolve(answers[accessKey] ?? { kind: 'entries', entries: [] });
      };
      const take = (): Promise<unknown> => {
        renewals += 1;
        return Promise.resolve(isMine ? {} : null);
      };
      const repository = { ...(documents as object), take } as never;
      return new AuthorizeStep(repository, { query } as never, calls(), killPoints, clock, ids, POLICY, { LEASE_SECONDS: 60 }).run({ loaded, token: 'token', clearUntil: null });
    };

    it('is asked for by each, under a lease that is renewed for each', async () => {
      await run({});
      expect([asked, renewals, decisions[0]?.moves]).toEqual([KEYS, 2, [{ trigger: 'not_found' }]]);
      expect(records[0]?.asked?.outcome).toBe('no entries; former access key: no entries; former access key: no entries');
    });

    it('is not asked for further once the SRI does not answer, and nothing counts as not found', async () => {
      await run({ [KEYS[1]!]: { kind: 'no_evidence', reason: 'timeout', excerpt: '' } });
      expect([asked, decisions[0]?.moves]).toEqual([KEYS.slice(0, 2), []]);
      await run({ [KEYS[0]!]: { kind: 'no_evidence', reason: 'timeout', excerpt: '' } });
      expect(asked).toEqual(KEYS.slice(0, 1));
    });

    it('is asked for further where an answer proves nothing, which is none of a service that is away', async () => {
      for (let i = 0; i < 10; i += 1) {
        await run({ [KEYS[0]!]: { kind: 'no_evidence', reason: 'an entry carries another authorization number', excerpt: '', isHeard: true } });
        expect([asked, decisions.at(-1)?.moves]).toEqual([KEYS, []]);
      }
      expect(takes('authorization')).toBe(true);
    });

    it('is left to whoever took its lease meanwhile', async () => {
      await expect(run({}, false)).rejects.toThrow('lease of document d was lost');
      expect([asked, decisions]).toEqual([KEYS.slice(0, 1), []]);
    });
  });

  it('faults of our own never count against the SRI', async () => {
    databaseAway = true;
    const step = submitStep(received);
    for (let i = 0; i < 10; i += 1) await expect(step.run({ loaded, token: 'token', clearUntil: null })).rejects.toThrow('away');
    expect(takes('reception')).toBe(true);
  });

  it.each(['reception', 'authorization', 'consultation'] as const)('an unexpected fault in the probe of %s leaves the way free for the next', async (service) => {
    const fault = (): never => {
      throw new Error('unexpected');
    };
    const query = { query: () => Promise.resolve().then(fault) } as never;
    const steps: Record<typeof service, SagaStep> = {
      reception: submitStep(fault),
      authorization: new AuthorizeStep(documents, query, calls(), killPoints, clock, ids, POLICY, { LEASE_SECONDS: 60 }),
      consultation: new WatchStep(documents, query, calls(), clock, ids, POLICY),
    };
    for (let i = 0; i < 5; i += 1) call(service, false);
    expect(takes(service)).toBe(false);
    elapsed = 2_000;
    await expect(steps[service].run({ loaded, token: 'token', clearUntil: null })).rejects.toThrow('unexpected');
    expect(takes(service)).toBe(true);
  });
});
