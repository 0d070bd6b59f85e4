import type { Json, JsonObject } from '../../model/json.ts';
import { redactText, scanText } from './scan.ts';

/** A secret in a JSON value. The pointer (RFC 6901) never quotes it: where a key holds one, the key's replacement stands there. */
export interface JsonFinding {
  pointer: string;
  kind: string;
}

/** Enough to say what is wrong; nobody reads more. */
const MOST = 100;
/** Names that make a secret of a value which says nothing by itself. */
const TELLING = /key|secret|token|passw|passphrase|bearer|heroku|twilio|mailgun|cloudflare|discord/i;
const LONGEST_NAMED = 512;

/** Kind of the secret that a member is by its name. */
function namedKind(key: string, value: string): string | undefined {
  if (value.length < 12 || value.length > LONGEST_NAMED || key.length > 100 || !TELLING.test(key)) return undefined;
  return scanText(`${key}="${value}"`)[0]?.kind;
}

function pointerPart(key: string): string {
  return redactText(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Every secret in a value: in its texts, in its keys, and texts that are one by the name of their key. At most 100. */
export function scanJson(value: Json): JsonFinding[] {
  const found: JsonFinding[] = [];
  const walk = (at: Json, pointer: string, key: string): void => {
    if (found.length >= MOST) return;
    if (typeof at === 'string') {
      const inside = scanText(at);
      for (const { kind } of inside) found.push({ pointer, kind });
      const kind = inside.length === 0 ? namedKind(key, at) : undefined;
      if (kind !== undefined) found.push({ pointer, kind });
    } else if (Array.isArray(at)) {
      for (const [index, item] of at.entries()) walk(item, `${pointer}/${index}`, '');
    } else if (typeof at === 'object' && at !== null) {
      for (const [name, member] of Object.entries(at)) {
        const inner = `${pointer}/${pointerPart(name)}`;
        for (const { kind } of scanText(name)) found.push({ pointer: inner, kind });
        walk(member, inner, name);
      }
    }
  };
  walk(value, '', '');
  return found.slice(0, MOST);
}

/** The value with every secret replaced by `[redacted:<kind>]`. What is clean is not copied: the very same value comes back. */
export function redactJson<T extends Json>(value: T): T {
  return redact(value, '') as T;
}

function redact(value: Json, key: string): Json {
  if (typeof value === 'string') {
    const clean = redactText(value);
    if (clean !== value) return clean;
    const kind = namedKind(key, value);
    return kind === undefined ? value : `[redacted:${kind}]`;
  }
  if (Array.isArray(value)) {
    const copy = value.map((item) => redact(item, ''));
    return copy.some((item, index) => item !== value[index]) ? copy : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  let changed = false;
  const clean = entries.map(([name, member]): [string, Json] => {
    const key = redactText(name);
    const inner = redact(member, name);
    changed ||= key !== name || inner !== member;
    return [key, inner];
  });
  return changed ? rebuilt(clean) : value;
}

/** An object of entries of which several may have got the same key: all are kept. Own properties only, also `__proto__`. */
function rebuilt(entries: [string, Json][]): JsonObject {
  const copy: JsonObject = {};
  for (const [name, value] of entries) {
    let key = name;
    for (let n = 2; Object.hasOwn(copy, key); n += 1) key = `${name} ${n}`;
    Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}
