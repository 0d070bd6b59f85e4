/**
 * What the two scripts of a page and the driver say to each other about dialogs. The *guard* is in the page's own world, where it stands in
 * for `alert` and its like; the *relay* is in the isolated world. They speak by events that carry a text, under a name that is drawn for
 * each document and handed over before the page's own scripts run. A page that gets at it can forge what is said of its own dialogs and how
 * they are answered, as it can anyway, and whether it is looked for what else comes of an act; nothing else follows from these messages.
 */

/** `window` is one that the page wanted to open and the browser did not, its address in place of a text. */
export const DIALOG_TYPES = ['alert', 'confirm', 'prompt', 'beforeunload', 'print', 'window'] as const;
export type DialogType = (typeof DIALOG_TYPES)[number];

/** The answer to dialogs, as a step or `handle_dialog` gives it. */
export interface DialogAnswer {
  accept: boolean;
  text?: string;
}

/** A dialog that was answered. `n` counts within its document. */
export interface DialogNote {
  n: number;
  type: DialogType;
  message: string;
  accepted: boolean;
  /** What a prompt was given. */
  text?: string;
}

/** Name of the `Server-Timing` entry that tells a document that its tab is driven by a run. */
export const LEASE_MARK = 'tabloom';
/** Another one, whose description is the answer to dialogs of the page while it loads. */
export const ANSWER_MARK = 'tabloom-answer';
/** The same for the tab's answer from then on. */
export const STANDING_MARK = 'tabloom-standing';

/** Events that hand over the channel's name: the guard asks, the relay gives it. */
export const GUARD_HELLO = 'tabloom:guard';
export const RELAY_HELLO = 'tabloom:relay';

/** Property of the functions that the guard puts in place, by which frames of the same origin know that it is at work. */
export const ACTIVE = 'tabloom:active';

/** The relay's only global, in the isolated world. */
export const RELAY_GLOBAL = '__tabloomDialogs';
/** Set there before the relay is put into a document that does not know that it is driven. */
export const RELAY_FORCED = '__tabloomDialogsNow';

/** From the driver to the guard. */
export interface ToGuard {
  to: 'guard';
  /** A write action begins: its answer, or null where it says nothing. */
  act?: DialogAnswer | null;
  /** The tab's answer from now on; null for none. */
  standing?: DialogAnswer | null;
  /** The act is a navigation: with `accept: false` the page is asked whether it objects. */
  leaving?: boolean;
  /** The driver has taken over the notes up to this number. */
  taken?: number;
  /** The tab is driven no more. */
  end?: boolean;
}

/** From the guard. */
export interface FromGuard {
  to: 'relay';
  notes: DialogNote[];
  /** The page does not want to be left, and the answer is to stay. */
  objects?: boolean;
  /** Whether the page has begun anything since the act that may go on by itself; left out where that is not known. */
  stirred?: boolean;
}

/** From the driver to the guards of a tab: what has been taken over is said for each document. */
export type ToGuards = Omit<ToGuard, 'to' | 'taken'> & { taken?: Record<string, number> };

/** What the relay puts under {@link RELAY_GLOBAL}. */
export interface Relay {
  /** The document that it was made in. */
  readonly of: unknown;
  /**
   * Passes a message to the guard; its answer, or null when there is no guard at work. `origin`: whom an answer with a text is for; `person`:
   * whether somebody is typing or clicking in this document.
   */
  talk(message: ToGuards, origin?: string): { document: string; reply: FromGuard; person: boolean } | null;
  active(): boolean;
}

/** What the relay tells the background: a dialog was answered. */
export interface DialogReport {
  tabloom: 1;
  dialogs: { document: string; notes: DialogNote[] };
}

/** Longer texts of dialogs are cut. Characters. */
export const MESSAGE_MOST = 1000;
/** More than this are not kept of one document. */
export const NOTES_MOST = 100;

/** The answer as the header's description has it: no quotes, no commas, ASCII. */
export function writeAnswerMark(answer: DialogAnswer): string {
  return encodeURIComponent(JSON.stringify(answer));
}

/** @returns `undefined` for what is none */
export function readAnswerMark(text: string): DialogAnswer | undefined {
  try {
    const { accept, text: typed } = JSON.parse(decodeURIComponent(text)) as Record<string, unknown>;
    return { accept: accept === true, ...(typeof typed === 'string' ? { text: typed } : {}) };
  } catch {
    return undefined;
  }
}
