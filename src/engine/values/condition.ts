import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json, jsonEqual, typeName } from '../../model/json.ts';
import type { Scope } from '../../model/roots.ts';
import type { Condition } from '../../model/workflow.ts';
import { type Expression, evaluateExpression, readExpression } from './expression.ts';
import { located, MissingValue, place, SyntaxFailure, type Where } from './failures.ts';
import { formatPath } from './path.ts';
import { below, resolve, usesSecret } from './template.ts';
import { readTemplate } from './template-text.ts';

/**
 * Truth of a condition (SPEC §2).
 * @throws TabloomError `template_unresolved` for a value that is not there (but `exists` is then false), `condition_invalid` for a
 * condition that cannot be read or is not boolean
 */
export function evaluateCondition(condition: Condition, scope: Scope, where: Where): boolean {
  if (typeof condition === 'string') return evaluateText(condition, scope, where);
  const problem = conditionShape(condition);
  if (problem) throw invalid(where, problem);
  switch (condition.op) {
    case 'all_passed':
      return condition.steps.every((id) => stateOf(id, scope, where) === 'completed');
    case 'any_failed':
      return condition.steps.some((id) => stateOf(id, scope, where) === 'failed');
    case 'exists':
      return exists(condition.input, scope, where);
    default:
  }
  const input = resolve(condition.input, scope, below(where, 'input'));
  const expected = resolve(condition.expected as Json, scope, below(where, 'expected'));
  if (condition.op === 'equals') return jsonEqual(input, expected);
  if (condition.op === 'not_equals') return !jsonEqual(input, expected);
  return contains(input, expected, where);
}

function invalid(where: Where, problem: string): TabloomError {
  return new TabloomError('condition_invalid', `${place(where)}: the condition ${problem}.`, {
    step: where.step,
    field: where.field,
  });
}

function evaluateText(text: string, scope: Scope, where: Where): boolean {
  let value: Json;
  try {
    const expression = readCondition(text);
    if (usesSecret(expression)) throw new SyntaxFailure('a condition cannot look at a secret');
    value = evaluateExpression(expression, scope);
  } catch (error) {
    throw located(error, where, text, 'condition');
  }
  if (typeof value === 'boolean') return value;
  throw invalid(where, `must give true or false, and gave ${typeName(value)}; compare it with something`);
}

/** Reads the text of a condition. One written as a whole `{{ … }}` means the same. @throws SyntaxFailure */
export function readCondition(text: string): Expression {
  const trimmed = text.trim();
  if (trimmed.startsWith('{{')) {
    const [only, ...more] = readTemplate(trimmed);
    if (typeof only === 'object' && more.length === 0) return only;
  }
  return readExpression(trimmed);
}

function stateOf(id: string, scope: Scope, where: Where): Json {
  const state = id === '__proto__' ? undefined : scope.member('status', id);
  if (state === undefined) throw located(new MissingValue(formatPath('status', [id])), where, id, 'condition');
  return state;
}

function exists(input: Json, scope: Scope, where: Where): boolean {
  try {
    resolve(input, scope, below(where, 'input'));
    return true;
  } catch (error) {
    if (TabloomError.is(error) && error.code === 'template_unresolved' && missing(error)) return false;
    throw error;
  }
}

/** Tells a value that is not there from an expression that cannot be worked out; both have the same code. */
function missing(error: TabloomError): boolean {
  return isObject(error.info.details) && error.info.details.missing === true;
}

function contains(input: Json, expected: Json, where: Where): boolean {
  if (typeof input === 'string') return typeof expected === 'string' && input.includes(expected);
  if (Array.isArray(input)) return input.some((item) => jsonEqual(item, expected));
  if (isObject(input))
    return typeof expected === 'string' && expected !== '__proto__' && Object.hasOwn(input, expected);
  throw invalid(where, `looks for a part in ${typeName(input)}; "contains" works on text, lists and objects`);
}

const WITH_INPUT = ['equals', 'not_equals', 'contains', 'exists'];
const WITH_STEPS = ['all_passed', 'any_failed'];

/** What is wrong with the shape of an operator form, as the rest of a sentence; `undefined` when nothing is. */
export function conditionShape(condition: unknown): string | undefined {
  if (!isObject(condition)) return 'must be a text or an object with "op"';
  const { op } = condition;
  const keys = Object.keys(condition);
  if (typeof op === 'string' && WITH_STEPS.includes(op)) {
    if (keys.some((key) => key !== 'op' && key !== 'steps')) return `with op ${op} takes "steps" and nothing else`;
    const { steps } = condition;
    return Array.isArray(steps) && steps.every((id) => typeof id === 'string')
      ? undefined
      : `with op ${op} needs "steps", a list of step ids`;
  }
  if (typeof op === 'string' && WITH_INPUT.includes(op)) {
    if (keys.some((key) => key !== 'op' && key !== 'input' && key !== 'expected'))
      return `with op ${op} takes "input" and "expected" and nothing else`;
    if (condition.input === undefined) return `with op ${op} needs "input"`;
    return op !== 'exists' && condition.expected === undefined ? `with op ${op} needs "expected"` : undefined;
  }
  return `has an unknown op; use ${[...WITH_INPUT, ...WITH_STEPS].join(', ')}`;
}
