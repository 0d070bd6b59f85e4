import { de } from './de/index.ts';
import { en } from './en/index.ts';
import { type Language, localeFor } from './languages.ts';
import { pseudoCatalogue } from './pseudo.ts';
import { createTranslator, type Translator } from './translator.ts';

/**
 * A translator for a language, from all catalogues. Pages use `pages.ts` instead, which brings in what they need.
 * @param region the browser's own tag, for dates and numbers
 */
export function translatorFor(language: Language, region?: string): Translator {
  const catalogue = language === 'de' ? de : language === 'en-XA' ? pseudoCatalogue(en) : en;
  return createTranslator(language, catalogue, localeFor(language, region));
}

export type { Part } from './format.ts';
export { LANGUAGES, type Language, languageFor } from './languages.ts';
export { createTranslator, type Translator } from './translator.ts';
export type { Catalogue, MessageKey, ParamArgs, Params } from './types.ts';
