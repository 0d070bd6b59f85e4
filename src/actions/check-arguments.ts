import { readTemplate } from '../engine/values/template-text.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { z } from '../model/zod.ts';
import type { BrowserAction } from './define.ts';

/** What is wrong with arguments before templates are resolved. */
export interface ArgumentProblem {
  /** Keys and indexes from the arguments to the value. */
  path: (string | number)[];
  message: string;
}

/** What a template will give: a whole one anything, one inside longer text a text. */
type Unknown = 'anything' | 'text';
type Issue = z.core.$ZodIssue;

function templateKind(text: string): Unknown | undefined {
  if (!text.includes('{{')) return undefined;
  try {
    const parts = readTemplate(text);
    return parts.length === 1 && typeof parts[0] !== 'string' ? 'anything' : 'text';
  } catch {
    // Reported as `template_invalid` by those who read templates.
    return 'anything';
  }
}

/**
 * Checks arguments as they are written, against the action's schema. What a template stands for is not known yet: a string that is one whole
 * template fits everywhere, one with text around it wherever a text does.
 * @param open top-level arguments that come from elsewhere (an edge, a source): whatever they hold fits, and they may be left out
 */
export function checkArguments(action: BrowserAction, args: JsonObject, open: ReadonlySet<string>): ArgumentProblem[] {
  const known = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, open.has(key) ? '{{open}}' : value]),
  );
  for (const key of open) known[key] ??= '{{open}}';
  const result = action.args.safeParse(known);
  return result.success ? [] : result.error.issues.flatMap((issue) => real(issue, known, []));
}

/** The issues that are there whatever the templates give. */
function real(issue: Issue, root: JsonObject, base: (string | number)[]): ArgumentProblem[] {
  const path = [...base, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  const unknown = unknownAt(root, path);
  if (unknown === 'anything' || (unknown === 'text' && !refusesText(issue))) return [];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: `there is no "${key}" here` }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const ways = issue.errors.map((errors) => errors.flatMap((one) => real(one, root, path)));
    if (ways.some((way) => way.length === 0)) return [];
    // The way that was most likely meant: the one in which the fewest things are wrong, and those deepest.
    const depth = (way: ArgumentProblem[]): number => Math.max(...way.map((one) => one.path.length));
    return ways.sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] as ArgumentProblem[];
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined && /undefined$/.test(issue.message);
  return [{ path, message: missing ? 'it is missing' : issue.message.replace(/^Invalid input: /, '') }];
}

/** Whether no text at all would fit there. */
function refusesText(issue: Issue): boolean {
  if (issue.code === 'invalid_union')
    return issue.errors.length > 0 && issue.errors.every((way) => way.some(refusesText));
  return issue.code === 'invalid_type';
}

/** What a template leaves open at a place, or at one around it. */
function unknownAt(root: JsonObject, path: readonly (string | number)[]): Unknown | undefined {
  let at: Json | undefined = root;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else break;
  }
  return typeof at === 'string' ? templateKind(at) : undefined;
}
