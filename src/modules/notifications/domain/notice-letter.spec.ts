import { type News, noticeLetter } from './notice-letter.js';

describe('the mail that brings news', () => {
  const news: News = { type: 'webhook.disabled', items: [{ url: 'https://hooks.example' }], more: 0 };
  const parts = (tenantName: string, language: 'es' | 'en'): string[] => {
    const { subject, text, html } = noticeLetter(news, tenantName, language, new Date());
    return [subject, text, html];
  };

  it('shows the name of the tenant without what could be clicked', () => {
    for (const part of parts('Gane 500 USD: https://evil.example/x\nwww.evil.example', 'es')) {
      expect(part).toContain('Gane 500 USD:');
      expect(part).not.toContain('evil.example');
    }
  });

  it('names no tenant where nothing is left of the name', () => {
    const [es, en] = [parts('evil.example', 'es'), parts('evil.example', 'en')];
    expect([es[0], en[0]]).toEqual(['Se desactivó un webhook (una empresa)', 'A webhook was switched off (a company)']);
    expect([es[1], en[1]]).toEqual([expect.stringContaining('administra una empresa en Sello'), expect.stringContaining('you administer a company at Sello')]);
  });
});
