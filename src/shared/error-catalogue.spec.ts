import { type ErrorCode, messageOf } from './error-catalogue.js';

describe('the message of an error code', () => {
  it('names a code that a later version wrote, and fails neither at it nor at a name of every object', () => {
    for (const code of ['OF_A_LATER_VERSION', 'constructor'] as unknown as ErrorCode[]) {
      expect(messageOf(code, 'es')).toBe(`Error ${code}. Consulte su significado en la documentación.`);
      expect(messageOf(code, 'en')).toBe(`Error ${code}. Look its meaning up in the documentation.`);
    }
  });
});
