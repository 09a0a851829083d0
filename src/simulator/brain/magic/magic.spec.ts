import { makeInvoice } from '../../../../test/support/simulator/invoice.js';
import { signedInvoice, startSri, type TestSri } from '../../../../test/support/simulator/sri.js';
import { SRI_MESSAGES } from '../messages.js';
import { magicFieldOf, readDirectives, UnknownMagicValue } from './directives.js';
import { MAGIC_VALUES } from './values.js';

/** An invoice whose additional field asks for something. */
const asking = (value: string, sequential = 1) =>
  signedInvoice({
    sequential,
    replace: [
      ['</detalles></factura>', `</detalles><infoAdicional><campoAdicional nombre="Simulador">${value}</campoAdicional></infoAdicional></factura>`],
    ],
  });

const codes = (messages: readonly { identifier: string }[] | undefined): string[] => (messages ?? []).map(({ identifier }) => identifier);
const submit = ({ brain }: TestSri, { bytes }: { bytes: Uint8Array }): string => {
  const { outcome, transport } = brain.submit(bytes);
  if (transport) return transport.kind;
  return outcome?.estado === 'RECIBIDA' ? 'RECIBIDA' : codes(outcome?.messages).join();
};
const query = ({ brain }: TestSri, { accessKey }: { accessKey: string }): string => {
  const { outcome, transport } = brain.authorize(accessKey);
  if (transport) return transport.kind;
  return outcome?.entries.map(({ estado, messages }) => [estado, ...codes(messages)].join(' ')).join('+') ?? 'none';
};
const consult = ({ brain }: TestSri, { accessKey }: { accessKey: string }): string => {
  const { outcome } = brain.consult(accessKey);
  return outcome?.estado ?? codes(outcome?.messages).join();
};

describe('every code of the SRI', () => {
  const at = (...services: string[]): string[] =>
    Object.entries(SRI_MESSAGES).flatMap(([code, row]) => (services.includes(row.at) && row.type === 'ERROR' ? [code] : []));
  const warnings = Object.entries(SRI_MESSAGES).flatMap(([code, { type }]) => (type === 'ADVERTENCIA' ? [code] : []));

  it('is a magic value', () => {
    expect(MAGIC_VALUES.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(SRI_MESSAGES)));
    expect(new Set(MAGIC_VALUES.map(({ name }) => name)).size).toBe(MAGIC_VALUES.length);
  });

  it.each(at('reception'))('%s refuses at reception', (code) => {
    expect(submit(startSri(), asking(code))).toBe(code);
  });

  it.each(at('authorization'))('%s refuses at authorization', (code) => {
    const sri = startSri();
    expect([submit(sri, asking(code)), query(sri, asking(code))]).toEqual(['RECIBIDA', `NO AUTORIZADO ${code} 60`]);
  });

  it.each(warnings)('%s warns', (code) => {
    const sri = startSri();
    expect([submit(sri, asking(code)), query(sri, asking(code))]).toEqual([
      'RECIBIDA',
      code === '60' ? 'AUTORIZADO 60' : `AUTORIZADO ${code} 60`,
    ]);
  });

  it('80 refuses the question once, 99 every consultation', () => {
    const sri = startSri();
    const document = asking('80,99');
    submit(sri, document);
    expect([query(sri, document), query(sri, document)]).toEqual(['RECHAZADA 80', 'AUTORIZADO 60']);
    expect([consult(sri, document), consult(sri, document)]).toEqual(['99', '99']);
  });
});

