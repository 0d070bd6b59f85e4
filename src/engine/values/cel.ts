import type { ASTNode } from '@marcbachmann/cel-js';
import type { Json } from '../../model/json.ts';
import type { RootName, Scope } from '../../model/roots.ts';
import { type Program, restoreRoot } from './cel-compile.ts';
import { callFunction, TYPE_NAMES } from './cel-functions.ts';
import { binary, type CelValue, contained, equal, isMap, kindOf, make, toJson, wholeNumber } from './cel-values.ts';
import { EvaluationFailure, MissingValue } from './failures.ts';
import { child, hasMembers, isRoot } from './path.ts';

/**
 * Works expressions out over a scope. The parser and the functions on texts, numbers and times are those of cel-js; operators, member access,
 * `has()` and the macros are here, since its own are typed statically (`cond ? 1 : "x"`, `[1, "a"]` and `7.0 % 2` are errors there), take an
 * own key `constructor` for a class, and throw where `has()` must say false. Nothing is called that a workflow could supply.
 */

/** Variables of macros, innermost first. */
interface Locals {
  name: string;
  value: CelValue;
  outer: Locals | undefined;
}

interface Run {
  scope: Scope;
  text: string;
  work: number;
}

/** Upper bound of nodes visited in one expression: nested `all()` over long lists must not stall the browser. */
const MAX_WORK = 2_000_000;

/** Value of a compiled expression. @throws MissingValue, EvaluationFailure */
export function evaluateProgram(program: Program, scope: Scope): Json {
  return toJson(evaluate(program.ast, { scope, text: program.text, work: 0 }, undefined));
}

function evaluate(node: ASTNode, run: Run, locals: Locals | undefined): CelValue {
  run.work += 1;
  if (run.work > MAX_WORK) throw new EvaluationFailure('it is too much work for one expression; use a step for it');
  switch (node.op) {
    case 'value':
      return node.args;
    case 'id':
      return identifier(node, run, locals);
    case '.':
      return access(node, node.args[0], node.args[1], run, locals);
    case '[]':
      return access(node, node.args[0], evaluate(node.args[1], run, locals), run, locals);
    case 'call':
      return call(node.args[0], node.args[1], run, locals);
    case 'rcall':
      return method(node, run, locals);
    case 'list':
      return make(node.args.map((item) => evaluate(item, run, locals)));
    case 'map':
      return mapLiteral(node.args, run, locals);
    case '?:':
      return evaluate(
        truth(evaluate(node.args[0], run, locals), 'the part before "?"') ? node.args[1] : node.args[2],
        run,
        locals,
      );
    case '||':
      return either(true, node.args, run, locals);
    case '&&':
      return either(false, node.args, run, locals);
    case '!_':
      return !truth(evaluate(node.args, run, locals), 'the part after "!"');
    case '-_':
      return negative(evaluate(node.args, run, locals));
    default: {
      // The parser makes no optional access (`a.?b`); what is left has two sides.
      const { op, args } = node as ASTNode & { args: [ASTNode, ASTNode] };
      const left = evaluate(args[0], run, locals);
      const right = evaluate(args[1], run, locals);
      if (op === '==') return equal(left, right);
      if (op === '!=') return !equal(left, right);
      if (op === 'in') return contained(left, right);
      return binary(op, left, right);
    }
  }
}

function truth(value: CelValue, what: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new EvaluationFailure(`${what} must be true or false, found ${kindOf(value)}`);
}

function negative(value: CelValue): CelValue {
  if (typeof value === 'number' || typeof value === 'bigint') return -value;
  throw new EvaluationFailure(`"-" needs a number, found ${kindOf(value)}`);
}

function local(name: string, locals: Locals | undefined): Locals | undefined {
  for (let at = locals; at; at = at.outer) if (at.name === name) return at;
  return undefined;
}

function written(node: ASTNode, run: Run): string {
  return run.text.slice(node.start, node.end);
}

function identifier(node: ASTNode & { op: 'id' }, run: Run, locals: Locals | undefined): CelValue {
  const found = local(node.args, locals);
  if (found) return found.value;
  const name = restoreRoot(node.args);
  if (TYPE_NAMES.has(name)) return name;
  // No other name gets past the compiler.
  const value = run.scope.root(name as RootName);
  if (value === undefined) throw new MissingValue(written(node, run));
  return value;
}

