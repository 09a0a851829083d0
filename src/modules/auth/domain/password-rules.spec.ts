import { passwordProblem } from './password-rules.js';

const own = ['maria.perez@example.com', 'María Pérez', 'Comercial Andina'];

describe('password rules', () => {
  it.each([
    ['12345678', 'common'],
    ['Password', 'common'],
    ['P@ssw0rd!', 'common'],
    ['Contraseña2026', 'common'],
    ['guayaquil1234', 'common'],
    ['aaaaaaaabb', 'repetitive'],
    ['abcdefghijk', 'sequence'],
    ['poiuytrew987', 'sequence'],
    ['hgfedcba321', 'sequence'],
    ['Perez-2026', 'like_own_data'],
    ['comercial99', 'like_own_data'],
    ['maria.perez@example.com', 'like_own_data'],
  ])('refuse %s: %s', (password, problem) => {
    expect(passwordProblem(password, own)).toBe(problem);
  });

  it.each([' cuatro palabras al azar ', 'tZ8#kq2!', '日本語のパスワード', 'x\u0000y and some more', 'a'.repeat(80) + 'bcdX9'])('accept %j', (password) => {
    expect(passwordProblem(password, own)).toBeNull();
  });
});
