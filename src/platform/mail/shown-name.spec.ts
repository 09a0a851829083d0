import { shownName } from './shown-name.js';

describe('a name in a mail to strangers', () => {
  it.each(['Comercial Andina S.A.', 'Café & Ñandú S.A.S.', 'María José Peña', 'Importadora 4.0', 'Dr. Pérez', 'A. B. C.'])('is shown as it is: %s', (name) => {
    expect(shownName(name)).toBe(name);
  });

  it.each([
    ['Ana\r\nBcc: everybody@example.com\n\nPague', 'Ana Bcc: Pague'],
    ['Gane https://evil.example/x?y=1 hoy', 'Gane hoy'],
    ['Gane HTTP://10.0.0.1 hoy', 'Gane hoy'],
    ['Vea www.evil hoy', 'Vea hoy'],
    ['Vea (evil.com) hoy', 'Vea hoy'],
    ['Vea evil.com/premio, ya', 'Vea ya'],
    ['Vea evil\uFF0Ecom hoy', 'Vea hoy'],
    ['Vea пример.рф hoy', 'Vea hoy'],
    ['Vea evil.xn--p1ai hoy', 'Vea hoy'],
    ['Vea e\u200Bvil.com hoy', 'Vea e hoy'],
    ['COMERCIAL CIA.LTDA.', 'COMERCIAL CIA. LTDA.'],
    ['evil.com', ''],
    ['  \t ', ''],
  ])('carries nothing to click: %j', (name, shown) => {
    expect(shownName(name)).toBe(shown);
  });

  it('has a bound, in characters', () => {
    expect(shownName('ñ'.repeat(80))).toBe('ñ'.repeat(80));
    expect(shownName('😀'.repeat(200))).toBe(`${'😀'.repeat(79)}…`);
  });

  it('is read in linear time', () => {
    expect(shownName(`${'a.'.repeat(500_000)}b`).length).toBe(80);
    expect(shownName(' '.repeat(1_000_000))).toBe('');
  });
});
