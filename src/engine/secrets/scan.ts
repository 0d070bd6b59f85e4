import { BASE64, isIn, isInvisible, kindOf, TOKEN, UPPER, URL64 } from './chars.ts';
import { decode64 } from './decode.ts';
import { GENERAL_KINDS } from './rules.ts';
import type { Match } from './runs.ts';
import { findMatches, hasTrigger } from './triggers.ts';
import { codesOf, type Disguise, normalise, plainView, type View } from './view.ts';

/** A secret in a text: what it looks like, and the stretch of the original text (UTF-16 code units, `end` excluded). */
export interface Finding {
  kind: string;
  start: number;
  end: number;
}

/** No secret that we know is shorter. */
const SHORTEST = 10;
/** Base64 of the shortest token by prefix. */
const WRAPPED_LEAST = 24;
/** Longer stretches of base64 are decoded from their beginning only: they are files, not tokens glued to a word. */
const WRAPPED_SHORT = 16_384;

/**
 * Finds what looks like a key, a token or a password, also when it is split by a line break or invisible characters, percent-encoded,
 * escaped, or wrapped in base64. Findings are in order and do not overlap. Time is linear in the text.
 */
export function scanText(text: string): Finding[] {
  if (text.length < SHORTEST) return [];
  const codes = codesOf(text);
  const disguise = look(codes);
  if (!(disguise.escapes || disguise.breaks || disguise.wraps || hasTrigger(codes, codes.length))) return [];
  const view = normalise(codes, disguise);
  // A line break that was taken out may have made a stretch of base64 longer.
  const wrapped = disguise.wraps || disguise.breaks || disguise.escapes ? findWrapped(view) : [];
  const found = [...findMatches(view), ...wrapped].map(({ kind, start, end }) => ({
    kind,
    start: view.from[start] as number,
    end: view.to[end - 1] as number,
  }));
  // As it stands, too: `\npm_…` may be a line break and `pm_…`, or a backslash and a token.
  if (text.includes('\\')) found.push(...findMatches(plainView(codes, codes.length)));
  return merge(found);
}

/** One pass over a text for what could hide something; ordinary short texts have none of it. */
function look(codes: Uint16Array): Disguise {
  const disguise = { escapes: false, breaks: false, wraps: false };
  let run = 0;
  let capitals = false;
  let before = 0;
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] as number;
    const kind = kindOf(code);
    if ((kind & (BASE64 | URL64)) !== 0) {
      run += 1;
      // Text in base64 has capitals; hashes and slugs have none.
      capitals ||= (kind & UPPER) !== 0;
      if (run >= WRAPPED_LEAST && capitals) disguise.wraps = true;
    } else {
      run = 0;
      capitals = false;
      // A percent sign, an ampersand, a backslash: perhaps an escape.
      if (code === 37 || code === 38 || code === 92) disguise.escapes = true;
      else if ((code === 10 || code === 13) && (before & TOKEN) !== 0) disguise.breaks = true;
      else if (code > 127 && (isInvisible(code) || (code >= 0xff01 && code <= 0xff5e))) disguise.escapes = true;
    }
    // Indentation may stand before the break.
    if (kind !== 0 || code > 32) before = kind;
  }
  return disguise;
}

/** Stretches of base64 that hold a secret once decoded; the whole stretch is the finding. */
function findWrapped(view: View): Match[] {
  const { codes, length } = view;
  const found: Match[] = [];
  let at = 0;
  while (at < length) {
    let kinds = 0;
    let end = at;
    for (; end < length && isIn(codes[end], BASE64 | URL64); end += 1) kinds |= kindOf(codes[end] as number);
    if (end - at >= WRAPPED_LEAST && (kinds & UPPER) !== 0) {
      const kind = unwrap(codes, at, end);
      if (kind !== undefined) {
        while (end < length && codes[end] === 61) end += 1;
        found.push({ kind, start: at, end });
      }
    }
    at = end + 1;
  }
  return found;
}

/** Kind of the secret in a stretch of base64. It may be glued to a word, so it is tried from each of four places. */
function unwrap(codes: Uint16Array, start: number, end: number): string | undefined {
  const offsets = end - start > WRAPPED_SHORT ? 1 : 4;
  for (let offset = 0; offset < offsets; offset += 1) {
    const bytes = decode64(codes, start + offset, end);
    if (!hasTrigger(bytes, bytes.length)) continue;
    const [match] = findMatches(plainView(bytes, bytes.length));
    if (match) return match.kind;
  }
  return undefined;
}

/** Puts findings in order and overlapping ones together, under the more telling kind. */
function merge(found: Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const finding of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) {
      merged.push({ ...finding });
      continue;
    }
    last.end = Math.max(last.end, finding.end);
    if (GENERAL_KINDS.has(last.kind)) last.kind = finding.kind;
  }
  return merged;
}

/** The text with every finding replaced by `[redacted:<kind>]`; the same text where there is none. */
export function redactText(text: string): string {
  const found = scanText(text);
  if (found.length === 0) return text;
  let redacted = '';
  let at = 0;
  for (const { kind, start, end } of found) {
    redacted += `${text.slice(at, start)}[redacted:${kind}]`;
    at = end;
  }
  return redacted + text.slice(at);
}
