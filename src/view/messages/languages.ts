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

/** The tag for dates and numbers: the browser's own where it has the same language (English texts with British dates). */
export function localeFor(language: Language, region: string | undefined): string {
  if (language === 'en-XA') return 'en';
  return region?.toLowerCase().split('-')[0] === language && region !== undefined ? region : language;
}
