import { ALNUM, DIGIT, DOT, entropy, HYPHEN, isIn, kindOf, looksDrawn, textOf, WORD } from './chars.ts';
import type { NamedRule } from './rules.ts';
import { endsThere, isPlaceholder, type Match, takeRun } from './runs.ts';
import type { View } from './view.ts';

const QUOTES = new Set(['"', "'", '`', '\\', ']'].map((char) => char.charCodeAt(0)));
/** After one of these a value is no literal: a call, a list, a template, a variable. */
const NOT_LITERAL = new Set(['(', '[', '{', '$'].map((char) => char.charCodeAt(0)));
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEX_ONLY = /^[0-9a-f]+$/i;

function skip(view: View, start: number, most: number, wanted: (code: number) => boolean): number {
  let at = start;
  while (at < view.length && at - start < most && wanted(view.codes[at] as number)) at += 1;
  return at;
}

const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13;
const isQuote = (code: number): boolean => QUOTES.has(code);

/** Where the value of a name that ends at `end` begins, or undefined when nothing is given to it. */
function valueStart(view: View, end: number, spaced: boolean): number | undefined {
  const name = skip(view, end, 40, (code) => isIn(code, WORD | HYPHEN | DOT));
  let at = skip(view, name, 4, isQuote);
  at = skip(view, at, 8, isBlank);
  // `:`, `=`, `>`: also `:=`, `=>`, `==`, `<password>…`
  const operator = skip(view, at, 2, (code) => code === 58 || code === 61 || code === 62);
  if (operator === at && !(spaced && at > name)) return undefined;
  at = skip(view, operator, 8, isBlank);
  return skip(view, at, 4, isQuote);
}

/** A value that is a secret by its name, at the name's place. `length` is the name's. */
export function matchNamed(view: View, at: number, length: number, rule: NamedRule): Match | undefined {
  const start = valueStart(view, at + length, rule.spaced === true);
  if (start === undefined) return undefined;
  const end = takeRun(view, start, rule);
  if (end - start < rule.min || NOT_LITERAL.has(view.codes[end] as number)) return undefined;
  if (rule.max !== undefined && !endsThere(view, end, rule.chars)) return undefined;
  if (!looksDrawn(view.codes, start, end) || entropy(view.codes, start, end) < rule.entropy) return undefined;
  const text = textOf(view.codes, start, end);
  if (rule.form && !rule.form.test(text)) return undefined;
  if (rule.max === undefined && !literalSecret(view, start, end, text, rule.kind)) return undefined;
  // AWS's own documentation ends its example keys so.
  if (text.endsWith('EXAMPLEKEY')) return undefined;
  return { kind: rule.kind, start, end };
}

/** What general names must be given to count: no id, no path, no prose. Passwords of one case are mostly sentences about them. */
function literalSecret(view: View, start: number, end: number, text: string, kind: string): boolean {
  let kinds = 0;
  for (let i = start; i < end; i += 1) kinds |= kindOf(view.codes[i] as number) & ALNUM;
  if ((kinds & DIGIT) === 0 || kinds === DIGIT) return false;
  if (kind === 'password' && kinds !== ALNUM) return false;
  if (UUID.test(text) || text.startsWith('/') || text.startsWith('.')) return false;
  if (HEX_ONLY.test(text) && text.length < 32) return false;
  return !isPlaceholder(view, start, end);
}
