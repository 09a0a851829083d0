import * as der from '../../../test/support/der-writer.js';
import { Asn1Error, childrenOf, integerOf, octetsOf, oidOf, readAsn1, smallIntegerOf, textOf } from './der.js';

describe('the ASN.1 reader', () => {
  it.each(['1.2.840.113549.1.12.10.1.2', '2.5.4.97', '1.3.6.1.4.1.37746.3.11', '2.999.3', '2.16.840.1.101.3.4.2.1'])(
    'reads the identifier %s',
    (dotted) => {
      // The writer knows only short first arcs, so 2.999 is given as bytes.
      const bytes = dotted === '2.999.3' ? Buffer.from('0603883703', 'hex') : der.oid(dotted);
      expect(oidOf(readAsn1(bytes))).toBe(dotted);
    },
  );

  it('reads integers of any size and sign', () => {
    expect(integerOf(readAsn1(der.integer(2n ** 159n - 1n)))).toBe(2n ** 159n - 1n);
    expect(integerOf(readAsn1(Buffer.from('0201ff', 'hex')))).toBe(-1n);
    expect(() => smallIntegerOf(readAsn1(der.integer(2n ** 40n)))).toThrow(Asn1Error);
  });

  it('refuses numbers longer than any certificate has, whose reading would take seconds', () => {
    expect(() => oidOf(readAsn1(der.tlv(0x06, Buffer.concat([Buffer.alloc(20_000, 0x81), Buffer.from([1])]))))).toThrow('object identifier too long');
    expect(() => integerOf(readAsn1(der.tlv(0x02, Buffer.alloc(20_000, 1))))).toThrow('integer too long');
    expect(integerOf(readAsn1(der.integer(2n ** 16_383n)))).toBe(2n ** 16_383n);
  });

  it('reads every string type', () => {
    expect(textOf(readAsn1(der.utf8('ñandú €')))).toBe('ñandú €');
    expect(textOf(readAsn1(der.bmp('ñandú €')))).toBe('ñandú €');
    expect(textOf(readAsn1(der.t61('ñandú')))).toBe('ñandú');
    expect(textOf(readAsn1(der.printable('abc')))).toBe('abc');
    expect(textOf(readAsn1(der.tlv(0x1c, Buffer.from('0001f600', 'hex'))))).toBe('😀');
    expect(textOf(readAsn1(der.integer(1)))).toBeNull();
  });

  it('reads indefinite lengths and octet strings in pieces', () => {
    const pieces = der.indefinite(
      0x24,
      der.octets(Buffer.from('ab')),
      der.indefinite(0x24, der.octets(Buffer.from('cd'))),
    );
    const [octets, after] = childrenOf(readAsn1(der.indefinite(0x30, pieces, der.integer(7))));
    expect(octetsOf(octets!).toString()).toBe('abcd');
    expect(smallIntegerOf(after!)).toBe(7);
  });

  it.each([
    ['nothing', ''],
    ['a cut length', '3082'],
    ['a length beyond the end', '30050201'],
    ['a length of five bytes', '308500000000010a'],
    ['trailing bytes', '02010100'],
    ['an endless indefinite length', '30800201'],
    ['an indefinite length of a primitive', '04800000'],
    ['a high tag number', '1f8101'],
  ])('refuses %s', (_name, hex) => {
    expect(() => readAsn1(Buffer.from(hex, 'hex'))).toThrow(Asn1Error);
  });

  it('refuses deep nesting quickly', () => {
    let bomb = der.integer(1);
    for (let i = 0; i < 10_000; i++) bomb = Buffer.concat([Buffer.from([0x30, 0x80]), bomb, Buffer.from([0, 0])]);
    expect(() => readAsn1(bomb)).toThrow('nested too deeply');
    const walk = (element: ReturnType<typeof readAsn1>): void => childrenOf(element).forEach(walk);
    let deep = der.sequence();
    for (let i = 0; i < 100; i++) deep = der.sequence(deep);
    expect(() => walk(readAsn1(deep))).toThrow('nested too deeply');
  });
});