describe('what a value does', () => {
  it.each(['43', '70', '45-held'])('%s: refused in words, held in fact', (value) => {
    const sri = startSri();
    expect([submit(sri, asking(value)), query(sri, asking(value))]).toEqual([value.slice(0, 2), 'AUTORIZADO 60']);
  });

  it.each(['45', '35', '26'])('%s: nothing held, however often it is sent', (value) => {
    const sri = startSri();
    expect([submit(sri, asking(value)), submit(sri, asking(value)), query(sri, asking(value))]).toEqual([value, value, '']);
  });

  it('50 once, or as often as is said', () => {
    const [once, thrice] = [startSri(), startSri()];
    expect([submit(once, asking('50')), submit(once, asking('50'))]).toEqual(['50', 'RECIBIDA']);
    expect([1, 2, 3, 4].map(() => submit(thrice, asking('50x3')))).toEqual(['50', '50', '50', 'RECIBIDA']);
    expect([1, 2].map(() => submit(thrice, asking('35x1', 2)))).toEqual(['35', 'RECIBIDA']);
  });

  it('gives way to the document without it: a correction under the same key passes', () => {
    const sri = startSri();
    submit(sri, asking('52'));
    expect(query(sri, asking('52'))).toBe('NO AUTORIZADO 52 60');
    expect(submit(sri, signedInvoice())).toBe('RECIBIDA');
    expect(query(sri, signedInvoice())).toBe('NO AUTORIZADO 52 60+AUTORIZADO 60');
  });

  it.each([
    ['timeout-before', 'hang', ''],
    ['timeout-after', 'hang', 'AUTORIZADO 60'],
    ['reset-before', 'reset', ''],
    ['reset-after', 'reset', 'AUTORIZADO 60'],
    ['html-502', 'http', ''],
    ['html:200', 'http', ''],
    ['malformed:entity_bomb', 'malformed', 'AUTORIZADO 60'],
    ['slow-bytes:10', 'drip', 'AUTORIZADO 60'],
  ])('%s: the first answer goes wrong, the second comes', (value, transport, held) => {
    const sri = startSri();
    expect([submit(sri, asking(value)), query(sri, asking(value))]).toEqual([transport, held]);
    expect(submit(sri, asking(value))).toBe(held === '' ? 'RECIBIDA' : '43');
  });

  it('acts on the question when it says so', () => {
    const sri = startSri();
    const document = asking('html:503@authorization, timeout-before@consultation');
    expect([submit(sri, document), query(sri, document), query(sri, document)]).toEqual(['RECIBIDA', 'http', 'AUTORIZADO 60']);
    expect(sri.brain.consult(document.accessKey).transport).toMatchObject({ kind: 'hang' });
    expect(consult(sri, document)).toBe('AUTORIZADO');
  });

  it.each([
    ['empty', ['', 'AUTORIZADO 60']],
    ['unknown-state', ['QUIZAS 60', 'AUTORIZADO 60']],
    ['double-authorization', ['AUTORIZADO 60+AUTORIZADO 60', 'AUTORIZADO 60+AUTORIZADO 60']],
    ['refused-before:52', ['NO AUTORIZADO 52+AUTORIZADO 60', 'NO AUTORIZADO 52+AUTORIZADO 60']],
    ['false-refusal', ['NO AUTORIZADO 39', 'AUTORIZADO 60']],
  ])('%s', (value, answers) => {
    const sri = startSri();
    submit(sri, asking(value));
    expect(answers.map(() => query(sri, asking(value)))).toEqual(answers);
  });

  it('tampered: another document; tampered-key: another key, once', () => {
    const sri = startSri();
    const document = asking('tampered,tampered-key');
    submit(sri, document);
    const answers = [1, 2].map(() => sri.brain.authorize(document.accessKey).outcome);
    expect(answers[0]?.entries[0]?.document).not.toBe(document.bytes.toString());
    expect(answers[0]?.consultedKey).toBe(document.accessKey);
    const other = asking('tampered-key', 2);
    submit(sri, other);
    expect([1, 2].map(() => sri.brain.authorize(other.accessKey).outcome?.consultedKey === other.accessKey)).toEqual([false, true]);
  });

  it('in-process: undecided until its time has passed', () => {
    const sri = startSri();
    const document = asking('in-process:3600');
    submit(sri, document);
    sri.clock.advance(3_599_999);
    expect([query(sri, document), submit(sri, document)]).toEqual(['EN PROCESO', '70']);
    sri.clock.advance(1);
    expect(query(sri, document)).toBe('AUTORIZADO 60');
  });

  it.each(['slow:2.5,50', '50,slow:2.5'])('%s: later, beside everything else', (value) => {
    const sri = startSri();
    expect(sri.brain.submit(asking(value).bytes)).toMatchObject({ delayMs: 2500, outcome: { estado: 'DEVUELTA' } });
    expect(sri.brain.submit(asking(value).bytes)).toMatchObject({ delayMs: 0, outcome: { estado: 'RECIBIDA' } });
  });

  it('what adds up acts behind a value that decides', () => {
    const sri = startSri();
    const document = asking('52, 59, in-process:6');
    expect([submit(sri, document), query(sri, document)]).toEqual(['RECIBIDA', 'EN PROCESO']);
    sri.clock.advance(6000);
    expect(query(sri, document)).toBe('NO AUTORIZADO 52 59 60');
    const annulled = asking('43, annul:2', 2);
    expect([submit(sri, annulled), consult(sri, annulled)]).toEqual(['43', 'ANULADO']);
  });

  it('of two values that decide, the second waits until the first is used up', () => {
    const sri = startSri();
    const document = asking('50, timeout-before, 59');
    expect([1, 2, 3].map(() => submit(sri, document))).toEqual(['50', 'hang', 'RECIBIDA']);
    expect(query(sri, document)).toBe('AUTORIZADO 59 60');
  });

  it('annul: annulled in the portal as soon as it is authorized', () => {
    const sri = startSri({ processingMs: { min: 1000, max: 1000 } });
    const document = asking('annul');
    submit(sri, document);
    expect(consult(sri, document)).toBe('99');
    sri.clock.advance(1000);
    expect([query(sri, document), consult(sri, document)]).toEqual(['AUTORIZADO 60', 'ANULADO']);
  });

  it('is written down in the ledger as it stands in the document', () => {
    const sri = startSri();
    submit(sri, asking('35 x1'));
    expect(sri.brain.ledger.list()).toMatchObject([{ fault: { rule: null, magic: '35x1', kind: 'refuse' } }]);
  });

  it('comes after fault rules and can be switched off', () => {
    const sri = startSri();
    sri.brain.faults.add({ action: { kind: 'refuse', code: '50', at: 'reception' } });
    expect([submit(sri, asking('35')), submit(sri, asking('35'))]).toEqual(['50', '35']);
    sri.brain.calm();
    expect(submit(sri, asking('35'))).toBe('RECIBIDA');
  });

  it.each([
    ['malformed', { kind: 'malformed', body: 'empty' }],
    ['reset', { kind: 'reset', phase: 'after' }],
    ['drip', { kind: 'drip', bytes_per_second: 10 }],
    ['45', { kind: 'refuse', code: '45', at: 'reception', stored: true }],
  ] as const)('holds for a submission that a rule let through: %s', (answer, action) => {
    const sri = startSri();
    sri.brain.faults.add({ match: { service: 'reception' }, times: null, action });
    const document = asking('html@authorization');
    expect([submit(sri, document), query(sri, document), query(sri, document)]).toEqual([answer, 'http', 'AUTORIZADO 60']);
  });

  it.each([
    ['without values', signedInvoice()],
    ['with one that does not exist', asking('boom')],
  ])('holds no longer once a document %s was sent, whether values act on that or not', (_, corrected) => {
    const [ruled, switchedOff] = [startSri(), startSri()];
    for (const sri of [ruled, switchedOff]) submit(sri, asking('52, html@authorization x*'));
    ruled.brain.faults.add({ action: { kind: 'reset', phase: 'after' } });
    switchedOff.brain.authority.configure({ magicValues: false });
    expect([submit(ruled, corrected), submit(switchedOff, corrected)]).toEqual(['reset', 'RECIBIDA']);
    switchedOff.brain.authority.configure({ magicValues: true });
    for (const sri of [ruled, switchedOff]) expect(query(sri, corrected)).toBe('NO AUTORIZADO 52 60+AUTORIZADO 60');
  });

  it('counts apart for each key, and is part of a snapshot', () => {
    const sri = startSri();
    const before = sri.brain.snapshot();
    expect([submit(sri, asking('50')), submit(sri, asking('50', 2))]).toEqual(['50', '50']);
    sri.brain.restore(before);
    expect(submit(sri, asking('50'))).toBe('50');
  });
});

