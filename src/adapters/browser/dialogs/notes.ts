import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { DIALOG_TYPES, type DialogNote, type DialogType, MESSAGE_MOST, NOTES_MOST } from './channel.ts';

/** Tabs of which notes are kept that nobody has asked for yet, and documents of each whose notes are told apart. */
const DOCUMENTS_MOST = 50;

interface TabNotes {
  /** Not yet told by an action. */
  waiting: DialogNote[];
  /** The last number taken of each document. */
  taken: Map<string, number>;
}

/**
 * Dialogs that were answered in tabs of runs, until an action tells them. What comes here was said by pages: it is checked, cut and counted,
 * and is never more than a list of texts.
 */
export class DialogNotes {
  readonly #tabs = new Map<number, TabNotes>();

  /** Takes notes of a document over, each once. */
  add(tabId: number, document: unknown, notes: unknown): void {
    if (typeof document !== 'string' || document.length > 100 || !Array.isArray(notes)) return;
    const tab = this.#tabs.get(tabId) ?? { waiting: [], taken: new Map<string, number>() };
    this.#tabs.set(tabId, tab);
    let last = tab.taken.get(document) ?? 0;
    for (const note of notes.slice(0, NOTES_MOST).map(read)) {
      if (!note || note.n <= last) continue;
      last = note.n;
      if (tab.waiting.length < NOTES_MOST) tab.waiting.push(note);
    }
    tab.taken.delete(document);
    tab.taken.set(document, last);
    const [oldest] = tab.taken.keys();
    if (tab.taken.size > DOCUMENTS_MOST && oldest !== undefined) tab.taken.delete(oldest);
  }

  /** The last number taken over of each document of a tab. */
  taken(tabId: number): Record<string, number> {
    return Object.fromEntries(this.#tabs.get(tabId)?.taken ?? []);
  }

  /** What no action has told yet, as an output lists it. */
  take(tabId: number): JsonObject[] {
    const tab = this.#tabs.get(tabId);
    if (!tab) return [];
    return tab.waiting.splice(0).map(({ type, message, accepted, text }) => ({
      type,
      message,
      accepted,
      ...(text === undefined ? {} : { text }),
    }));
  }

  forget(tabId: number): void {
    this.#tabs.delete(tabId);
  }
}

function read(value: Json): DialogNote | undefined {
  if (!isObject(value)) return undefined;
  const { n, type, message, accepted, text } = value;
  if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 1 || typeof message !== 'string') return undefined;
  if (!DIALOG_TYPES.includes(type as DialogType)) return undefined;
  return {
    n,
    type: type as DialogType,
    message: cut(message),
    accepted: accepted === true,
    ...(typeof text === 'string' ? { text: cut(text) } : {}),
  };
}

function cut(text: string): string {
  const whole = text.toWellFormed();
  return whole.length > MESSAGE_MOST ? `${whole.slice(0, MESSAGE_MOST - 1)}…` : whole;
}
