import type { Language } from '../../shared/language.js';

/** The caller's language: the first of Spanish and English that `Accept-Language` prefers; Spanish otherwise. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const ranked = (acceptLanguage ?? '')
    .slice(0, 256)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const q = parameters.map((p) => p.trim()).find((p) => p.startsWith('q='));
      return { language: tag.split('-')[0], weight: q === undefined ? 1 : Number(q.slice(2)) };
    })
    .filter(({ language, weight }) => (language === 'es' || language === 'en') && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return ranked[0]?.language === 'en' ? 'en' : 'es';
}