describe('how a value is written', () => {
  it('reads arguments, services and counts', () => {
    expect(readDirectives(' 50x3, IN-PROCESS:60 ,html-503@authorization x2,refuse:2001@authorization,35x*, ,')).toMatchObject([
      { text: '50x3', service: 'reception', times: 3, action: { kind: 'refuse', code: '50', at: 'reception' } },
      { text: 'in-process:60', service: 'reception', times: null, action: { kind: 'processing', seconds: 60 } },
      { service: 'authorization', times: 2, action: { kind: 'http', status: 503, headers: { 'retry-after': '2' } } },
      { service: 'reception', times: null, action: { kind: 'refuse', code: '2001', at: 'authorization' } },
      { times: null, action: { code: '35' } },
    ]);
  });

  it.each(['51', 'boom', '35:1', 'in-process:soon', 'refuse', 'refuse:12345', 'empty@reception', '39@consultation', 'timeout-before@mail', '50x', '50x-1', 'a b c!'])(
    'refuses %j',
    (text) => {
      expect(() => readDirectives(text)).toThrow(UnknownMagicValue);
    },
  );

  it('tells the sender what it does not understand, in a refusal', () => {
    const { outcome } = startSri().brain.submit(asking('35,mañana').bytes);
    expect(outcome).toMatchObject({ estado: 'DEVUELTA', messages: [{ identifier: '35', additionalInfo: 'Simulador: no existe el valor "mañana"' }] });
  });

  it('accepts every value of the table as documented', () => {
    for (const { name, argument } of MAGIC_VALUES) {
      const text = argument !== null && argument.fallback === null ? `${name}:1` : name;
      expect(readDirectives(text)).toMatchObject([{ text }]);
    }
  });

  it.each([
    [makeInvoice().xml, null],
    ['<campoAdicional nombre="Otro">35</campoAdicional>', null],
    ['<campoAdicional nombre="Simulador"></campoAdicional>', ''],
    ['<campoAdicional nombre="Simulador"> 35 </campoAdicional>', '35'],
    ['<campoAdicional\n nombre="Simulador" >35</campoAdicional>', '35'],
    ['<detAdicional nombre="Simulador" valor="50"/><campoAdicional nombre="Simulador">35</campoAdicional>', '35'],
    ['<detAdicional nombre="Simulador" valor="50"/>', null],
    ['<campoAdicional nombre="Simulador">35</campoAdicional><campoAdicional nombre="Simulador">50</campoAdicional>', '35'],
    ['<campoAdicional nombre="Simulador"/><campoAdicional nombre="Simulador">50</campoAdicional>', null],
    [`<campoAdicional nombre="Simulador">${'ñ'.repeat(300)}</campoAdicional>`, 'ñ'.repeat(300)],
    [`<campoAdicional nombre="Simulador">${'5'.repeat(301)}</campoAdicional>`, null],
  ])('is found in the bytes: %#', (xml, value) => {
    expect(magicFieldOf(Buffer.from(xml))).toBe(value);
  });
});
