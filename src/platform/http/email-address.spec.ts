import { accountAddress, isEmailAddress } from './email-address.js';

describe('an e-mail address', () => {
  it.each([
    ['ana@cabana.ec', 'ana@cabana.ec'], ['Ana@CABANA.ec', 'ana@cabana.ec'], [' ana@ｃabana.ec ', 'ana@cabana.ec'], ['ana@𝐜𝐚bana.ec', 'ana@cabana.ec'],
    ['ana@xn--caf-dma.ec', 'ana@café.ec'], ['ana@XN--CAF-DMA.EC', 'ana@café.ec'], ['ana@CAFÉ.ec', 'ana@café.ec'], ['ana@cafe\u0301.ec', 'ana@café.ec'],
    ['ñandú+x@example.com', 'ñandú+x@example.com'],
    // Cherokee: the standard of domains makes them capitals, lower case is what is kept.
    ['ana@\uAB70.com', 'ana@\uAB70.com'], ['ana@\u13A0.com', 'ana@\uAB70.com'], ['ana@xn--58d.com', 'ana@\uAB70.com'], ['\u13A0@\u13F8.com', '\uAB70@\u13F8.com'],
    // A sign, and letters with combining marks: the form of the wire is the one that is taken.
    ['ana@xn--i-7iq.ws', 'ana@xn--i-7iq.ws'], ['ana@XN--J2BD4CYAC6F.xn--h2brj9c', 'ana@xn--j2bd4cyac6f.xn--h2brj9c'],
  ])('of an account, written %s, is %s', (written, kept) => {
    expect([accountAddress(written), accountAddress(kept), isEmailAddress(kept)]).toEqual([kept, kept, true]);
  });

  it.each(['ana@xn--zzzzzzzz.ec', 'ana@xn--a.ec', 'ana@xn--cabana-.ec', 'ana@a.256', 'ana@ec', 'ana@cabana.ec/x', 'ana@cabana.ec:25', 'ana@cab\nana.ec', 'ana@@cabana.ec', 'ana', 'ana@127.0.0.1', 'ana@1.2', 'ana@0x7f.1', 'ana@１２７.１'])(
    'is not %j, which stays apart from all others', (text) => {
      expect([isEmailAddress(text), accountAddress(text)]).toEqual([false, text]);
    });

  it('of an account is in lower case and one form, whatever letters it was written in', () => {
    const letters = Array.from({ length: 0x110000 }, (_, code) => (code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code))).filter((sign) => /\p{Cased}/u.test(sign));
    const kept = letters.map((letter) => accountAddress(`${letter}a@${letter}a.com`));
    expect(kept.filter((address) => address !== address.toLowerCase() || address !== accountAddress(address))).toEqual([]);
  });

  it('of others is taken as it is written', () => {
    expect(['ana@xn--caf-dma.ec', 'ana@ｃabana.ec'].map(isEmailAddress)).toEqual([true, true]);
  });
});
