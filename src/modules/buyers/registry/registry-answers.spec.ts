import { readExists, readHeadOffice, readTaxpayer } from './registry-answers.js';
import { RegistryUnavailable } from './taxpayer-registry.js';

const RUC = '1790012345001';
const row = (change: object = {}): object => ({ numeroRuc: RUC, razonSocial: 'FERRETERÍA VERA S.A.', estadoContribuyenteRuc: 'ACTIVO', tipoContribuyente: 'SOCIEDAD', regimen: 'GENERAL', ...change });
const office = (change: object = {}): object => ({ numeroEstablecimiento: '001', nombreFantasiaComercial: 'EL CLAVO', direccionCompleta: 'AV. LOJA N12', matriz: 'SI', ...change });

type Case = readonly [name: string, body: string];

/** What no reader may take for an answer. */
const HOSTILE: readonly Case[] = [
  ['a page', '<!DOCTYPE html><html><body>Estamos en mantenimiento</body></html>'],
  ['half an answer', JSON.stringify([row()]).slice(0, 60)],
  ['a byte order mark', `\ufeff${JSON.stringify([row()])}`],
  ['spaces', '   '],
  ['null', 'null'],
  ['a number', '1'],
  ['a text', '"true"'],
  ['an error', '{"codigo":"500","mensaje":"Error interno"}'],
  ['a list of nothing', '[null]'],
  ['a list in a list', `[${JSON.stringify([row()])}]`],
  ['brackets without end', '['.repeat(100_000)],
  ['a prototype', '{"__proto__":{"polluted":true}}'],
];

describe('whether a RUC exists', () => {
  it.each([['true', true], ['false', false], [' false\n', false]])('%p', (body, answer) => {
    expect(readExists(body)).toBe(answer);
  });

  it.each<Case>([...HOSTILE, ['nothing', ''], ['an empty list', '[]'], ['another case', 'FALSE']])('is not told by %s', (_name, body) => {
    expect(() => readExists(body)).toThrow(RegistryUnavailable);
  });
});

describe('the taxpayer', () => {
  it('is read', () => {
    expect(readTaxpayer(JSON.stringify([row()]), RUC)).toEqual({ legalName: 'FERRETERÍA VERA S.A.', status: 'ACTIVO', type: 'SOCIEDAD' });
  });

  it.each(['', '[]'])('is nobody in %p', (body) => {
    expect(readTaxpayer(body, RUC)).toBeNull();
  });

  it('is told without what the registry leaves out', () => {
    expect(readTaxpayer(JSON.stringify([{ numeroRuc: RUC, razonSocial: 'X', estadoContribuyenteRuc: null, tipoContribuyente: ' ' }]), RUC)).toEqual({ legalName: 'X', status: null, type: null });
  });

  it('has a name that can be printed: no control or invisible characters, no runs of spaces', () => {
    expect(readTaxpayer(JSON.stringify([row({ razonSocial: '  COMERCIAL \t\r\n  N\u0303AN\u0303A\u202e\u3164 \u0000S.A.\ufeff ' })]), RUC)?.legalName).toBe('COMERCIAL ÑAÑA S.A.');
  });

  it.each<Case>([
    ...HOSTILE,
    ['another RUC', JSON.stringify([row({ numeroRuc: '1790012346001' })])],
    ['the RUC as a number', JSON.stringify([row({ numeroRuc: 1790012345001 })])],
    ['the same RUC twice', JSON.stringify([row(), row({ razonSocial: 'OTRA' })])],
    ['no name', JSON.stringify([row({ razonSocial: undefined })])],
    ['a name of nothing but control characters', JSON.stringify([row({ razonSocial: '\u0000\n ' })])],
    ['a name that is an object', JSON.stringify([row({ razonSocial: { toString: 'x' } })])],
    ['a name without end', JSON.stringify([row({ razonSocial: 'X'.repeat(301) })])],
    ['a state that is a list', JSON.stringify([row({ estadoContribuyenteRuc: ['ACTIVO'] })])],
    ['a state without end', JSON.stringify([row({ estadoContribuyenteRuc: 'A'.repeat(101) })])],
  ])('is not told by %s', (_name, body) => {
    expect(() => readTaxpayer(body, RUC)).toThrow(RegistryUnavailable);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('is not quoted by the refusal', () => {
    expect(() => readTaxpayer(JSON.stringify([row({ numeroRuc: '1710034065001' })]), RUC)).toThrow(/^[^0-9]+$/);
  });
});

describe('the head office', () => {
  it.each([
    ['where it says so', [office({ numeroEstablecimiento: '002', matriz: 'NO', direccionCompleta: 'OTRA' }), office({ numeroEstablecimiento: '003' })]],
    ['which is the first one where nothing says so', [office({ numeroEstablecimiento: '002', matriz: null, direccionCompleta: 'OTRA' }), office({ matriz: undefined })]],
  ])('is found %s', (_name, rows) => {
    expect(readHeadOffice(JSON.stringify(rows))).toEqual({ tradeName: 'EL CLAVO', address: 'AV. LOJA N12' });
  });

  it.each(['', '[]', JSON.stringify([office({ numeroEstablecimiento: '002', matriz: 'NO' })])])('is unknown in %p', (body) => {
    expect(readHeadOffice(body)).toEqual({ tradeName: null, address: null });
  });

  it.each<Case>([
    ...HOSTILE,
    ['an address without end', JSON.stringify([office({ direccionCompleta: 'X'.repeat(501) })])],
    ['establishments without end', JSON.stringify(Array.from({ length: 5_001 }, () => office()))],
  ])('is not told by %s', (_name, body) => {
    expect(() => readHeadOffice(body)).toThrow(RegistryUnavailable);
  });
});
