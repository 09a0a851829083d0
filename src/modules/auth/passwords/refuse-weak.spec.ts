import { weakness } from './refuse-weak.js';

const own = ['maria.perez@example.com', 'María Pérez', 'Comercial Andina'];

describe('password rules', () => {
  it.each([
    ['12345678', 'common'],
    ['Password', 'common'],
    ['P@ssw0rd!', 'common'],
    ['Contraseña2026', 'common'],
    ['guayaquil1234', 'common'],
    // Of the most used of leaks.
    ['corvette', 'common'],
    ['Metallica', 'common'],
    ['1q2w3e4r5t6y', 'common'],
    ['1qaz@WSX', 'common'],
    ['12345678a', 'common'],
    // Words of them, decorated.
    ['Slipknot#99', 'common'],
    ['m1dnight2026', 'common'],
    ['aaaaaaaabb', 'repetitive'],
    ['3456789x', 'sequence'],
    ['Ijklmnop-1', 'sequence'],
    ['abcdefghijk', 'sequence'],
    ['poiuytrew987', 'sequence'],
    ['hgfedcba321', 'sequence'],
    ['Perez-2026', 'like_own_data'],
    ['comercial99', 'like_own_data'],
    ['maria.perez@example.com', 'like_own_data'],
  ])('refuse %s: %s', (password, problem) => {
    expect(weakness(password, own)).toEqual([{ field: 'password', type: 'weak_password', ctx: { reason: problem } }]);
  });

  it.each([' cuatro palabras al azar ', 'tZ8#kq2!', '日本語のパスワード', 'correct horse battery staple', 'guitarra azul en quito', 'x\u0000y and some more', 'a'.repeat(80) + 'bcdX9'])('accept %j', (password) => {
    expect(weakness(password, own)).toEqual([]);
  });
});