/** Member of an object, item of a list; members of `step`, `status`, `loop` and `secret` are asked of the scope one by one. */
function access(node: ASTNode, of: ASTNode, key: CelValue, run: Run, locals: Locals | undefined): CelValue {
  if (of.op === 'id' && !local(of.args, locals)) {
    const root = restoreRoot(of.args);
    if (isRoot(root) && hasMembers(root)) {
      const member = typeof key === 'string' && key !== '__proto__' ? run.scope.member(root, key) : undefined;
      if (member === undefined) throw new MissingValue(written(node, run));
      return member;
    }
  }
  const value = evaluate(of, run, locals);
  if (Array.isArray(value)) {
    const index = typeof key === 'string' ? undefined : wholeNumber(key);
    if (index === undefined && typeof key !== 'string')
      throw new EvaluationFailure(`a list is indexed by whole numbers, found ${kindOf(key)}`);
    const item = index === undefined || index < 0n ? undefined : (value as CelValue[])[Number(index)];
    if (item === undefined) throw new MissingValue(written(node, run));
    return item;
  }
  const item = isMap(value) && typeof key === 'string' ? child(value, key) : undefined;
  if (item === undefined) throw new MissingValue(written(node, run));
  return item;
}

function mapLiteral(entries: readonly (readonly [ASTNode, ASTNode])[], run: Run, locals: Locals | undefined): CelValue {
  const map: Record<string, CelValue> = {};
  for (const [keyNode, valueNode] of entries) {
    const key = evaluate(keyNode, run, locals);
    if (typeof key !== 'string' || key === '__proto__')
      throw new EvaluationFailure('keys of an object are texts, and "__proto__" is none of them');
    map[key] = evaluate(valueNode, run, locals);
  }
  return make(map);
}

/** `||` (decided by true) and `&&` (decided by false): as CEL has it, the deciding side wins over a failure of the other. */
function either(
  decides: boolean,
  [left, right]: readonly [ASTNode, ASTNode],
  run: Run,
  locals: Locals | undefined,
): boolean {
  const word = decides ? '||' : '&&';
  let first: boolean | undefined;
  let failure: unknown;
  try {
    first = truth(evaluate(left, run, locals), `a side of ${word}`);
  } catch (error) {
    failure = error;
  }
  if (first === decides) return decides;
  const second = truth(evaluate(right, run, locals), `a side of ${word}`);
  if (second === decides) return decides;
  if (first === undefined) throw failure;
  return !decides;
}

function call(name: string, args: readonly ASTNode[], run: Run, locals: Locals | undefined): CelValue {
  if (name === 'has' && args.length === 1) {
    try {
      evaluate(args[0] as ASTNode, run, locals);
      return true;
    } catch (error) {
      if (error instanceof MissingValue) return false;
      throw error;
    }
  }
  return callFunction(
    name,
    args.map((arg) => evaluate(arg, run, locals)),
    false,
  );
}

function method(node: ASTNode & { op: 'rcall' }, run: Run, locals: Locals | undefined): CelValue {
  const [name, receiver, args] = node.args;
  const variable = args[0];
  if (variable?.op === 'id' && MACROS.has(`${name}/${args.length}`)) {
    if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel') {
      const bound = evaluate(args[1] as ASTNode, run, locals);
      return evaluate(args[2] as ASTNode, run, { name: variable.args, value: bound, outer: locals });
    }
    return comprehension(name, items(evaluate(receiver, run, locals), name), variable.args, args.slice(1), run, locals);
  }
  return callFunction(
    name,
    [receiver, ...args].map((arg) => evaluate(arg, run, locals)),
    true,
  );
}

/** Macros by name and number of arguments. */
export const MACROS: ReadonlySet<string> = new Set([
  'all/2',
  'exists/2',
  'exists_one/2',
  'filter/2',
  'map/2',
  'map/3',
  'bind/3',
]);

function items(value: CelValue, name: string): CelValue[] {
  if (Array.isArray(value)) return value as CelValue[];
  if (isMap(value)) return Object.keys(value);
  throw new EvaluationFailure(`${name}() goes over a list or the keys of an object, not ${kindOf(value)}`);
}

function comprehension(
  name: string,
  list: CelValue[],
  variable: string,
  parts: readonly ASTNode[],
  run: Run,
  locals: Locals | undefined,
): CelValue {
  const at = (part: ASTNode, value: CelValue): CelValue =>
    evaluate(part, run, { name: variable, value, outer: locals });
  const test = (value: CelValue): boolean => truth(at(parts[0] as ASTNode, value), `the test of ${name}()`);
  if (name === 'filter') return make(list.filter(test));
  if (name === 'exists_one') return list.filter(test).length === 1;
  if (name === 'map') {
    const chosen = parts.length === 2 ? list.filter(test) : list;
    return make(chosen.map((value) => at(parts.at(-1) as ASTNode, value)));
  }
  const decides = name === 'exists';
  let failure: { error: unknown } | undefined;
  for (const value of list) {
    try {
      if (test(value) === decides) return decides;
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
  return !decides;
}
