import { invitationLetter, letterOf } from './letters.js';

const errand = { name: 'Ana\r\nBcc: everybody@example.com\n\nPague aquí: https://evil.example', link: 'https://panel.example/x#token=t', token: 't' };

describe('letters', () => {
  it.each(['verifyEmail', 'resetPassword'] as const)('say %s in the language of their reader, with link and token', (kind) => {
    const [es, en] = [letterOf(kind, errand, 'es'), letterOf(kind, errand, 'en')];
    expect(es.text).toMatch(/^Hola, /);
    expect(en.text).toMatch(/^Hello, /);
    for (const { text, subject } of [es, en]) {
      expect(text).toContain(`\n${errand.link}\n`);
      expect(text).toMatch(/^(?:Código|Code): t$/m);
      expect(subject).not.toMatch(/[\r\n]/);
    }
  });

  it('keep what others chose on one line', () => {
    expect(letterOf('verifyEmail', errand, 'es').text.split('\n')[0]).toBe('Hola, Ana Bcc: everybody@example.com Pague aquí: https://evil.example:');
    const { subject } = invitationLetter('Andina\r\nBcc: everybody@example.com', errand);
    expect(subject).toBe('Invitación a Andina Bcc: everybody@example.com en Sello / Invitation to Andina Bcc: everybody@example.com at Sello');
  });
});
