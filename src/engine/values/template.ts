import { canonicalJson } from '../../model/canonical.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Scope } from '../../model/roots.ts';
import { type Expression, evaluateExpression } from './expression.ts';
import { located, SyntaxFailure, type Where } from './failures.ts';
import { formatPath } from './path.ts';
import { readTemplate, type TemplatePart } from './template-text.ts';

export type { Where } from './failures.ts';

/**
 * Fills in every `{{ … }}` of a value, deep over lists and objects (keys are no templates). A text that is one whole template keeps the
 * value's type. What is filled in is never looked at again. Parts without templates are handed back as they are, not copied.
 * @throws TabloomError `template_unresolved` for a part that is not there, naming step, field and path; `template_invalid` for a text that
 * cannot be read, or that uses `secret` where it may not
 */
export function resolve(value: Json, scope: Scope, where: Where): Json {
  if (typeof value === 'string') return value.includes('{{') ? resolveText(value, scope, where) : value;
  if (value === null || typeof value !== 'object') return value;
  return mapChildren(value, (item, key) => resolve(item, scope, below(where, key)));
}

/** The same list or object with other members; the very same where none has changed. */
export function mapChildren(value: Json[] | JsonObject, change: (item: Json, key: string | number) => Json): Json {
  let changed = false;
  const see = (item: Json, key: string | number): Json => {
    const next = change(item, key);
    if (next !== item) changed = true;
    return next;
  };
  if (Array.isArray(value)) {
    const list = value.map(see);
    return changed ? list : value;
  }
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [key, see(item, key)]);
  return changed ? Object.fromEntries(entries) : value;
}

/** The place of a member. */
export function below(where: Where, key: string | number): Where {
  return { step: where.step, field: formatPath(where.field, [key]) };
}

/** How a value reads inside longer text: texts as they are, null as nothing, the rest as compact JSON. */
export function asText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : canonicalJson(value);
}

function resolveText(text: string, scope: Scope, where: Where): Json {
  const parts = templateParts(text, where);
  const only = parts[0];
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return expressionValue(only, scope, where);
  return parts.map((part) => (typeof part === 'string' ? part : asText(expressionValue(part, scope, where)))).join('');
}

/** Parts of a text. @throws TabloomError `template_invalid` */
export function templateParts(text: string, where: Where): TemplatePart[] {
  try {
    return readTemplate(text);
  } catch (error) {
    throw located(error, where, text, 'template');
  }
}

/** Value of one `{{ … }}`. @throws TabloomError */
export function expressionValue(expression: Expression, scope: Scope, where: Where): Json {
  try {
    if (usesSecret(expression)) {
      throw new SyntaxFailure(
        'a secret can only be a whole {{secret.<name>}} inside the arguments of a browser_action or mcp_tool step',
      );
    }
    return evaluateExpression(expression, scope);
  } catch (error) {
    throw located(error, where, expression.text, 'template');
  }
}

const SECRET = /\bsecret\b/;

/** True when an expression starts from the root `secret` anywhere. A quoted "secret" or a member of that name does not count. */
export function usesSecret(expression: Expression): boolean {
  if (expression.kind === 'path') return expression.path.root === 'secret';
  return SECRET.test(expression.text) && mentions(expression.program.ast, 'secret');
}

function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((part) => mentions(part, name));
  if (node === null || typeof node !== 'object' || !('op' in node) || !('args' in node)) return false;
  return node.op === 'id' ? node.args === name : mentions(node.args, name);
}
