import type { Json, JsonObject } from '../../model/json.ts';
import { isObject } from '../../model/json.ts';
import type { Scope } from '../../model/roots.ts';
import type { SecretUse } from '../../ports/pages.ts';
import { located, MissingValue, SyntaxFailure, type Where } from './failures.ts';
import { descend, formatPath, parseRelativePath } from './path.ts';
import { asText, below, expressionValue, mapChildren, resolve, templateParts } from './template.ts';

export interface FieldOptions {
  /** Fields in which `{{secret.<name>}}` may stand. */
  secretFields?: readonly string[];
  /** Fields that may name their source by an object (`{from: …}`), whole or one member at a time. Default `input` and `arguments`. */
  sourceFields?: readonly string[];
}

export interface ResolvedFields {
  value: JsonObject;
  /** Where secrets go; pointers are relative to the fields (`/arguments/value`). */
  secrets: SecretUse[];
}

const SOURCE_FIELDS = ['input', 'arguments'];

/**
 * Resolves a step's fields. A secret is never looked up here: in its place stands `[secret:<name>]`, and `secrets` says where. Its pointers
 * come from the definition alone, so that no value which looks like a placeholder is ever taken for one.
 * @throws TabloomError `template_unresolved`, `template_invalid`
 */
export function resolveFields(
  fields: JsonObject,
  scope: Scope,
  step: string,
  options: FieldOptions = {},
): ResolvedFields {
  const secrets: SecretUse[] = [];
  const sourceFields = options.sourceFields ?? SOURCE_FIELDS;
  const value = mapChildren(fields, (field, key) => {
    const name = String(key);
    const where: Where = { step, field: formatPath('', [name]) };
    const secret = options.secretFields?.includes(name) ? secrets : undefined;
    const pointer = `/${escapePointer(name)}`;
    if (!sourceFields.includes(name)) return resolveDeep(field, scope, where, pointer, secret);
    if (isSource(field)) return resolveSource(field, scope, where);
    if (!isObject(field)) return resolveDeep(field, scope, where, pointer, secret);
    return mapChildren(field, (item, itemKey) => {
      const at = below(where, itemKey);
      return isSource(item)
        ? resolveSource(item, scope, at)
        : resolveDeep(item, scope, at, `${pointer}/${escapePointer(String(itemKey))}`, secret);
    });
  });
  return { value: value as JsonObject, secrets };
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Like `resolve`; with a list for secrets, `{{secret.<name>}}` becomes a placeholder and an entry in it. */
function resolveDeep(value: Json, scope: Scope, where: Where, pointer: string, secrets: SecretUse[] | undefined): Json {
  if (!secrets) return resolve(value, scope, where);
  if (typeof value === 'string')
    return value.includes('{{') ? resolveWithSecrets(value, scope, where, pointer, secrets) : value;
  if (value === null || typeof value !== 'object') return value;
  return mapChildren(value, (item, key) =>
    resolveDeep(item, scope, below(where, key), `${pointer}/${escapePointer(String(key))}`, secrets),
  );
}

function resolveWithSecrets(text: string, scope: Scope, where: Where, pointer: string, secrets: SecretUse[]): Json {
  const parts = templateParts(text, where);
  if (!parts.some((part) => typeof part !== 'string' && part.kind === 'path' && part.path.root === 'secret'))
    return resolve(text, scope, where);
  const use: (string | { secret: string })[] = [];
  for (const part of parts) {
    if (typeof part === 'string') use.push(part);
    else if (part.kind === 'path' && part.path.root === 'secret')
      use.push({ secret: secretName(part.path.segments, where, part.text) });
    else use.push(asText(expressionValue(part, scope, where)));
  }
  secrets.push({ pointer, parts: use });
  return use.map((part) => (typeof part === 'string' ? part : `[secret:${part.secret}]`)).join('');
}

function secretName(segments: readonly (string | number)[], where: Where, text: string): string {
  const name = segments[0];
  if (segments.length === 1 && typeof name === 'string') return name;
  throw located(new SyntaxFailure('a secret is written {{secret.<name>}}'), where, text, 'template');
}

type Source =
  | { from: 'workflowInput'; path?: string }
  | { from: 'previousStep'; step: string; path?: string }
  | { from: 'static'; value: Json }
  | { from: 'loopItem'; path?: string };

/** Keys that each kind of source may have, and those that it must. */
const SOURCES: Record<Source['from'], { may: string[]; must: string[] }> = {
  workflowInput: { may: ['from', 'path'], must: ['from'] },
  previousStep: { may: ['from', 'step', 'path'], must: ['from', 'step'] },
  static: { may: ['from', 'value'], must: ['from', 'value'] },
  loopItem: { may: ['from', 'path'], must: ['from'] },
};

/** True for an object that names the source of a value outright and has no other keys (SPEC §2). */
export function isSource(value: Json | undefined): value is JsonObject & Source {
  if (!isObject(value) || typeof value.from !== 'string' || !Object.hasOwn(SOURCES, value.from)) return false;
  const { may, must } = SOURCES[value.from as Source['from']];
  const keys = Object.keys(value);
  return (
    keys.every((key) => may.includes(key) && (key === 'value' || typeof value[key] === 'string')) &&
    must.every((key) => keys.includes(key))
  );
}

/** What a source points at, as root and segments; `undefined` for `static`. @throws SyntaxFailure for a path that is none */
export function sourcePath(
  source: Source,
): { root: 'workflow_input' | 'step' | 'loop_item'; segments: (string | number)[] } | undefined {
  if (source.from === 'static') return undefined;
  const segments = parseRelativePath(source.path ?? '');
  if (!segments) throw new SyntaxFailure(`"${source.path}" is not a path such as a.b[0]`);
  if (source.from === 'workflowInput') return { root: 'workflow_input', segments };
  if (source.from === 'loopItem') return { root: 'loop_item', segments };
  return { root: 'step', segments: [source.step, ...segments] };
}

/** A static value is taken to the letter: braces in it are text. */
function resolveSource(source: JsonObject & Source, scope: Scope, where: Where): Json {
  if (source.from === 'static') return source.value;
  try {
    const { root, segments } = sourcePath(source) as NonNullable<ReturnType<typeof sourcePath>>;
    if (root !== 'step') {
      const value = scope.root(root);
      if (value === undefined) throw new MissingValue(root);
      return descend(value, root, segments);
    }
    const id = segments[0] as string;
    const output = id === '__proto__' ? undefined : scope.member('step', id);
    const name = formatPath('step', [id]);
    if (output === undefined) throw new MissingValue(name);
    return descend(output, name, segments, 1);
  } catch (error) {
    throw located(error, where, source.path ?? source.from, 'template');
  }
}

/**
 * Value at a path without a root (`a.b[0]`), as an edge's `output` names a part of its source's output.
 * @throws TabloomError `template_unresolved`, `template_invalid`
 */
export function partOf(value: Json, path: string, name: string, where: Where): Json {
  try {
    const segments = parseRelativePath(path);
    if (!segments) throw new SyntaxFailure('it is not a path such as a.b[0]');
    return descend(value, name, segments);
  } catch (error) {
    throw located(error, where, path, 'template');
  }
}
