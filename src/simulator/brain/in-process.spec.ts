import { makeInvoice } from '../../../test/support/simulator/invoice.js';
import { schemas, signedInvoice } from '../../../test/support/simulator/sri.js';
import { InProcessSri } from './in-process.js';

const NOW = new Date('2026-08-25T20:00:00Z');
const HOUR = 3_600_000;
const later = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);
const bytesOf = (accessKey: string, text = ''): Uint8Array => Buffer.from(`<d><claveAcceso>${accessKey}</claveAcceso>${text}</d>`);
const key = (sequential: number): string => makeInvoice({ sequential }).accessKey;

describe('the SRI in one process', () => {
  it('runs on the caller’s time alone', () => {
    const sri = new InProcessSri({ processingMs: { min: HOUR, max: HOUR } });
    const accessKey = key(1);
    expect(sri.submit(bytesOf(accessKey), NOW)).toEqual({
      kind: 'answer',
      outcome: { estado: 'RECIBIDA', accessKey, messages: [] },
      delayMs: 0,
    });
    expect(sri.query(accessKey, later(HOUR - 1))).toMatchObject({ outcome: { entries: [{ estado: 'EN PROCESO' }] } });
    expect(sri.consult(accessKey, later(HOUR - 1))).toMatchObject({ outcome: { refusal: 'RECHAZADA' } });
    expect(sri.query(accessKey, later(HOUR))).toMatchObject({ outcome: { entries: [{ estado: 'AUTORIZADO' }] } });
    expect(sri.consult(accessKey, later(HOUR))).toMatchObject({ outcome: { estado: 'AUTORIZADO' } });
    expect(sri.holding(accessKey, later(HOUR))).toMatchObject({ state: 'authorized', history: [{}] });
    expect(sri.requests).toBe(5);
  });

  it('judges number, key, date and digest by the key', () => {
    const sri = new InProcessSri({ processingMs: { min: 0, max: 0 } });
    const [first, rival] = [key(1), makeInvoice({ numericCode: '87654321' }).accessKey];
    const codes = (bytes: Uint8Array, now = NOW): unknown[] => {
      const reply = sri.submit(bytes, now);
      return reply.kind === 'answer' ? reply.outcome.messages.map(({ identifier }) => identifier) : [reply.kind];
    };
    expect(codes(bytesOf(first))).toEqual([]);
    expect(codes(bytesOf(first))).toEqual(['43']);
    expect(codes(bytesOf(rival))).toEqual(['45']);
    expect(codes(bytesOf(makeInvoice({ sequential: 2, issueDate: '26/08/2026' }).accessKey))).toEqual(['65']);
    expect(codes(Buffer.from('<d/>'))).toEqual(['35']);
    codes(bytesOf(first, 'other'));
    expect(sri.account(first)).toMatchObject({ submissions: 3, digests: [expect.any(String), expect.any(String)] });
    expect(sri.account(first).storedDigests).toHaveLength(1);
  });

  it('says whether an answer that never came stored the document', () => {
    const sri = new InProcessSri();
    sri.addFaults(
      { match: { access_key: key(1) }, action: { kind: 'hang', phase: 'before' } },
      { match: { access_key: key(2) }, action: { kind: 'hang', phase: 'after' } },
      { match: { access_key: key(3) }, action: { kind: 'http', status: 502, phase: 'before' } },
      { match: { access_key: key(4) }, action: { kind: 'malformed', body: 'truncated' } },
      { match: { access_key: key(5) }, action: { kind: 'drip', bytes_per_second: 100 } },
    );
    expect([1, 2, 3, 4, 5].map((number) => sri.submit(bytesOf(key(number)), NOW))).toMatchObject([
      { kind: 'no_answer', accepted: false, reason: 'time-out' },
      { kind: 'no_answer', accepted: true, reason: 'time-out' },
      { kind: 'no_answer', accepted: false, reason: 'HTTP 502' },
      { kind: 'no_answer', accepted: true, reason: 'malformed: truncated' },
      { kind: 'answer', delayMs: 20_000 },
    ]);
  });

  it('takes one service down and leaves the others up, until everything is cleared', () => {
    const sri = new InProcessSri();
    sri.takeDown('authorization', 'unreachable');
    sri.addFaults({ times: null, action: { kind: 'refuse', code: '50', at: 'reception' } });
    expect(sri.submit(bytesOf(key(1)), NOW)).toMatchObject({ outcome: { estado: 'DEVUELTA' } });
    expect(sri.query(key(1), NOW)).toEqual({ kind: 'not_delivered', reason: 'authorization is unreachable' });
    sri.takeDown('reception');
    expect(sri.submit(bytesOf(key(1)), NOW)).toMatchObject({ kind: 'no_answer', accepted: false, reason: 'HTTP 503' });
    sri.clearFaults();
    expect(sri.submit(bytesOf(key(1)), NOW)).toMatchObject({ outcome: { estado: 'RECIBIDA' } });
    expect(sri.query(key(1), NOW)).toMatchObject({ kind: 'answer' });
  });

  it('gives its whole state back', () => {
    const sri = new InProcessSri({ processingMs: { min: 0, max: 0 } });
    sri.submit(bytesOf(key(1)), NOW);
    const before = sri.snapshot();
    sri.annul(key(1), NOW);
    sri.takeDown('reception');
    sri.restore(before);
    expect(sri.consult(key(1), NOW)).toMatchObject({ outcome: { estado: 'AUTORIZADO' } });
    expect(sri.submit(bytesOf(key(2)), NOW)).toMatchObject({ kind: 'answer' });
  });

  it('can look at the content without the signature, or at everything', () => {
    const sri = new InProcessSri({ schemas, scrutiny: 'content', processingMs: { min: 0, max: 0 } });
    const estado = (document: { bytes: Uint8Array; accessKey: string }): string | undefined => {
      sri.submit(document.bytes, NOW);
      const reply = sri.query(document.accessKey, NOW);
      return reply.kind === 'answer' ? reply.outcome.entries.at(-1)?.estado : reply.kind;
    };
    const unsigned = makeInvoice();
    const wrong = makeInvoice({ sequential: 2, replace: [['<importeTotal>23.00', '<importeTotal>24.00']] });
    expect(estado({ bytes: Buffer.from(unsigned.xml), accessKey: unsigned.accessKey })).toBe('AUTORIZADO');
    expect(estado({ bytes: Buffer.from(wrong.xml), accessKey: wrong.accessKey })).toBe('NO AUTORIZADO');
    sri.configure({ scrutiny: 'full' });
    const unsignedToo = makeInvoice({ sequential: 3 });
    expect(estado({ bytes: Buffer.from(unsignedToo.xml), accessKey: unsignedToo.accessKey })).toBe('NO AUTORIZADO');
    expect(estado(signedInvoice({ sequential: 4 }))).toBe('AUTORIZADO');
  });
});
