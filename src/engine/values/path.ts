import { type Json, own } from '../../model/json.ts';
import { ROOTS, type RootName, type Scope } from '../../model/roots.ts';
import { MissingValue } from './failures.ts';

/** A path as it is written: a root, then names and list indexes. */
export interface Path {
  root: RootName;
  segments: (string | number)[];
  text: string;
}

/** Roots whose members are asked for one by one (SPEC §2). */
const MEMBER_ROOTS: ReadonlySet<string> = new Set(['step', 'status', 'loop', 'secret']);
const ROOT_NAMES: ReadonlySet<string> = new Set(ROOTS);
const NAME = /[\p{L}_][\p{L}\p{N}_-]*/uy;
const INDEX = /\[(\d{1,9})\]/y;
const QUOTED =
  /\[(?:"((?:[^"\\\n\r]|\\["'\\/bfnrt]|\\u[0-9a-fA-F]{4})*)"|'((?:[^'\\\n\r]|\\["'\\/bfnrt]|\\u[0-9a-fA-F]{4})*)')\]/y;

/** True for a name that templates may start from. */
export function isRoot(name: string): name is RootName {
  return ROOT_NAMES.has(name);
}

/** True for `step`, `status`, `loop` and `secret`. */
export function hasMembers(root: string): boolean {
  return MEMBER_ROOTS.has(root);
}

/** Reads a text as a path; `undefined` where it is anything else (then it is an expression). White space around it is allowed. */
export function parsePath(source: string): Path | undefined {
  const text = source.trim();
  NAME.lastIndex = 0;
  const root = NAME.exec(text)?.[0];
  if (root === undefined || !isRoot(root)) return undefined;
  const segments = readSegments(text, root.length);
  return segments && { root, segments, text };
}

/** Reads a path without a root (`a.b[0]`), as sources and edges name parts of a value; the empty text is the whole value. */
export function parseRelativePath(source: string): (string | number)[] | undefined {
  const text = source.trim();
  if (text === '') return [];
  if (text.startsWith('[')) return readSegments(text, 0);
  return readSegments(`.${text}`, 0);
}

function readSegments(text: string, start: number): (string | number)[] | undefined {
  const segments: (string | number)[] = [];
  let at = start;
  while (at < text.length) {
    if (text[at] === '.') {
      NAME.lastIndex = at + 1;
      const name = NAME.exec(text)?.[0];
      if (name === undefined) return undefined;
      segments.push(name);
      at += 1 + name.length;
      continue;
    }
    INDEX.lastIndex = at;
    const index = INDEX.exec(text);
    if (index) {
      segments.push(Number(index[1]));
      at += index[0].length;
      continue;
    }
    QUOTED.lastIndex = at;
    const quoted = QUOTED.exec(text);
    if (!quoted) return undefined;
    segments.push(unescapeQuoted((quoted[1] ?? quoted[2]) as string));
    at += quoted[0].length;
  }
  return segments;
}

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescapeQuoted(body: string): string {
  return body.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_all, hex: string | undefined, one: string | undefined) =>
    hex !== undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : (ESCAPES[one as string] ?? (one as string)),
  );
}

const PLAIN = /^[\p{L}_][\p{L}\p{N}_-]*$/u;

/** Writes a root and segments as a path again. */
export function formatPath(root: string, segments: readonly (string | number)[]): string {
  let text = root;
  for (const segment of segments) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (PLAIN.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}

/** One step into a value: a name into an object (own keys only), an index into a list. `undefined` where it is not there. */
export function child(value: Json | undefined, segment: string | number): Json | undefined {
  if (typeof segment === 'number') return Array.isArray(value) ? value[segment] : undefined;
  if (segment === '__proto__' || Array.isArray(value)) return undefined;
  return own(value, segment);
}

/** Value of a path. @throws MissingValue naming the first part that is not there. */
export function resolvePath(path: Path, scope: Scope): Json {
  const { root, segments } = path;
  const first = segments[0];
  if (first !== undefined && hasMembers(root)) {
    const name = String(first);
    const member = typeof first === 'string' && name !== '__proto__' ? scope.member(root, name) : undefined;
    if (member === undefined) throw new MissingValue(formatPath(root, [first]));
    return descend(member, formatPath(root, [first]), segments, 1);
  }
  const value = scope.root(root);
  if (value === undefined) throw new MissingValue(root);
  return descend(value, root, segments, 0);
}

/** Value at segments below a value. `name` is what the value is called in messages. @throws MissingValue */
export function descend(value: Json, name: string, segments: readonly (string | number)[], from = 0): Json {
  let at: Json = value;
  let text = name;
  for (let i = from; i < segments.length; i += 1) {
    const segment = segments[i] as string | number;
    text = formatPath(text, [segment]);
    const next = child(at, segment);
    if (next === undefined) throw new MissingValue(text);
    at = next;
  }
  return at;
}
