/** Kinds of characters that tokens are made of, as bits; a set of characters is their union. */
export const UPPER = 1;
export const LOWER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
export const HYPHEN = 16;
export const DOT = 32;
export const PLUS = 64;
export const SLASH = 128;
export const EQUALS = 256;
const HEX_LETTER = 512;
export const TILDE = 1024;
export const COLON = 2048;

export const ALNUM = UPPER | LOWER | DIGIT;
export const HEX = DIGIT | HEX_LETTER;
/** Letters, digits and `_`: what a word is made of. */
export const WORD = ALNUM | UNDERSCORE;
export const URL64 = WORD | HYPHEN;
export const BASE64 = ALNUM | PLUS | SLASH;
/** Everything that a token or its base64 form may hold: between two of these a line break may have cut one. */
export const TOKEN = URL64 | DOT | PLUS | SLASH | EQUALS | COLON;

const KINDS = new Uint16Array(128);
for (let code = 0; code < 128; code += 1) {
  const char = String.fromCharCode(code);
  if (char >= 'A' && char <= 'Z') KINDS[code] = UPPER | (char <= 'F' ? HEX_LETTER : 0);
  else if (char >= 'a' && char <= 'z') KINDS[code] = LOWER | (char <= 'f' ? HEX_LETTER : 0);
  else if (char >= '0' && char <= '9') KINDS[code] = DIGIT;
}
for (const [char, kind] of [
  ['_', UNDERSCORE],
  ['-', HYPHEN],
  ['.', DOT],
  ['+', PLUS],
  ['/', SLASH],
  ['=', EQUALS],
  ['~', TILDE],
  [':', COLON],
] as const)
  KINDS[char.charCodeAt(0)] = kind;

/** True when the character (a UTF-16 code unit; undefined past the end) is in the set. */
export function isIn(code: number | undefined, set: number): boolean {
  return code !== undefined && code < 128 && ((KINDS[code] as number) & set) !== 0;
}

/** The bits of a character; 0 for those that are in no set. */
export function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] as number) : 0;
}

/** Characters of no width that a page can put into a token without anybody seeing it. */
export function isInvisible(code: number): boolean {
  return (
    code === 0xad ||
    code === 0x34f ||
    code === 0x61c ||
    code === 0x180e ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0xfeff
  );
}

/** Counts of the characters in hand; all characters of tokens are below 128. */
const counts = new Uint16Array(128);

/** Shannon entropy of the characters from `start` to `end`, bits per character. */
export function entropy(codes: Uint16Array, start: number, end: number): number {
  counts.fill(0);
  for (let i = start; i < end; i += 1)
    counts[(codes[i] as number) & 127] = (counts[(codes[i] as number) & 127] ?? 0) + 1;
  let bits = 0;
  for (let code = 0; code < 128; code += 1) {
    const share = (counts[code] as number) / (end - start);
    if (share > 0) bits -= share * Math.log2(share);
  }
  return bits;
}

/**
 * True when the characters look drawn, not written: many different ones, of at least two of upper case, lower case and digits. Turns down
 * `xxxxxxxx`, `YOUR_API_KEY` and `your-key-goes-here`.
 */
export function looksDrawn(codes: Uint16Array, start: number, end: number, distinct = 8): boolean {
  counts.fill(0);
  let different = 0;
  let kinds = 0;
  for (let i = start; i < end; i += 1) {
    const code = (codes[i] as number) & 127;
    if (counts[code] === 0) different += 1;
    counts[code] = 1;
    kinds |= (KINDS[code] as number) & ALNUM;
  }
  return different >= distinct && (kinds & (kinds - 1)) !== 0;
}

/** The text of a stretch of code units; meant for short ones. */
export function textOf(codes: Uint16Array, start: number, end: number): string {
  return String.fromCharCode(...codes.subarray(start, end));
}
