import { signedInvoice, startSri, type TestSri } from '../../../test/support/simulator/sri.js';
import { InvalidFaultRule, parseFaultRules } from './fault-rules.js';

const first = signedInvoice();
const second = signedInvoice({ sequential: 2 });

const estado = ({ brain }: TestSri, document = first): string | null | undefined =>
  brain.submit(document.bytes).outcome?.estado;
const states = ({ brain }: TestSri, document = first): string[] | undefined =>
  brain.authorize(document.accessKey).outcome?.entries.map((entry) => entry.estado);

describe('fault rules', () => {
  it('hit once by default, then let everything pass', () => {
    const sri = startSri();
    sri.brain.faults.add({ action: { kind: 'refuse', code: '50', at: 'reception' } });
    expect(estado(sri)).toBe('DEVUELTA');
    expect(estado(sri)).toBe('RECIBIDA');
  });

  it('hit after a number of requests, a number of times', () => {
    const sri = startSri();
    sri.brain.submit(first.bytes);
    sri.brain.faults.add({ skip: 1, times: 2, action: { kind: 'in_process' } });
    expect([states(sri), states(sri), states(sri), states(sri)].flat()).toEqual([
      'AUTORIZADO',
      'EN PROCESO',
      'EN PROCESO',
      'AUTORIZADO',
    ]);
  });

  it('hit named occurrences', () => {
    const sri = startSri();
    sri.brain.submit(first.bytes);
    sri.brain.faults.add({ nth: [1, 3], action: { kind: 'empty' } });
    expect([states(sri), states(sri), states(sri)]).toEqual([[], ['AUTORIZADO'], []]);
  });

  it('count each key apart when asked to', () => {
    const sri = startSri();
    sri.brain.faults.add({ per_key: true, action: { kind: 'refuse', code: '50', at: 'reception' } });
    expect([estado(sri), estado(sri, second), estado(sri), estado(sri, second)]).toEqual([
      'DEVUELTA',
      'DEVUELTA',
      'RECIBIDA',
      'RECIBIDA',
    ]);
  });

  it('hit all until they are cleared', () => {
    const sri = startSri();
    sri.brain.faults.add({ times: null, action: { kind: 'refuse', code: '50', at: 'reception' } });
    expect([estado(sri), estado(sri), estado(sri)]).toEqual(['DEVUELTA', 'DEVUELTA', 'DEVUELTA']);
    sri.brain.faults.clear();
    expect(estado(sri)).toBe('RECIBIDA');
  });

  it('match by key, RUC and service', () => {
    const sri = startSri();
    sri.brain.faults.add({
      rules: [
        { match: { access_key: second.accessKey }, action: { kind: 'refuse', code: '45', at: 'reception' } },
        { match: { ruc: '1790099999001' }, times: null, action: { kind: 'refuse', code: '50', at: 'reception' } },
        { match: { service: 'authorization' }, action: { kind: 'reset', phase: 'before' } },
      ],
    });
    expect([estado(sri), estado(sri, second), estado(sri, second)]).toEqual(['RECIBIDA', 'DEVUELTA', 'RECIBIDA']);
    expect(sri.brain.authorize(first.accessKey)).toMatchObject({ outcome: null, transport: { kind: 'reset' } });
    expect(states(sri)).toEqual(['AUTORIZADO']);
  });

  it('come one after the other, delays on top', () => {
    const sri = startSri();
    sri.brain.faults.add({
      rules: [
        { times: null, action: { kind: 'delay', ms: 40 } },
        { times: null, action: { kind: 'delay', ms: 2 } },
        { action: { kind: 'hang', phase: 'before' } },
        { action: { kind: 'refuse', code: '50', at: 'reception' } },
        { nth: [1], action: { kind: 'delay', ms: 100 } },
      ],
    });
    const answers = [1, 2, 3].map(() => sri.brain.submit(first.bytes));
    expect(answers.map(({ delayMs }) => delayMs)).toEqual([142, 42, 42]);
    expect(answers.map(({ outcome }) => outcome?.estado)).toEqual([undefined, 'DEVUELTA', 'RECIBIDA']);
  });
});

