import * as der from '../../../test/support/der-writer.js';
import { name, OID, type RelativeName } from '../../../test/support/pki.js';
import { readAsn1 } from './der.js';
import { javaIssuerName, nameAttribute, readableName } from './issuer-name.js';

const java = (...attributes: readonly RelativeName[]): string => javaIssuerName(readAsn1(name(...attributes)));

/** That Java reads these back as the same name is proven in test/kernel/signature-issuer-name.spec.ts. */
describe('the issuer name as Java prints it', () => {
  it('reverses the order, without spaces', () => {
    expect(
      java(
        [OID.c, der.printable('EC')],
        [OID.o, der.utf8('BANCO CENTRAL DEL ECUADOR')],
        [OID.l, der.utf8('QUITO')],
        [OID.cn, der.utf8('AC BANCO CENTRAL DEL ECUADOR')],
      ),
    ).toBe('CN=AC BANCO CENTRAL DEL ECUADOR,L=QUITO,O=BANCO CENTRAL DEL ECUADOR,C=EC');
  });

  it.each([
    [
      OID.organizationIdentifier,
      der.utf8('VATEC-1790012345001'),
      '2.5.4.97=#0c1356415445432d31373930303132333435303031',
    ],
    [OID.serialNumber, der.printable('0102'), '2.5.4.5=#130430313032'],
    [OID.email, der.ia5('ca@a.ec'), '1.2.840.113549.1.9.1=#1607636140612e6563'],
    [OID.title, der.utf8('x'), '2.5.4.12=#0c0178'],
  ])('writes %s in numbers', (type, value, expected) => {
    expect(java([type, value])).toBe(expected);
  });

  it.each([
    ['Nandú, S.A.', 'CN=Nandú\\, S.A.'],
    ['A & B + C', 'CN=A & B \\+ C'],
    ['a"b\\c<d>e;f=g#h', 'CN=a\\"b\\\\c\\<d\\>e\\;f\\=g\\#h'],
    ['  two  ', 'CN=\\ \\ two\\ \\ '],
    [' ', 'CN=\\ '],
    ["$' $& $1", "CN=$' $& $1"],
    ['#start', 'CN=\\#start'],
    ['', 'CN='],
  ])('escapes %j', (text, expected) => {
    expect(java([OID.cn, der.utf8(text)])).toBe(expected);
  });

  it('writes string types in hexadecimal that a keyword would change', () => {
    expect(java([OID.cn, der.bmp('Ñ')])).toBe('CN=#1e0200d1');
    expect(java([OID.cn, der.t61('Ñ')])).toBe('CN=#1401d1');
    expect(java([OID.cn, der.ia5('a')])).toBe('CN=#160161');
    expect(java([OID.dc, der.ia5('gob')])).toBe('DC=gob');
    expect(java([OID.dc, der.utf8('gob')])).toBe('DC=#0c03676f62');
    expect(java([OID.cn, der.utf8('a\nb')])).toBe('CN=#0c03610a62');
  });

  it('joins a relative name of several attributes by +', () => {
    expect(
      java(
        [OID.c, der.printable('EC')],
        [
          [OID.cn, der.utf8('A')],
          [OID.uid, der.utf8('7')],
        ],
      ),
    ).toBe('CN=A+UID=7,C=EC');
  });

  it('has a readable form and single attributes', () => {
    const asn1 = readAsn1(
      name([OID.c, der.printable('EC')], [OID.email, der.ia5('ca@a.ec')], [OID.cn, der.bmp('Ñandú')]),
    );
    expect(readableName(asn1)).toBe('CN=Ñandú, EMAILADDRESS=ca@a.ec, C=EC');
    expect(nameAttribute(asn1, OID.email)).toBe('ca@a.ec');
    expect(nameAttribute(asn1, OID.o)).toBeNull();
  });

  it.each(['a\u0000b', 'a\nb', 'a\u0085b'])('is read in hexadecimal where it holds a control character: %j', (text) => {
    const value = der.utf8(text);
    expect(readableName(readAsn1(name([OID.cn, value])))).toBe(`CN=#${Buffer.from(value).toString('hex')}`);
  });
});
