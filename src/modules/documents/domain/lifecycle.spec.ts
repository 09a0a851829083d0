import { EVENT_CATALOGUE } from '../../../shared/event-catalogue.js';
import { allMoves, allows, DOCUMENT_STATUSES, type DocumentStatus, EVENT_OF_STATE, isMoving, isSettled, LIFECYCLE, target, type Trigger, VALID_STATUSES } from './lifecycle.js';

const SPECIFIED = [
  'DRAFT', 'VALIDATED', 'NUMBER_RESERVED', 'XML_GENERATED', 'SIGNED', 'RECEPTION_PENDING', 'SUBMITTED_TO_SRI', 'RECEIVED_BY_SRI',
  'AUTHORIZATION_PENDING', 'AUTHORIZED', 'REJECTED', 'RECEPTION_RETRY_SCHEDULED', 'AUTHORIZATION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN',
  'AUTHORIZATION_UNKNOWN', 'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT', 'CANCELLATION_REQUESTED', 'CANCELLED', 'VOIDED_BY_NC',
];

describe('the lifecycle table', () => {
  it('has exactly the states of the interface specification 2.6', () => {
    expect([...DOCUMENT_STATUSES].sort()).toEqual([...SPECIFIED].sort());
  });

  it('leads only to states that exist', () => {
    for (const { to } of allMoves()) expect(DOCUMENT_STATUSES).toContain(to);
  });

  it('reaches every state from the two beginnings', () => {
    const reached = new Set<DocumentStatus>(['DRAFT', 'NUMBER_RESERVED']);
    for (let grown = true; grown; ) {
      grown = false;
      for (const { from, to } of allMoves()) {
        if (reached.has(from) && !reached.has(to)) {
          reached.add(to);
          grown = true;
        }
      }
    }
    expect([...reached].sort()).toEqual([...SPECIFIED].sort());
  });

  it('leaves no state without a way out unless it is final', () => {
    const deadEnds = DOCUMENT_STATUSES.filter((status) => Object.keys(LIFECYCLE[status].moves).length === 0);
    expect(deadEnds).toEqual(['CANCELLED']);
    for (const status of deadEnds) expect(LIFECYCLE[status].final).toBe(true);
  });

  it('has work due in every state that goes on by itself or is compared with the SRI again, and says what a lost worker means there', () => {
    const waitsForSomebody = new Set(['DRAFT', 'VALIDATED']);
    const comparedAgain = new Set(['REJECTED', 'FAILED_PERMANENT']);
    for (const status of DOCUMENT_STATUSES) {
      const { final, step, lostLease } = LIFECYCLE[status];
      expect([status, step !== null]).toEqual([status, comparedAgain.has(status) || (!final && !waitsForSomebody.has(status))]);
      expect([status, lostLease !== null]).toEqual([status, step !== null]);
    }
  });

  it('sorts the states into those that are valid, need a person, are settled and move by themselves', () => {
    const those = (test: (status: DocumentStatus) => boolean): string[] => DOCUMENT_STATUSES.filter(test).sort();
    expect(those((status) => LIFECYCLE[status].final)).toEqual(['AUTHORIZED', 'CANCELLED', 'FAILED_PERMANENT', 'REJECTED', 'VOIDED_BY_NC']);
    // In the order in which an error names them.
    expect(VALID_STATUSES).toEqual(['AUTHORIZED', 'CANCELLATION_REQUESTED', 'VOIDED_BY_NC']);
    expect(those((status) => LIFECYCLE[status].needsPerson)).toEqual(['FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED']);
    expect(those(isSettled)).toEqual(['AUTHORIZED', 'CANCELLED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED', 'REJECTED', 'VOIDED_BY_NC']);
    expect(those(isMoving)).toEqual([
      'AUTHORIZATION_PENDING', 'AUTHORIZATION_RETRY_SCHEDULED', 'AUTHORIZATION_UNKNOWN', 'CANCELLATION_REQUESTED', 'NUMBER_RESERVED', 'RECEIVED_BY_SRI',
      'RECEPTION_PENDING', 'RECEPTION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN', 'SIGNED', 'SUBMITTED_TO_SRI', 'XML_GENERATED',
    ]);
  });

  it('asks before it sends wherever a document may have arrived', () => {
    for (const status of DOCUMENT_STATUSES) {
      if (!LIFECYCLE[status].ambiguous || status === 'SUBMITTED_TO_SRI') continue;
      expect([status, LIFECYCLE[status].step]).toEqual([status, 'authorize']);
      expect(Object.keys(LIFECYCLE[status].moves)).not.toContain('sending');
    }
    expect(LIFECYCLE.SUBMITTED_TO_SRI.lostLease).toBe('ask');
  });

  it('never refuses or fails what was authorized, and lets evidence of an authorization win over a refusal', () => {
    expect(Object.values(LIFECYCLE.AUTHORIZED.moves).sort()).toEqual(['CANCELLATION_REQUESTED', 'VOIDED_BY_NC']);
    for (const status of ['REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'] as const) expect(target(status, 'authorized')).toBe('AUTHORIZED');
  });

  it('defines for every pair of state and trigger either one move or none', () => {
    const triggers = [...new Set(allMoves().map(({ trigger }) => trigger))];
    const defined = new Map(allMoves().map(({ from, trigger, to }) => [`${from} ${trigger}`, to]));
    let moves = 0;
    for (const from of DOCUMENT_STATUSES) {
      for (const trigger of triggers) {
        const expected = defined.get(`${from} ${trigger}`);
        if (expected === undefined) expect(() => target(from, trigger)).toThrow(`no move ${trigger} from ${from}`);
        else {
          expect(target(from, trigger)).toBe(expected);
          moves += 1;
        }
      }
    }
    expect(moves).toBe(allMoves().length);
  });

  it('allows each action exactly where decisions, section 4, say so', () => {
    const allowedIn = (action: Parameters<typeof allows>[1]): string[] => DOCUMENT_STATUSES.filter((status) => allows(status, action)).sort();
    expect(allowedIn('cancel')).toEqual(['AUTHORIZED']);
    expect(allowedIn('credit')).toEqual(['AUTHORIZED']);
    expect(allowedIn('correct')).toEqual(['REJECTED']);
    expect(allowedIn('abandon')).toEqual(['MANUAL_REVIEW_REQUIRED', 'REJECTED']);
    expect(allowedIn('edit')).toEqual(['DRAFT']);
    expect(allowedIn('delete')).toEqual(['DRAFT']);
    expect(allowedIn('retry')).toEqual([
      'AUTHORIZATION_RETRY_SCHEDULED', 'AUTHORIZATION_UNKNOWN', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED', 'RECEPTION_RETRY_SCHEDULED',
      'RECEPTION_UNKNOWN', 'REJECTED',
    ]);
    expect(allowedIn('reconcile')).toEqual([
      'AUTHORIZATION_PENDING', 'AUTHORIZATION_RETRY_SCHEDULED', 'AUTHORIZATION_UNKNOWN', 'CANCELLATION_REQUESTED', 'MANUAL_REVIEW_REQUIRED',
      'RECEIVED_BY_SRI', 'RECEPTION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN', 'REJECTED', 'SUBMITTED_TO_SRI',
    ]);
  });

  it('tells callers about every state they must know of', () => {
    for (const status of DOCUMENT_STATUSES.filter((candidate) => LIFECYCLE[candidate].final)) expect(EVENT_OF_STATE[status]).toBeDefined();
    expect(EVENT_OF_STATE.MANUAL_REVIEW_REQUIRED).toBe('document.manual_review_required');
  });

  it('names in the catalogue, in both languages, every way back into authorization: its event comes again then', () => {
    const told: Partial<Record<Trigger, { readonly en: string; readonly es: string }>> = {
      cancellation_withdrawn: { en: 'cancellation was withdrawn', es: 'se retiró su anulación' },
      cancellation_lapsed: { en: 'cancellation lapsed', es: 'su anulación caducó' },
      credit_annulled: { en: 'credit note that voided it was annulled', es: 'se anuló la nota de crédito' },
    };
    // From there only what was authorized before is authorized.
    const back = allMoves().filter(({ from, to }) => to === 'AUTHORIZED' && ['CANCELLATION_REQUESTED', 'CANCELLED', 'VOIDED_BY_NC'].includes(from));
    expect(back.map(({ trigger }) => trigger).sort()).toEqual(Object.keys(told).sort());
    const { en, es } = EVENT_CATALOGUE['document.authorized'];
    for (const { trigger } of back) expect([trigger, en.includes(told[trigger]!.en), es.includes(told[trigger]!.es)]).toEqual([trigger, true, true]);
  });

  it('types its triggers from the table', () => {
    const trigger: Trigger = 'authorized';
    expect(allMoves().some((move) => move.trigger === trigger)).toBe(true);
  });
});
