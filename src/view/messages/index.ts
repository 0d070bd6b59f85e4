import { de } from './de/index.ts';
import { en } from './en/index.ts';
import { pseudoCatalogue } from './pseudo.ts';
import { createTranslator, type Translator } from './translator.ts';

/** Languages that can be chosen. `en-XA` is the pseudo-locale for testing layouts. */
export const LANGUAGES = ['en', 'de', 'en-XA'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The catalogue language for a browser language tag (`de-AT` → `de`); English where there is none. */
export function languageFor(tag: string | undefined): Language {
  if (tag === undefined) return 'en';
  if (tag.toLowerCase() === 'en-xa') return 'en-XA';
  const primary = tag.toLowerCase().split('-')[0];
  return primary === 'de' ? 'de' : 'en';
}

/**
 * A translator for a language. `region` is the browser's own tag: dates and numbers follow it where it has the same language
 * (English texts with British dates).
 */
export function translatorFor(language: Language, region?: string): Translator {
  if (language === 'en-XA') return createTranslator('en-XA', pseudoCatalogue(en), 'en');
  const base = language === 'de' ? de : en;
  const locale = region?.toLowerCase().split('-')[0] === language ? region : language;
  return createTranslator(language, base, locale);
}

export type { Part } from './format.ts';
export { createTranslator, type Translator } from './translator.ts';
export type { Catalogue, MessageKey, ParamArgs, Params } from './types.ts';
