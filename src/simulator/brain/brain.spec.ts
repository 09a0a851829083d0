import { signedInvoice, startSri, type TestSri } from '../../../test/support/simulator/sri.js';
import type { SimulatorSettings } from './settings.js';

const codes = (messages: readonly { identifier: string }[] | undefined): string[] =>
  (messages ?? []).map((message) => message.identifier);

/** What happens to one document at a fresh SRI. */
function judge(
  document: { bytes: Uint8Array; accessKey: string },
  changes: Partial<SimulatorSettings> = {},
): { reception: string; codes: string[]; info: string } {
  return judgeAt(startSri(changes), document);
}

function judgeAt({ brain }: TestSri, { bytes, accessKey }: { bytes: Uint8Array; accessKey: string }) {
  const { outcome } = brain.submit(bytes);
  if (outcome?.estado !== 'RECIBIDA') {
    return {
      reception: outcome?.estado ?? 'none',
      codes: codes(outcome?.messages),
      info: outcome?.messages[0]?.additionalInfo ?? '',
    };
  }
  const entry = brain.authorize(accessKey).outcome?.entries.at(-1);
  return {
    reception: entry?.estado ?? 'missing',
    codes: codes(entry?.messages),
    info: entry?.messages[0]?.additionalInfo ?? '',
  };
}

describe('a good invoice', () => {
  it('is received, then authorized with the test warning and the very bytes that were sent', () => {
    const { brain } = startSri();
    const { bytes, accessKey } = signedInvoice();
    expect(brain.submit(bytes).outcome).toEqual({ estado: 'RECIBIDA', accessKey, messages: [] });
    const answer = brain.authorize(accessKey).outcome;
    expect(answer?.consultedKey).toBe(accessKey);
    expect(answer?.entries).toHaveLength(1);
    const [entry] = answer!.entries;
    expect(entry).toMatchObject({ estado: 'AUTORIZADO', authorizationNumber: accessKey, environment: '1' });
    expect(entry!.document).toBe(bytes.toString('utf8'));
    expect(codes(entry!.messages)).toEqual(['60']);
  });

  it('carries no test warning in production', () => {
    expect(judge(signedInvoice({ environment: '2' }))).toMatchObject({ reception: 'AUTORIZADO', codes: [] });
  });

  it('is judged alike by both canonicalizers', () => {
    for (const signatureEngine of ['xml-crypto', 'libxml2'] as const) {
      expect(judge(signedInvoice({ lines: 10 }), { signatureEngine }).reception).toBe('AUTORIZADO');
    }
  });

  it('stays in process until the clock passes the processing time', () => {
    const { brain, clock } = startSri({ processingMs: { min: 250, max: 250 } });
    const { bytes, accessKey } = signedInvoice();
    brain.submit(bytes);
    clock.advance(249);
    expect(brain.authorize(accessKey).outcome?.entries.map((entry) => entry.estado)).toEqual(['EN PROCESO']);
    clock.advance(1);
    expect(brain.authorize(accessKey).outcome?.entries.map((entry) => entry.estado)).toEqual(['AUTORIZADO']);
  });

  it('can be invisible while in process', () => {
    const { brain } = startSri({ processingMs: { min: 1, max: 1 }, pendingAnswer: 'empty' });
    const { bytes, accessKey } = signedInvoice();
    brain.submit(bytes);
    expect(brain.authorize(accessKey).outcome).toEqual({ consultedKey: accessKey, entries: [] });
  });
});

