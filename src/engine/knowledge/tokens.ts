/** Words, whatever the language: letters, marks and digits. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
/** Accents on Latin, Greek and Cyrillic letters, which people leave out when they search. */
const ACCENT = /[\u0300-\u036f]/g;
/** Longest word that is kept apart from others, in characters. */
const MAX_WORD = 64;

/** A word as it is in a text, from `start` to before `end`. */
export interface Token {
  term: string;
  start: number;
  end: number;
}

/**
 * The words of a text, folded so that case and accents do not count. Text without spaces between words gives pairs of characters, which
 * find what words would, without a dictionary.
 */
export function* tokens(text: string): Generator<Token> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    let at = 0;
    for (const run of word.matchAll(UNSPACED)) {
      if (run.index > at) yield whole(word.slice(at, run.index), index + at);
      yield* pairs(run[0], index + run.index);
      at = run.index + run[0].length;
    }
    if (at < word.length) yield whole(word.slice(at), index + at);
  }
}

/** The words of a text alone. */
export function termsOf(text: string): string[] {
  return Array.from(tokens(text), ({ term }) => term);
}

function whole(word: string, start: number): Token {
  return { term: fold(word), start, end: start + word.length };
}

function* pairs(run: string, start: number): Generator<Token> {
  const letters = [...run];
  let at = start;
  for (const [index, letter] of letters.entries()) {
    const next = letters[index + 1];
    if (next !== undefined || letters.length === 1)
      yield { term: fold(letter + (next ?? '')), start: at, end: at + letter.length + (next?.length ?? 0) };
    at += letter.length;
  }
}

function fold(word: string): string {
  return word.normalize('NFKD').replace(ACCENT, '').normalize('NFC').toLowerCase().slice(0, MAX_WORD);
}
