import { DIGIT, HEX, isIn, isInvisible, TOKEN } from './chars.ts';

/**
 * A text as the rules see it: encodings undone, invisible characters gone, tokens that a line break cut put together again.
 */
export interface View {
  /** UTF-16 code units; only the first `length` count. */
  codes: Uint16Array;
  length: number;
  /** Per code unit: where it begins and ends in the original text. */
  from: Int32Array;
  to: Int32Array;
  /** Per code unit: 1 when a line break stood before it and was taken out. */
  joins: Uint8Array;
}

/** The code units of a text. */
export function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i += 1) codes[i] = text.charCodeAt(i);
  return codes;
}

/** A view of code units as they are. */
export function plainView(codes: Uint16Array, length: number): View {
  const none = new Int32Array(0);
  return { codes, length, from: none, to: none, joins: new Uint8Array(length) };
}

const PERCENT = 37;
const AMPERSAND = 38;
const HASH = 35;
const SEMICOLON = 59;
const BACKSLASH = 92;
const LINE_FEED = 10;
const RETURN = 13;
/** White space that may stand around a line break inside a token: indentation, not a page of nothing. */
const MAX_BREAK = 64;

/** What stands in a text that could hide a token. */
export interface Disguise {
  /** Characters of which escapes are made, invisible or full-width ones. */
  escapes: boolean;
  /** A line break after a character of a token. */
  breaks: boolean;
  /** A stretch of base64 as long as a wrapped token. */
  wraps: boolean;
}

/**
 * Undoes what hides a token: `%5F`, `\u005f`, `\x5f`, `&#95;`, full-width letters, invisible characters, line breaks with their
 * indentation. One pass over the text and one over the result; encodings nested in each other fold as they close.
 */
export function normalise(original: Uint16Array, { escapes, breaks }: Disguise): View {
  const view: View = {
    codes: new Uint16Array(original.length),
    length: 0,
    from: new Int32Array(original.length),
    to: new Int32Array(original.length),
    joins: new Uint8Array(original.length),
  };
  const { codes, from, to } = view;
  if (!escapes) {
    codes.set(original);
    view.length = original.length;
    for (let i = 0; i < original.length; i += 1) {
      from[i] = i;
      to[i] = i + 1;
    }
  }
  for (let i = 0; escapes && i < original.length; i += 1) {
    let code = original[i] as number;
    if (code > 127) {
      if (isInvisible(code)) continue;
      if (code >= 0xff01 && code <= 0xff5e) code -= 0xfee0;
    }
    codes[view.length] = code;
    from[view.length] = i;
    to[view.length] = i + 1;
    view.length += 1;
    while (fold(view));
  }
  if (escapes || breaks) join(view);
  return view;
}

/** If an escape ends at the end of the view, puts the character that it means in its place. Returns whether it did. */
function fold(view: View): boolean {
  const { codes, length: n } = view;
  const last = codes[n - 1] as number;
  if (last === SEMICOLON) return foldEntity(view);
  // Most characters end here.
  if (!isIn(last, HEX) && last !== 110 && last !== 114 && last !== 116) return false;
  if (n >= 3 && codes[n - 3] === PERCENT) {
    const byte = hexAt(view, n - 2, n);
    // Above, it is part of a character of several bytes, of which no token has any.
    return byte !== undefined && byte < 128 && replace(view, n - 3, byte);
  }
  if (n >= 2 && codes[n - 2] === BACKSLASH && (last === 110 || last === 114 || last === 116))
    return replace(view, n - 2, last === 110 ? LINE_FEED : last === 114 ? RETURN : 9);
  const digits = codes[n - 5] === 117 && codes[n - 6] === BACKSLASH ? 4 : 2;
  if (digits === 2 && (codes[n - 3] !== 120 || codes[n - 4] !== BACKSLASH)) return false;
  const code = hexAt(view, n - digits, n);
  return code !== undefined && replace(view, n - digits - 2, code);
}

/** `&#95;` and `&#x5f;`. */
function foldEntity(view: View): boolean {
  const { codes, length: n } = view;
  for (let at = n - 4; at >= 0 && at >= n - 9; at -= 1) {
    if (codes[at] !== AMPERSAND || codes[at + 1] !== HASH) continue;
    const hex = codes[at + 2] === 120 || codes[at + 2] === 88;
    const start = hex ? at + 3 : at + 2;
    let value = 0;
    for (let i = start; i < n - 1; i += 1) {
      if (!isIn(codes[i], hex ? HEX : DIGIT)) return false;
      value = value * (hex ? 16 : 10) + Number.parseInt(String.fromCharCode(codes[i] as number), 16);
    }
    return start < n - 1 && value > 0 && value < 0x10000 && replace(view, at, value);
  }
  return false;
}

function hexAt(view: View, start: number, end: number): number | undefined {
  let value = 0;
  for (let i = start; i < end; i += 1) {
    const code = view.codes[i] as number;
    if (!isIn(code, HEX)) return undefined;
    value = value * 16 + (code <= 57 ? code - 48 : (code | 32) - 87);
  }
  return value;
}

/** Puts `code` in place of everything from `at` on, and of the backslashes before it that escaped the escape. */
function replace(view: View, at: number, code: number): boolean {
  let start = at;
  const end = view.to[view.length - 1] as number;
  if (view.codes[at] === BACKSLASH) while (start > 0 && view.codes[start - 1] === BACKSLASH) start -= 1;
  const first = view.from[start] as number;
  if (isInvisible(code)) {
    view.length = start;
    return false;
  }
  view.codes[start] = code >= 0xff01 && code <= 0xff5e ? code - 0xfee0 : code;
  view.from[start] = first;
  view.to[start] = end;
  view.length = start + 1;
  return true;
}

/** Takes line breaks, with the white space around them, out from between two characters of which tokens are made. */
function join(view: View): void {
  const { codes, from, to, joins, length } = view;
  let write = 0;
  for (let read = 0; read < length; read += 1) {
    const code = codes[read] as number;
    if (code <= 32 && write > 0 && isIn(codes[write - 1], TOKEN)) {
      let next = read;
      let broken = false;
      while (next < length && (codes[next] as number) <= 32) {
        broken ||= codes[next] === LINE_FEED || codes[next] === RETURN;
        next += 1;
      }
      if (broken && next - read <= MAX_BREAK && next < length && isIn(codes[next], TOKEN)) {
        joins[write] = 1;
        read = next - 1;
        continue;
      }
      // White space that stays: copied in one go, so that a long stretch is looked at once.
      for (; read < next; read += 1, write += 1) {
        codes[write] = codes[read] as number;
        from[write] = from[read] as number;
        to[write] = to[read] as number;
      }
      read -= 1;
      continue;
    }
    codes[write] = code;
    from[write] = from[read] as number;
    to[write] = to[read] as number;
    write += 1;
  }
  view.length = write;
}
