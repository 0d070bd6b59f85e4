import { BASE64, DIGIT, EQUALS, isIn, looksDrawn, textOf, URL64 } from './chars.ts';
import { decode64 } from './decode.ts';
import { beginsWord, endsThere, type Match, takeRun } from './runs.ts';
import type { View } from './view.ts';

/** Looks at a place where a rule's trigger stands. `seen` is the rule's own memory for one text: where it need not look again. */
export type Shape = (view: View, at: number, seen: { until: number }) => Match | undefined;

const DOT_CODE = 46;

/** Three parts in base64url; the first is JSON that names an algorithm. */
export const jwt: Shape = (view, at, seen) => {
  if (at < seen.until || (at > 0 && view.joins[at] !== 1 && isIn(view.codes[at - 1], URL64))) return undefined;
  const shape = { chars: URL64, min: 1 };
  const first = takeRun(view, at, { ...shape, min: 8 }, view.length);
  seen.until = first;
  if (view.codes[first] !== DOT_CODE || first - at < 16 || first - at > 4096) return undefined;
  const second = takeRun(view, first + 1, { ...shape, min: 8 }, view.length);
  if (view.codes[second] !== DOT_CODE || second - first < 9) return undefined;
  const third = takeRun(view, second + 1, { ...shape, min: 16 }, view.length);
  if (third - second < 17) return undefined;
  const header = decode64(view.codes, at, first);
  return textOf(header, 0, header.length).includes('"alg"') ? { kind: 'jwt', start: at, end: third } : undefined;
};

const PRIVATE = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const BODY_LEAST = 40;

/** A private key in PEM form, with its end or cut off. Certificates and public keys are none. */
export const pem: Shape = (view, at) => {
  const head = PRIVATE.exec(textOf(view.codes, at, Math.min(view.length, at + 90)));
  if (!head) return undefined;
  let end = at + head[0].length;
  let body = 0;
  for (; end < view.length; end += 1) {
    const code = view.codes[end] as number;
    if (isIn(code, BASE64)) body += 1;
    // White space, the backslashes of nested escapes, and the headers of an encrypted key.
    else if (!(code <= 32 || code === 92 || code === 61 || code === 44 || code === 58) && !isDash(view, end)) break;
    if (isDash(view, end) && isDash(view, end + 1)) break;
  }
  if (body < BODY_LEAST) return undefined;
  const tail = /^-----END [A-Z0-9 ]{0,60}-----/.exec(textOf(view.codes, end, Math.min(view.length, end + 90)));
  return { kind: 'private_key', start: at, end: end + (tail ? tail[0].length : 0) };
};

function isDash(view: View, at: number): boolean {
  return view.codes[at] === 45;
}

/** `https://name:password@host`: the part before the `@`. */
export const userinfo: Shape = (view, at) => {
  if (!isIn(view.codes[at - 1], URL64)) return undefined;
  const start = at + 3;
  let colon = -1;
  let end = start;
  for (; end < view.length && end - start < 256; end += 1) {
    const code = view.codes[end] as number;
    if (code === 64) break;
    // What cannot stand there: space, quotes, and the signs that end a host or begin a template.
    if (code <= 32 || code > 126 || `/?#"'<>{}[]\`\\|^`.includes(String.fromCharCode(code))) return undefined;
    if (code === 58 && colon < 0) colon = end;
  }
  if (view.codes[end] !== 64 || colon < start || end - colon < 6) return undefined;
  const password = textOf(view.codes, colon + 1, end);
  const stars = [...password].every((char) => char === '*' || char === 'x' || char === 'X' || char === '.');
  if (stars || password.includes('$') || isPlaceholderPassword(password)) return undefined;
  return { kind: 'url_password', start, end };
};

function isPlaceholderPassword(password: string): boolean {
  return /^(?:your[_-]?)?(?:my[_-]?)?(?:db[_-]?)?(?:user[_-]?)?(?:password|passwd|passwort|secret|token|example|changeme)$/i.test(
    password,
  );
}

/** `Authorization: Basic` and what follows, if it holds a name and a password. */
export const basic: Shape = (view, at) => {
  const start = at + 6;
  if (!beginsWord(view, at)) return undefined;
  let end = takeRun(view, start, { chars: BASE64, min: 12 });
  if (end - start < 12) return undefined;
  const text = decode64(view.codes, start, end);
  const plain = textOf(text, 0, text.length);
  const colon = plain.indexOf(':');
  if (colon < 1 || plain.length - colon < 7 || !/^[\x20-\x7e]+$/.test(plain)) return undefined;
  while (end < view.length && isIn(view.codes[end], EQUALS)) end += 1;
  return { kind: 'basic_auth', start, end };
};

/** `123456789:AA…`, the token of a Telegram bot; `at` is the colon. */
export const telegram: Shape = (view, at) => {
  let start = at;
  while (start > 0 && at - start < 11 && isIn(view.codes[start - 1], DIGIT)) start -= 1;
  const end = takeRun(view, at + 1, { chars: URL64, min: 35, max: 35 });
  const fits = at - start >= 8 && at - start <= 10 && end - at === 36 && endsThere(view, end, URL64);
  return fits && looksDrawn(view.codes, at + 1, end) ? { kind: 'telegram_token', start, end } : undefined;
};

/** Three parts, the first an id in base64; `at` is the first dot. */
export const discord: Shape = (view, at) => {
  if (view.codes[at + 7] !== DOT_CODE) return undefined;
  let start = at;
  while (start > 0 && at - start < 30 && isIn(view.codes[start - 1], URL64)) start -= 1;
  if (at - start < 23 || at - start > 28 || takeRun(view, at + 1, { chars: URL64, min: 6 }) !== at + 7)
    return undefined;
  const end = takeRun(view, at + 8, { chars: URL64, min: 27, max: 40 });
  if (end - at < 35 || !endsThere(view, end, URL64)) return undefined;
  const id = decode64(view.codes, start, at);
  return /^\d{17,20}$/.test(textOf(id, 0, id.length)) ? { kind: 'discord_token', start, end } : undefined;
};