describe('what adds up', () => {
  it('acts behind a rule that decides, and rules that decide later count from the next request', () => {
    const sri = startSri();
    sri.brain.faults.add({
      rules: [
        { action: { kind: 'refuse', code: '39', at: 'authorization' } },
        { nth: [1], action: { kind: 'refuse', code: '50', at: 'reception' } },
        { action: { kind: 'processing', seconds: 60 } },
        { action: { kind: 'warn', code: '59' } },
        { match: { service: 'authorization' }, action: { kind: 'state', estado: 'PPR' } },
        { match: { service: 'authorization' }, action: { kind: 'delay', ms: 3000 } },
      ],
    });
    expect(estado(sri)).toBe('RECIBIDA');
    expect(sri.brain.authorize(first.accessKey)).toMatchObject({ delayMs: 3000, outcome: { entries: [{ estado: 'PPR' }] } });
    expect(sri.brain.authorize(first.accessKey)).toMatchObject({ delayMs: 0, outcome: { entries: [{ estado: 'EN PROCESO' }] } });
    sri.clock.advance(60_000);
    const entry = sri.brain.authorize(first.accessKey).outcome?.entries[0];
    expect([entry?.estado, entry?.messages.map(({ identifier }) => identifier)]).toEqual(['NO AUTORIZADO', ['39', '59', '60']]);
    expect([estado(sri), estado(sri)]).toEqual(['DEVUELTA', 'RECIBIDA']);
  });
});

describe('what a fault leaves behind', () => {
  it('is nothing when it comes before the document is accepted', () => {
    const sri = startSri();
    sri.brain.faults.add({ action: { kind: 'hang', phase: 'before' } });
    expect(sri.brain.submit(first.bytes)).toMatchObject({ outcome: null, transport: { kind: 'hang' } });
    expect(states(sri)).toEqual([]);
  });

  it('is a stored document when it comes after', () => {
    const sri = startSri();
    sri.brain.faults.add({ action: { kind: 'reset', phase: 'after' } });
    expect(sri.brain.submit(first.bytes)).toMatchObject({
      outcome: { estado: 'RECIBIDA' },
      transport: { kind: 'reset' },
    });
    expect(states(sri)).toEqual(['AUTORIZADO']);
    expect(sri.brain.submit(first.bytes).outcome?.messages[0]?.identifier).toBe('43');
  });

  it('is nothing after a refusal at reception, unless the rule keeps the document', () => {
    const sri = startSri();
    sri.brain.faults.add({
      rules: [
        { action: { kind: 'refuse', code: '70', at: 'reception' } },
        { action: { kind: 'refuse', code: '70', at: 'reception', stored: true } },
      ],
    });
    expect(estado(sri)).toBe('DEVUELTA');
    expect(states(sri)).toEqual([]);
    expect(estado(sri)).toBe('DEVUELTA');
    expect(states(sri)).toEqual(['AUTORIZADO']);
  });

  it('is a stored refusal when the rule refuses at authorization', () => {
    const sri = startSri();
    sri.brain.faults.add({ action: { kind: 'refuse', code: '39', at: 'authorization', info: 'porque sí' } });
    expect(estado(sri)).toBe('RECIBIDA');
    const entry = sri.brain.authorize(first.accessKey).outcome?.entries[0];
    expect(entry).toMatchObject({
      estado: 'NO AUTORIZADO',
      messages: [{ identifier: '39', additionalInfo: 'porque sí' }, { identifier: '60' }],
    });
    expect(estado(sri)).toBe('RECIBIDA');
    expect(states(sri)).toEqual(['NO AUTORIZADO', 'AUTORIZADO']);
  });

  it('is no change of what the SRI holds when only an answer is distorted', () => {
    const sri = startSri();
    sri.brain.submit(first.bytes);
    sri.brain.faults.add({
      rules: [
        { action: { kind: 'answer_refused', code: '52' } },
        { action: { kind: 'state', estado: 'PPR' } },
        { action: { kind: 'tampered', what: 'document' } },
        { action: { kind: 'tampered', what: 'key' } },
      ],
    });
    expect([states(sri), states(sri)]).toEqual([['NO AUTORIZADO'], ['PPR']]);
    const document = sri.brain.authorize(first.accessKey).outcome?.entries[0]?.document;
    expect(document).toContain('OTRA EMPRESA');
    expect(sri.brain.authorize(first.accessKey).outcome?.consultedKey).not.toBe(first.accessKey);
    expect(states(sri)).toEqual(['AUTORIZADO']);
  });
});

