import { surface } from './en/surface.ts';
import { type Language, localeFor } from './languages.ts';
import { createTranslator, type Translator } from './translator.ts';
import type { Catalogue } from './types.ts';

/** English texts of this page; complete as soon as the page has added the parts that it shows. */
let english = surface as Catalogue;
const others = new Map<Language, Catalogue>();

/** Adds a part of the English catalogue, before the first text of it is asked for. */
export function addEnglish(part: Partial<Catalogue>): void {
  english = { ...english, ...part };
}

/** Loads a language, so that `pageTranslator` has it. English is always there, which keeps the popup's first chunk small. */
export async function loadLanguage(language: Language): Promise<void> {
  if (language === 'en' || others.has(language)) return;
  if (language === 'de') others.set('de', (await import('./de/index.ts')).de);
  else {
    const [{ en }, { pseudoCatalogue }] = await Promise.all([import('./en/index.ts'), import('./pseudo.ts')]);
    others.set(language, pseudoCatalogue(en));
  }
}

/** The translator of a language: English until that language is loaded. */
export function pageTranslator(language: Language, region?: string): Translator {
  const catalogue = others.get(language);
  return catalogue
    ? createTranslator(language, catalogue, localeFor(language, region))
    : createTranslator('en', english, localeFor('en', region));
}