describe('reception refuses and stores nothing', () => {
  const broken = signedInvoice({ replace: [['<moneda>DOLAR</moneda>', '<moneda></moneda>']] });
  const cases: [string, { bytes: Uint8Array; accessKey: string }, Partial<SimulatorSettings>, string][] = [
    ['an empty argument', { bytes: Buffer.alloc(0), accessKey: '' }, {}, '49'],
    ['a large file', signedInvoice(), { maxDocumentBytes: 1000 }, '26'],
    ['an unknown type', { ...signedInvoice(), bytes: Buffer.from('<recibo version="1.0.0"/>') }, {}, '47'],
    ['an invoice that claims another type', signedInvoice({ replace: [['<codDoc>01', '<codDoc>04']] }), {}, '47'],
    ['a version without schema', signedInvoice({ replace: [['version="1.1.0"', 'version="2.32"']] }), {}, '48'],
    ['a discontinued version', signedInvoice(), { discontinuedSchemas: ['factura 1.1.0'] }, '36'],
    ['a schema fault', broken, {}, '35'],
    ['a line without code', signedInvoice({ replace: [['<codigoPrincipal>P-1</codigoPrincipal>', '']] }), {}, '35'],
    ['a day that does not exist', signedInvoice({ issueDate: '31/06/2026' }), {}, '67'],
    [
      'no electronic-media agreement',
      signedInvoice(),
      { taxpayers: { '1790012345001': { agreementAccepted: false } } },
      '28',
    ],
    ['tomorrow', signedInvoice({ issueDate: '26/08/2026' }), {}, '65'],
    ['an old date', signedInvoice({ issueDate: '24/08/2026' }), { issueWindowDays: 0 }, '65'],
  ];

  it.each(cases)('%s', (_, document, changes, code) => {
    const sri = startSri(changes);
    const { outcome } = sri.brain.submit(document.bytes);
    expect(outcome).toMatchObject({ estado: 'DEVUELTA' });
    expect(codes(outcome?.messages)).toEqual([code]);
    expect(sri.brain.authority.holding(document.accessKey).state).toBe('unknown');
  });

  it.each([
    ['garbage', 'not xml'],
    ['an unclosed element', '<factura>'],
    ['a document type', '<!DOCTYPE factura [<!ENTITY a "b">]><factura>&a;</factura>'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><factura/>'],
    ['a byte order mark', '\ufeff<factura/>'],
  ])('unreadable XML answers 35 without estado: %s', (_, text) => {
    const { outcome } = startSri().brain.submit(Buffer.from(text));
    expect(outcome).toMatchObject({ estado: null, accessKey: 'N/A', messages: [{ identifier: '35' }] });
  });

  it('takes today by the clock of Guayaquil, not of UTC', () => {
    const document = signedInvoice({ issueDate: '26/08/2026' }, { signingTime: '2026-08-25T23:00:00-05:00' });
    const lateEvening = new Date('2026-08-26T04:59:00Z');
    expect(judgeAt(startSri({}, lateEvening), document).codes).toEqual(['65']);
    const midnight = new Date('2026-08-26T05:00:00Z');
    expect(judgeAt(startSri({}, midnight), document).reception).toBe('AUTORIZADO');
  });
});

describe('authorization refuses and stores', () => {
  const ruc = '1790012345001';
  const cases: [string, ReturnType<typeof signedInvoice>, Partial<SimulatorSettings>, string][] = [
    ['an unknown RUC', signedInvoice(), { taxpayers: { [ruc]: { exists: false } } }, '46'],
    ['an inactive RUC', signedInvoice(), { taxpayers: { [ruc]: { active: false } } }, '2'],
    ['a sanctioned RUC', signedInvoice(), { taxpayers: { [ruc]: { sanctioned: true } } }, '63'],
    ['a closed establishment', signedInvoice(), { taxpayers: { [ruc]: { closedEstablishments: ['001'] } } }, '56'],
    [
      'a sanctioned establishment',
      signedInvoice(),
      { taxpayers: { [ruc]: { sanctionedEstablishments: ['001'] } } },
      '10',
    ],
    ['a class that may not issue', signedInvoice(), { taxpayers: { [ruc]: { classAllowed: false } } }, '27'],
    ['no authorization in this environment', signedInvoice(), { taxpayers: { [ruc]: { enrolledIn: ['2'] } } }, '37'],
    ['a suspended authorization', signedInvoice(), { taxpayers: { [ruc]: { suspended: true } } }, '57'],
    ['a type outside the request', signedInvoice(), { taxpayers: { [ruc]: { allowedTypes: ['04'] } } }, '34'],
    ['a key of another establishment', signedInvoice({ replace: [['<estab>001', '<estab>003']] }), {}, '58'],
    [
      'a wrong check digit',
      signedInvoice({ accessKey: '2508202601179001234500110010020000000011234567810' }),
      {},
      '58',
    ],
    ['another environment than this host', signedInvoice({ environment: '2' }), { environments: ['1'] }, '58'],
    ['a changed character', tampered(), {}, '39'],
    [
      'a line total',
      signedInvoice({ replace: [['<precioTotalSinImpuesto>20.00', '<precioTotalSinImpuesto>20.02']] }),
      {},
      '52',
    ],
    ['a header total', signedInvoice({ replace: [['<importeTotal>23.00', '<importeTotal>23.02']] }), {}, '52'],
  ];

  it.each(cases)('%s', (_, document, changes, code) => {
    const sri = startSri(changes);
    const result = judgeAt(sri, document);
    expect(result.reception).toBe('NO AUTORIZADO');
    expect(result.codes[0]).toBe(code);
    expect(sri.brain.authority.holding(document.accessKey).state).toBe('refused');
  });

  it('stops at the first failing group, in the order of the SRI', () => {
    const spoilt = {
      bytes: Buffer.from(signedInvoice({ replace: [['<importeTotal>23.00', '<importeTotal>29.00']] }).bytes),
      accessKey: signedInvoice().accessKey,
    };
    expect(judge(spoilt).codes).toEqual(['52', '60']);
    spoilt.bytes = Buffer.from(spoilt.bytes.toString().replace('EMPRESA', 'EMPRESO'));
    expect(judge(spoilt).codes).toEqual(['39', '60']);
    spoilt.bytes = Buffer.from(spoilt.bytes.toString().replace('<ptoEmi>002', '<ptoEmi>009'));
    expect(judge(spoilt).codes).toEqual(['58', '60']);
    expect(judge(spoilt, { taxpayers: { [ruc]: { suspended: true, active: false } } }).codes).toEqual(['2', '60']);
    spoilt.bytes = Buffer.from(spoilt.bytes.toString().replace('25/08/2026', '26/08/2026'));
    expect(judge(spoilt).codes).toEqual(['65']);
    spoilt.bytes = Buffer.from(
      spoilt.bytes.toString().replace('<propina>', '<propino>').replace('</propina>', '</propino>'),
    );
    expect(judge(spoilt).codes).toEqual(['35']);
    expect(judge(spoilt, { discontinuedSchemas: ['factura 1.1.0'] }).codes).toEqual(['36']);
    expect(judge(spoilt, { discontinuedSchemas: ['factura 1.1.0'], maxDocumentBytes: 10 }).codes).toEqual(['26']);
  });

  function tampered() {
    const document = signedInvoice();
    return { ...document, bytes: Buffer.from(document.bytes.toString().replace('CLIENTE', 'CLIENTA')) };
  }
});

describe('warnings do not refuse', () => {
  it.each([
    ['a bad cédula digit', signedInvoice({ buyerId: '1710034066' }), {}, '62'],
    ['a RUC of the wrong shape', signedInvoice({ buyerIdType: '04', buyerId: '179001234500' }), {}, '62'],
    ['an unknown receiver', signedInvoice(), { unknownReceivers: ['1710034065'] }, '59'],
  ])('%s', (_, document, changes, code) => {
    expect(judge(document, changes)).toMatchObject({ reception: 'AUTORIZADO', codes: [code, '60'] });
  });

  it('accepts company RUCs that fail the old modulo 11', () => {
    expect(judge(signedInvoice({ buyerIdType: '04', buyerId: '1793213150001' })).codes).toEqual(['60']);
  });
});

describe('resending', () => {
  it('answers 70 while in process and 43 once authorized, whatever the bytes', () => {
    const { brain, clock } = startSri({ processingMs: { min: 100, max: 100 } });
    const first = signedInvoice();
    const resigned = signedInvoice({}, { signingTime: '2026-08-25T10:31:08-05:00' });
    brain.submit(first.bytes);
    expect(codes(brain.submit(resigned.bytes).outcome?.messages)).toEqual(['70']);
    clock.advance(100);
    expect(codes(brain.submit(first.bytes).outcome?.messages)).toEqual(['43']);
    expect(codes(brain.submit(resigned.bytes).outcome?.messages)).toEqual(['43']);
    expect(brain.authority.holding(first.accessKey).history).toHaveLength(1);
  });

  it('takes the corrected document under the same key after DEVUELTA', () => {
    const sri = startSri();
    expect(judgeAt(sri, signedInvoice({ replace: [['<moneda>DOLAR</moneda>', '<moneda></moneda>']] })).codes).toEqual([
      '35',
    ]);
    expect(judgeAt(sri, signedInvoice()).reception).toBe('AUTORIZADO');
  });

  it('keeps every refusal under a key, and AUTORIZADO after them', () => {
    const sri = startSri();
    const wrong = signedInvoice({ replace: [['<importeTotal>23.00', '<importeTotal>24.00']] });
    judgeAt(sri, wrong);
    judgeAt(sri, wrong);
    const right = signedInvoice();
    judgeAt(sri, right);
    const entries = sri.brain.authorize(right.accessKey).outcome!.entries;
    expect(entries.map((entry) => entry.estado)).toEqual(['NO AUTORIZADO', 'NO AUTORIZADO', 'AUTORIZADO']);
    expect(entries.map((entry) => entry.authorizationNumber)).toEqual([null, null, right.accessKey]);
  });

  it('answers 45 to another key that wants a stored number, but not across environments', () => {
    const sri = startSri();
    judgeAt(sri, signedInvoice());
    const rival = signedInvoice({ numericCode: '87654321' });
    expect(judgeAt(sri, rival)).toMatchObject({ reception: 'DEVUELTA', codes: ['45'] });
    expect(judgeAt(sri, signedInvoice({ environment: '2' })).reception).toBe('AUTORIZADO');
    expect(judgeAt(sri, signedInvoice({ numericCode: '87654321', sequential: 2 })).reception).toBe('AUTORIZADO');
  });

  it('answers 45 although the owner of the number was refused', () => {
    const sri = startSri();
    judgeAt(sri, signedInvoice({ replace: [['<importeTotal>23.00', '<importeTotal>24.00']] }));
    expect(judgeAt(sri, signedInvoice({ numericCode: '87654321' })).codes).toEqual(['45']);
  });
});

describe('authorization queries', () => {
  it('knows nothing of a key that was never sent', () => {
    const { accessKey } = signedInvoice();
    expect(startSri().brain.authorize(accessKey).outcome).toEqual({ consultedKey: accessKey, entries: [] });
  });

  it.each(['', '123', 'x'.repeat(49), '1'.repeat(50)])('answers 80 to the malformed key "%s"', (key) => {
    const outcome = startSri().brain.authorize(key).outcome;
    expect(outcome).toMatchObject({
      consultedKey: null,
      entries: [{ estado: 'RECHAZADA', messages: [{ identifier: '80', type: null }] }],
    });
  });
});

describe('snapshots', () => {
  it('take the whole SRI back', () => {
    const { brain } = startSri();
    const first = signedInvoice();
    brain.submit(first.bytes);
    brain.faults.add({ action: { kind: 'empty' }, times: 2 });
    const before = brain.snapshot();
    const second = signedInvoice({ sequential: 2 });
    brain.submit(second.bytes);
    brain.authorize(first.accessKey);
    brain.restore(before);
    expect(brain.authority.holding(second.accessKey).state).toBe('unknown');
    expect(brain.authority.holding(first.accessKey).state).toBe('authorized');
    expect(brain.ledger.list()).toHaveLength(1);
    expect(brain.faults.list()).toMatchObject([{ seen: 0 }]);
    expect(brain.submit(second.bytes).outcome?.estado).toBe('RECIBIDA');
  });

  it('forget old XML when told to, but never a key', () => {
    const sri = startSri({ storedDocumentLimit: 1 });
    const [first, second] = [signedInvoice(), signedInvoice({ sequential: 2 })];
    judgeAt(sri, first);
    judgeAt(sri, second);
    expect(sri.brain.authorize(first.accessKey).outcome?.entries[0]).toMatchObject({
      estado: 'AUTORIZADO',
      document: null,
    });
    expect(sri.brain.authorize(second.accessKey).outcome?.entries[0]?.document).not.toBeNull();
    expect(judgeAt(sri, first).codes).toEqual(['43']);
  });
});