describe('the ledger', () => {
  it('records every request, with faults and dropped answers', () => {
    const sri = startSri();
    sri.brain.faults.add({
      rules: [
        { match: { service: 'reception' }, action: { kind: 'hang', phase: 'before' } },
        { match: { service: 'reception' }, action: { kind: 'reset', phase: 'after' } },
      ],
    });
    sri.brain.submit(first.bytes);
    sri.brain.submit(first.bytes);
    sri.brain.submit(first.bytes);
    sri.brain.authorize(first.accessKey);
    expect(sri.brain.ledger.list(first.accessKey)).toMatchObject([
      {
        sequence: 1,
        service: 'reception',
        outcome: 'NOT_PROCESSED',
        stored: false,
        fault: { rule: 1, kind: 'hang', phase: 'before' },
      },
      {
        sequence: 2,
        service: 'reception',
        outcome: 'RECIBIDA',
        stored: true,
        fault: { rule: 2, kind: 'reset', phase: 'after' },
      },
      { sequence: 3, service: 'reception', outcome: 'DEVUELTA', codes: ['43'], stored: false, fault: null },
      { sequence: 4, service: 'authorization', outcome: 'AUTORIZADO', codes: ['60'], digest: null },
    ]);
    const account = sri.brain.ledger.account(first.accessKey);
    expect(account).toMatchObject({ submissions: 3, queries: 1 });
    expect(account.digests).toHaveLength(1);
    expect(account.storedDigests).toEqual(account.digests);
  });

  it('keeps the newest entries and all accounts when bounded', () => {
    const sri = startSri({ ledgerLimit: 3 });
    for (let count = 0; count < 20; count += 1) sri.brain.authorize(first.accessKey);
    expect(sri.brain.ledger.list().map(({ sequence }) => sequence)).toEqual([18, 19, 20]);
    expect(sri.brain.ledger.account(first.accessKey).queries).toBe(20);
    expect(sri.brain.ledger.totals()).toEqual({ 'authorization 0': 20 });
  });
});

describe('rules from outside', () => {
  it.each([
    [{ action: { kind: 'explode' } }, 'rules[0].action.kind'],
    [{ action: { kind: 'delay', ms: -1 } }, 'rules[0].action.ms'],
    [{ action: { kind: 'hang' } }, 'rules[0].action.phase'],
    [{ match: { ruc: '1' }, action: { kind: 'empty' } }, 'a RUC is 13 digits'],
    [{ nth: [1], times: 2, action: { kind: 'empty' } }, 'nth excludes skip and times'],
    [{ match: { service: 'reception' }, action: { kind: 'empty' } }, 'this action is for authorization only'],
    [{ action: { kind: 'empty' }, extra: 1 }, 'extra'],
    [{ rules: [{ action: { kind: 'empty' } }, {}] }, 'rules[1].action'],
    [null, 'rules[0]'],
    ['x', 'rules[0]'],
  ])('are refused with the field named: %j', (input, text) => {
    expect(() => parseFaultRules(input)).toThrow(InvalidFaultRule);
    expect(() => parseFaultRules(input)).toThrow(text);
  });

  it.each([
    [{ headers: { 'a b': 'x' } }, 'headers.a b: not a name'],
    [{ headers: { '': 'x' } }, 'headers.: not a name'],
    [{ headers: { 'x-note': 'x\r\ny: z' } }, 'headers.x-note: not a value'],
    [{ headers: { 'x-note': '→' } }, 'headers.x-note: not a value'],
    [{ headers: { Connection: 'close' } }, 'headers.Connection: the simulator sets'],
    [{ headers: { 'content-length': '7' } }, 'headers.content-length: the simulator sets'],
    [{ headers: { Trailer: 'x' } }, 'headers.Trailer: the simulator sets'],
    [{ headers: { 'TRANSFER-ENCODING': 'chunked' } }, 'headers.TRANSFER-ENCODING: the simulator sets'],
    [{ content_type: 'text/html\n' }, 'content_type: not a value'],
  ])('are refused where HTTP has no such answer: %j', (answer, text) => {
    expect(() => parseFaultRules({ action: { kind: 'http', status: 503, ...answer } })).toThrow(`rules[0].action.${text}`);
  });
});
