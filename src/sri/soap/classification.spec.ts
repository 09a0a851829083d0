import { authorizationState, classifyRefused, classifyReturned, rowOf, type AnswerClass } from './classification.js';
import type { SriMessage } from './message.js';

const message = (identifier: string | null, messageType = 'ERROR'): SriMessage => ({
  identifier,
  message: 'x',
  additionalInfo: null,
  messageType,
});
const returned = (...codes: (string | null)[]) => classifyReturned(codes.map((code) => message(code)));
const refused = (...codes: (string | null)[]) => classifyRefused(codes.map((code) => message(code)));

/** Every code of the SRI's table with what a DEVUELTA and a NO AUTORIZADO bearing it alone mean. */
const TABLE: readonly (readonly [string, AnswerClass, AnswerClass, object?])[] = [
  ['2', 'blocked', 'blocked', { scope: 'issuer', mendable: 'unblock' }],
  ['10', 'blocked', 'blocked', { scope: 'establishment', mendable: 'unblock' }],
  ['26', 'refused', 'refused', { ours: true }],
  ['27', 'blocked', 'blocked', { scope: 'issuer' }],
  ['28', 'blocked', 'blocked', { scope: 'issuer' }],
  ['34', 'blocked', 'blocked', { scope: 'document_type' }],
  ['35', 'refused', 'refused', { ours: true }],
  ['36', 'refused', 'refused', { ours: true }],
  ['37', 'blocked', 'blocked', { scope: 'issuer' }],
  ['39', 'refused', 'refused', { mendable: 'resign' }],
  ['40', 'refused', 'refused', { mendable: 'resign' }],
  ['42', 'refused', 'refused', { mendable: 'resign' }],
  ['43', 'held_by_sri', 'refused'],
  ['45', 'sequential_taken', 'refused'],
  ['46', 'refused', 'refused'],
  ['47', 'refused', 'refused', { ours: true }],
  ['48', 'refused', 'refused', { ours: true }],
  ['49', 'refused', 'refused', { ours: true }],
  ['50', 'transient', 'refused', { mendable: 'resign' }],
  ['52', 'refused', 'refused'],
  ['56', 'blocked', 'blocked', { scope: 'establishment' }],
  ['57', 'blocked', 'blocked', { scope: 'issuer' }],
  ['58', 'refused', 'refused', { ours: true }],
  ['59', 'refused', 'refused', { code: null }],
  ['60', 'refused', 'refused', { code: null }],
  ['62', 'refused', 'refused', { code: null }],
  ['63', 'blocked', 'blocked', { scope: 'issuer' }],
  ['64', 'refused', 'refused'],
  ['65', 'refused', 'refused'],
  ['67', 'refused', 'refused', { ours: true }],
  ['68', 'refused', 'refused', { code: null }],
  ['69', 'refused', 'refused'],
  ['70', 'held_by_sri', 'refused'],
  ['80', 'refused', 'refused'],
  ['82', 'refused', 'refused'],
  ['92', 'refused', 'refused'],
  ['99', 'refused', 'refused'],
  ['2000', 'refused', 'refused', { code: '2000' }],
];

describe('what a code means', () => {
  it.each(TABLE.map(([code, ...rest]) => ({ code, rest })))(
    '$code',
    ({ code, rest: [atReception, atAuthorization, rest = {}] }) => {
      expect(returned(code)).toMatchObject({ class: atReception });
      expect(refused(code)).toMatchObject({ class: atAuthorization, ...rest });
      if (atReception === atAuthorization && code !== '80') expect(returned(code)).toMatchObject(rest);
    },
  );

  it('says nothing more than the row', () => {
    expect(returned('52')).toEqual({ class: 'refused', code: '52' });
    expect(returned('43')).toEqual({ class: 'held_by_sri', code: '43' });
  });

  it('takes warnings for warnings and failed queries for no evidence', () => {
    for (const code of ['59', '60', '62', '68']) expect(rowOf('authorization', code)?.class).toBe('warning');
    for (const service of ['authorization', 'consultation'] as const) {
      expect(rowOf(service, '80')).toEqual({ class: 'no_evidence', ours: true });
      expect(rowOf(service, '99')).toEqual({ class: 'no_evidence' });
    }
    expect(rowOf('consultation', '43')).toBeUndefined();
  });

  it('denies by default: unknown, missing and strange codes are refused by the estado alone', () => {
    for (const code of ['12345', '', 'constructor', '__proto__', 'toString', 'ERROR', null]) {
      expect(returned(code)).toEqual({ class: 'refused', code });
      expect(refused(code)).toEqual({ class: 'refused', code });
    }
    expect(returned()).toEqual({ class: 'refused', code: null });
    expect(refused()).toEqual({ class: 'refused', code: null });
  });

  it('reads codes with zeros and spaces', () => {
    expect(returned('043').class).toBe('held_by_sri');
    expect(returned(' 70 ').class).toBe('held_by_sri');
  });
});

describe('several messages', () => {
  it.each([
    [['35', '43'], 'held_by_sri'],
    [['45', '70'], 'held_by_sri'],
    [['57', '45'], 'sequential_taken'],
    [['39', '57'], 'blocked'],
    [['50', '35'], 'refused'],
    [['50', 'unknown'], 'refused'],
    [['50', '50'], 'transient'],
  ] as const)('%j at reception are %s', (codes, expected) => {
    expect(returned(...codes).class).toBe(expected);
  });

  it('may be signed again only when nothing but the signature is wrong', () => {
    expect(refused('39', '42')).toMatchObject({ class: 'refused', mendable: 'resign' });
    expect(refused('39', '52')).not.toHaveProperty('mendable');
    expect(refused('39', '60')).toMatchObject({ mendable: 'resign' });
  });

  it('ignores warnings, also of blocking and unknown codes', () => {
    expect(classifyRefused([message('57', 'ADVERTENCIA'), message('39')])).toMatchObject({
      class: 'refused',
      code: '39',
    });
    expect(classifyReturned([message('999', 'INFORMATIVO'), message('50')])).toMatchObject({ class: 'transient' });
    expect(classifyReturned([message('60', 'ADVERTENCIA')])).toEqual({ class: 'refused', code: null });
  });

  it('never sends again what the SRI holds, whatever the type of the message says', () => {
    expect(classifyReturned([message('43', 'INFORMATIVO')]).class).toBe('held_by_sri');
    expect(classifyReturned([message('70', 'ADVERTENCIA')]).class).toBe('held_by_sri');
    expect(classifyReturned([message('45', 'ADVERTENCIA')]).class).toBe('sequential_taken');
  });
});

describe('the estado of an entry', () => {
  it.each([
    ['AUTORIZADO', 'authorized'],
    ['NO AUTORIZADO', 'refused'],
    ['RECHAZADO', 'refused'],
    ['EN PROCESO', 'in_process'],
    ['EN PROCESAMIENTO', 'in_process'],
    ['PPR', 'in_process'],
    ['RECHAZADA', 'unknown'],
    ['', 'unknown'],
    ['AUTORIZADA', 'unknown'],
    ['constructor', 'unknown'],
  ])('%s is %s', (estado, state) => {
    expect(authorizationState(estado)).toBe(state);
  });
});
