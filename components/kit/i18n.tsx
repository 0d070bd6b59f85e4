import { computed, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import {
  LANGUAGES,
  type Language,
  languageFor,
  type MessageKey,
  type Translator,
  translatorFor,
} from '../../src/view/messages/index.ts';
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

/** The translator in use; components that read it are drawn again when the language changes. */
export const translator = computed<Translator>(() => {
  const chosen = look.value.language;
  const tag = browserLanguage();
  return translatorFor(chosen === 'auto' ? languageFor(tag) : chosen, tag);
});

/** Text of a key in the language in use. */
export const t: Translator['t'] = (key, ...args) => translator.value.t(key, ...args);

function applyLook(): void {
  const root = document.documentElement;
  root.lang = translator.value.locale;
  root.dir = translator.value.direction;
  if (look.value.theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = look.value.theme;
}

/** Reads the stored look, applies it, and follows changes made in other pages. */
export function startLook(): void {
  look.value = readLook();
  applyLook();
  addEventListener('storage', (event) => {
    if (event.key !== KEY) return;
    look.value = readLook();
    applyLook();
  });
}

/** Changes the look here and in every open page. */
export function setLook(change: Partial<Look>): void {
  look.value = { ...look.value, ...change };
  localStorage.setItem(KEY, JSON.stringify(look.value));
  applyLook();
}

/** A message whose placeholders are elements: `<Rich k="approval.onOrigin" with={{ origin: <b>…</b> }} />`. */
export function Rich({ k, with: values }: { k: MessageKey; with: Record<string, ComponentChildren> }) {
  return <>{translator.value.parts(k).map((part) => ('text' in part ? part.text : values[part.name]))}</>;
}
