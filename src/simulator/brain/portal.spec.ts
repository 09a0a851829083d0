import { makeInvoice } from '../../../test/support/simulator/invoice.js';
import { addBusinessDays, businessDayFrom, calendarDay, dayOfNextMonth } from './business-days.js';
import { dayNumberOf } from './guayaquil-time.js';
import { InProcessSri } from './in-process.js';

const at = (day: string, time = '10:00:00'): Date => new Date(`${day}T${time}-05:00`);
/** A key of another type: the number's check digit must follow. */
const keyOf = (documentType: string, issueDate = '25/08/2026'): string => {
  const { accessKey } = makeInvoice({ issueDate });
  const body = `${accessKey.slice(0, 8)}${documentType}${accessKey.slice(10, 48)}`;
  let [sum, weight] = [0, 2];
  for (const digit of Array.from(body).reverse()) {
    sum += Number(digit) * weight;
    weight = weight === 7 ? 2 : weight + 1;
  }
  return `${body}${(11 - (sum % 11)) % 11 === 10 ? 1 : (11 - (sum % 11)) % 11}`;
};

/** An SRI that authorized one document on its issue day. */
function holding(documentType: string, holidays: readonly string[] = []): { sri: InProcessSri; key: string } {
  const sri = new InProcessSri({ processingMs: { min: 0, max: 0 }, holidays });
  const key = keyOf(documentType);
  sri.submit(Buffer.from(`<claveAcceso>${key}</claveAcceso>`), at('2026-08-25'));
  return { sri, key };
}

const estado = (sri: InProcessSri, key: string, now: Date): string => {
  const reply = sri.consult(key, now);
  if (reply.kind !== 'answer') return reply.kind;
  return reply.outcome.estado ?? reply.outcome.messages.map(({ identifier, additionalInfo }) => `${identifier} ${additionalInfo ?? ''}`).join();
};

describe('business days', () => {
  const day = (text: string): number => dayNumberOf(text)!;

  it('skip weekends and holidays', () => {
    expect(calendarDay(addBusinessDays(day('25/08/2026'), 5, []))).toBe('2026-09-01');
    expect(calendarDay(addBusinessDays(day('28/08/2026'), 1, ['2026-08-31']))).toBe('2026-09-01');
    expect(calendarDay(businessDayFrom(day('07/11/2026'), []))).toBe('2026-11-09');
    expect(calendarDay(dayOfNextMonth(day('31/12/2026'), 7))).toBe('2027-01-07');
  });
});

describe('an annulment', () => {
  it.each(['01', '03', '06'])('of a %s takes effect at once and for ever', (type) => {
    const { sri, key } = holding(type);
    expect(estado(sri, key, at('2026-08-26'))).toBe('AUTORIZADO');
    expect(sri.annul(key, at('2026-08-26'))).toEqual({ done: true, state: 'annulled', acceptBefore: null });
    expect(estado(sri, key, at('2026-08-26'))).toBe('ANULADO');
    expect(sri.annul(key, at('2026-08-27'))).toEqual({ done: false, reason: 'already_annulled' });
    expect(sri.receiverRefuses(key, at('2026-08-27'))).toEqual({ done: false, reason: 'nothing_to_accept' });
    expect(estado(sri, key, at('2026-09-30'))).toBe('ANULADO');
  });

  it.each(['04', '05', '07'])('of a %s waits for its receiver', (type) => {
    const [accepted, refused, silent] = [holding(type), holding(type), holding(type)];
    for (const { sri, key } of [accepted, refused, silent]) {
      expect(sri.annul(key, at('2026-08-25'))).toEqual({ done: true, state: 'pending', acceptBefore: at('2026-09-02', '00:00:00') });
      expect(estado(sri, key, at('2026-08-25'))).toBe('PENDIENTE DE ANULAR');
      expect(sri.annul(key, at('2026-08-26'))).toEqual({ done: false, reason: 'already_requested' });
    }
    accepted.sri.receiverAccepts(accepted.key, at('2026-09-01', '23:59:59'));
    refused.sri.receiverRefuses(refused.key, at('2026-08-27'));
    expect(estado(accepted.sri, accepted.key, at('2026-09-01', '23:59:59'))).toBe('ANULADO');
    expect(estado(refused.sri, refused.key, at('2026-08-27'))).toBe('AUTORIZADO');
    expect(estado(silent.sri, silent.key, at('2026-09-01', '23:59:59'))).toBe('PENDIENTE DE ANULAR');
    expect(estado(silent.sri, silent.key, at('2026-09-02', '00:00:00'))).toBe('AUTORIZADO');
    expect(silent.sri.receiverAccepts(silent.key, at('2026-09-02'))).toEqual({ done: false, reason: 'nothing_to_accept' });
    expect(refused.sri.annul(refused.key, at('2026-08-28'))).toMatchObject({ done: true, state: 'pending' });
  });

  it('is possible until day 7 of the next month, or the business day after', () => {
    const annulled = (day: string, time: string, holidays: string[] = []): boolean => {
      const { sri, key } = holding('01', holidays);
      return sri.annul(key, at(day, time)).done;
    };
    expect(annulled('2026-09-07', '23:59:59')).toBe(true);
    expect(annulled('2026-09-08', '00:00:00')).toBe(false);
    expect(annulled('2026-09-08', '23:59:59', ['2026-09-07'])).toBe(true);
    const { sri, key } = holding('01');
    expect(sri.annul(key, at('2026-09-08'))).toEqual({ done: false, reason: 'deadline_passed' });
  });

  it('needs an authorized document', () => {
    const { sri } = holding('01');
    expect(sri.annul(keyOf('04'), at('2026-08-26'))).toEqual({ done: false, reason: 'not_authorized' });
  });
});

describe('a consultation', () => {
  it('answers for this month and the last', () => {
    const { sri, key } = holding('01');
    expect(estado(sri, key, at('2026-09-30', '23:59:59'))).toBe('AUTORIZADO');
    expect(estado(sri, key, at('2026-10-01', '00:00:00'))).toContain('99 La fecha');
    expect(estado(sri, keyOf('04'), at('2026-08-26'))).toContain('99 No existen datos');
    expect(estado(sri, '123', at('2026-08-26'))).toContain('99 La clave');
    const january = new InProcessSri({ processingMs: { min: 0, max: 0 } });
    const december = keyOf('01', '31/12/2026');
    january.submit(Buffer.from(`<claveAcceso>${december}</claveAcceso>`), at('2026-12-31'));
    expect(estado(january, december, at('2027-01-31'))).toBe('AUTORIZADO');
  });

  it('names type, issuer and date', () => {
    const { sri, key } = holding('07');
    expect(sri.consult(key, at('2026-08-26'))).toMatchObject({
      outcome: { accessKey: key, refusal: null, documentType: 'Comprobante de retención', issuerRuc: '1790012345001', authorizedAt: at('2026-08-25'), messages: [] },
    });
  });
});
