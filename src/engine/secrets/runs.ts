import { ALNUM, DIGIT, isIn, kindOf, LOWER, textOf, UPPER, WORD } from './chars.ts';
import type { View } from './view.ts';

/** Something found in a view: its kind, and where it begins and ends there. */
export interface Match {
  kind: string;
  start: number;
  end: number;
}

/** What a run of token characters must be. */
export interface RunShape {
  chars: number;
  min: number;
  max?: number;
  usual?: number;
}

/** A candidate is looked at no further than this, so that many candidates in a long run stay linear. */
export const MAX_LOOK = 512;

/** True when no letter, digit or `_` stands right before: a line break that was taken out counts as a boundary. */
export function beginsWord(view: View, at: number): boolean {
  return at === 0 || view.joins[at] === 1 || !(isIn(view.codes[at - 1], WORD) || view.codes[at - 1] === 43);
}

/** True when what ends at `end` is not followed by more of the same. */
export function endsThere(view: View, end: number, chars: number): boolean {
  return end >= view.length || view.joins[end] === 1 || !isIn(view.codes[end], chars | WORD);
}

/** Where the run of characters from `start` ends. Over a line break it goes on while too short, or while what follows looks drawn. */
export function takeRun(view: View, start: number, shape: RunShape, limit = MAX_LOOK): number {
  const { chars, min, max, usual } = shape;
  const stop = Math.min(view.length, start + Math.min(limit, max ?? limit));
  let at = start;
  while (at < stop && isIn(view.codes[at], chars)) {
    if (view.joins[at] === 1 && at > start && at - start >= (usual ?? min)) {
      if (usual !== undefined || !drawnPiece(view, at)) break;
    }
    at += 1;
  }
  return at;
}

/** True when the piece after a line break could be the rest of a token: letters and digits mixed, or capitals inside. */
function drawnPiece(view: View, start: number): boolean {
  let kinds = 0;
  let inner = false;
  let at = start;
  for (; at < view.length && at - start < 64 && isIn(view.codes[at], WORD); at += 1) {
    if (at > start && view.joins[at] === 1) break;
    const kind = kindOf(view.codes[at] as number) & ALNUM;
    if (at > start && kind === UPPER && (kinds & LOWER) !== 0) inner = true;
    kinds |= kind;
  }
  return inner || ((kinds & DIGIT) !== 0 && (kinds & (LOWER | UPPER)) !== 0);
}

/** A piece of an identifier or a sentence: a word, a capitalised word, a short number. */
const WORD_PIECE = /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d{1,4}|v\d{1,3})$/;
const PLACEHOLDER =
  /example|your|placeholder|change[_-]?me|redacted|dummy|sample|xxxx|\*\*\*|process\.env|environ|secrets?\.|config\.|insert|undefined|1234567890abcdef/i;

/** True for what documentation writes in a secret's place, and for names and sentences. */
export function isPlaceholder(view: View, start: number, end: number): boolean {
  const text = textOf(view.codes, start, Math.min(end, start + MAX_LOOK));
  return PLACEHOLDER.test(text) || text.split(/[-_./=+:]/).every((piece) => WORD_PIECE.test(piece));
}
