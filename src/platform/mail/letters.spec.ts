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

  it('carry nothing to click of what others chose', () => {
    for (const kind of ['verifyEmail', 'resetPassword'] as const) {
      expect(letterOf(kind, errand, 'es').text.split('\n')[0]).toBe('Hola, Ana Bcc: Pague aquí::');
      expect(letterOf(kind, { ...errand, name: 'evil.example' }, 'en').text.split('\n')[0]).toBe('Hello:');
    }
    const { subject, text } = invitationLetter('Andina\r\nBcc: everybody@example.com https://evil.example', errand);
    expect(subject).toBe('Invitación a Andina Bcc: en Sello / Invitation to Andina Bcc: at Sello');
    expect(text.match(/https:\/\/\S+/g)).toEqual([errand.link]);
    expect(invitationLetter('www.evil.example', errand).subject).toBe('Invitación a una empresa en Sello / Invitation to a company at Sello');
  });
});
