import { isIn, looksDrawn, textOf, URL64 } from './chars.ts';
import { matchNamed } from './named.ts';
import { GENERAL_KINDS, NAMED_RULES, PREFIX_RULES, type PrefixRule } from './rules.ts';
import { beginsWord, endsThere, isPlaceholder, MAX_LOOK, type Match, takeRun } from './runs.ts';
import { basic, discord, jwt, pem, type Shape, telegram, userinfo } from './shapes.ts';
import type { View } from './view.ts';

/** A literal that every match of a rule holds, and what to do where it stands. */
interface Trigger {
  codes: readonly number[];
  /** `codes` are lower case and match in any case. */
  fold: boolean;
  /** Number of its memory. */
  slot: number;
  match: Shape;
}

function matchPrefix(view: View, at: number, length: number, rule: PrefixRule): Match | undefined {
  if (rule.alone && !beginsWord(view, at)) return undefined;
  const start = at + length;
  let end = takeRun(view, start, rule);
  if (end - start < rule.min) return undefined;
  if (rule.max !== undefined && !endsThere(view, end, rule.chars)) return undefined;
  if (!looksDrawn(view.codes, start, end) || isPlaceholder(view, start, end)) return undefined;
  if (rule.form && !rule.form.test(textOf(view.codes, at, end))) return undefined;
  if (end - start === MAX_LOOK) end = takeRun(view, start, rule, view.length);
  return { kind: rule.kind, start: at, end };
}

const triggers: Trigger[] = [];
/** By the first two characters: number of a group of triggers, from 1; 0 for none. */
const pairs = new Uint8Array(128 * 128);
const groups: Trigger[][] = [[]];

function add(literal: string, match: Shape, fold = false): void {
  triggers.push({ codes: [...literal].map((char) => char.charCodeAt(0)), fold, slot: triggers.length, match });
}

for (const rule of PREFIX_RULES)
  for (const prefix of rule.prefixes) add(prefix, (view, at) => matchPrefix(view, at, prefix.length, rule));
for (const rule of NAMED_RULES)
  for (const name of rule.names) add(name, (view, at) => matchNamed(view, at, name.length, rule), true);
add('eyJ', jwt);
add('-----BEGIN ', pem);
add('://', userinfo);
add('basic ', basic, true);
add(':AA', telegram);

// The longest first: `sk-ant-` before `sk-`.
for (const trigger of [...triggers].sort((a, b) => b.codes.length - a.codes.length)) {
  const [a, b] = trigger.codes as [number, number];
  for (const first of casesOf(a, trigger.fold))
    for (const second of casesOf(b, trigger.fold)) {
      const pair = (first << 7) | second;
      if (pairs[pair] === 0) pairs[pair] = groups.push([]) - 1;
      groups[pairs[pair] as number]?.push(trigger);
    }
}

function casesOf(code: number, fold: boolean): number[] {
  return fold && isIn(code, 2) ? [code, code - 32] : [code];
}

function standsAt(codes: Uint16Array, length: number, at: number, trigger: Trigger): boolean {
  const wanted = trigger.codes;
  if (at + wanted.length > length) return false;
  for (let i = 2; i < wanted.length; i += 1) {
    const code = codes[at + i] as number;
    if (code === wanted[i]) continue;
    if (!trigger.fold || code < 65 || code > 90 || code + 32 !== wanted[i]) return false;
  }
  return true;
}

/** True when a discord token may stand around the dot at `at`; its parts have no literal of their own. */
function dotted(codes: Uint16Array, at: number): boolean {
  return codes[at] === 46 && codes[at + 7] === 46 && isIn(codes[at - 1], URL64);
}

/** True when the code units hold the literal of any rule: without one there is nothing to find in them as they are. */
export function hasTrigger(codes: Uint16Array, length: number): boolean {
  for (let at = 0; at < length - 1; at += 1) {
    const a = codes[at] as number;
    const b = codes[at + 1] as number;
    if ((a | b) > 127) continue;
    const group = pairs[(a << 7) | b] as number;
    if (group !== 0 && (groups[group] as Trigger[]).some((trigger) => standsAt(codes, length, at, trigger)))
      return true;
    if (a === 46 && dotted(codes, at)) return true;
  }
  return false;
}

/** Everything that the rules find in a view, from left to right. Matches of general kinds may overlap others. */
export function findMatches(view: View): Match[] {
  const { codes, length } = view;
  const found: Match[] = [];
  const memory = triggers.map(() => ({ until: 0 }));
  for (let at = 0; at < length - 1; at += 1) {
    const a = codes[at] as number;
    const b = codes[at + 1] as number;
    if ((a | b) > 127) continue;
    const group = pairs[(a << 7) | b] as number;
    let match: Match | undefined;
    if (group !== 0) {
      for (const trigger of groups[group] as Trigger[]) {
        if (!standsAt(codes, length, at, trigger)) continue;
        match = trigger.match(view, at, memory[trigger.slot] as { until: number });
        if (match) break;
      }
    } else if (a === 46 && dotted(codes, at)) match = discord(view, at, { until: 0 });
    if (!match) continue;
    found.push(match);
    if (!GENERAL_KINDS.has(match.kind)) at = Math.max(at, match.end - 1);
  }
  return found;
}
