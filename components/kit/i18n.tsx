import { computed, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { MessageKey, Translator } from '../../src/view/messages/index.ts';
import { LANGUAGES, type Language, languageFor } from '../../src/view/messages/languages.ts';
import { loadLanguage, pageTranslator } from '../../src/view/messages/pages.ts';
import { browserLanguage } from '../platform.ts';

/** What a person chose about the look of the pages. Kept in `localStorage`: read before the first paint, shared by all own pages. */
export interface Look {
  language: Language | 'auto';
  theme: 'auto' | 'light' | 'dark';
}

const KEY = 'tabloom.look';
const AUTO: Look = { language: 'auto', theme: 'auto' };

function readLook(): Look {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Look>;
    const language = [...LANGUAGES, 'auto' as const].find((each) => each === stored.language) ?? 'auto';
    const theme = (['light', 'dark', 'auto'] as const).find((each) => each === stored.theme) ?? 'auto';
    return { language, theme };
  } catch {
    return AUTO;
  }
}

export const look = signal<Look>(AUTO);

const languageOf = ({ language }: Look): Language => (language === 'auto' ? languageFor(browserLanguage()) : language);

/** The language that is shown: the chosen one as soon as its texts are loaded. */
const shown = signal<Language>('en');

/** The translator in use; components that read it are drawn again when the language changes. */
export const translator = computed<Translator>(() => pageTranslator(shown.value, browserLanguage()));

/** Text of a key in the language in use. */
export const t: Translator['t'] = (key, ...args) => translator.value.t(key, ...args);

/** Takes the look of the moment: the theme at once, the language when its texts are there. */
async function applyLook(): Promise<void> {
  const root = document.documentElement;
  if (look.value.theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = look.value.theme;
  const language = languageOf(look.value);
  await loadLanguage(language);
  // Meanwhile another one may have been chosen.
  if (language !== languageOf(look.value)) return;
  shown.value = language;
  root.lang = translator.value.locale;
  root.dir = translator.value.direction;
}

/** Reads the stored look, applies it, and follows changes made in other pages. Resolves when the texts are there. */
export function startLook(): Promise<void> {
  look.value = readLook();
  addEventListener('storage', (event) => {
    if (event.key !== KEY) return;
    look.value = readLook();
    void applyLook();
  });
  return applyLook();
}

/** Changes the look here and in every open page. */
export function setLook(change: Partial<Look>): void {
  look.value = { ...look.value, ...change };
  localStorage.setItem(KEY, JSON.stringify(look.value));
  void applyLook();
}

/** A message whose placeholders are elements: `<Rich k="approval.onOrigin" with={{ origin: <b>…</b> }} />`. */
export function Rich({ k, with: values }: { k: MessageKey; with: Record<string, ComponentChildren> }) {
  return <>{translator.value.parts(k).map((part) => ('text' in part ? part.text : values[part.name]))}</>;
}
