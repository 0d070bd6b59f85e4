import type { ASTNode } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../../model/json.ts';
import type { RootName } from '../../model/roots.ts';
import type { Condition } from '../../model/workflow.ts';
import { MACROS } from './cel.ts';
import { restoreRoot } from './cel-compile.ts';
import { conditionShape, readCondition } from './condition.ts';
import { type Expression, readExpression } from './expression.ts';
import { dashHint, type SyntaxFailure } from './failures.ts';
import { isSource, sourcePath } from './fields.ts';
import { hasMembers, isRoot } from './path.ts';
import { readTemplate } from './template-text.ts';

/** One place where a template or condition looks at something, found without running it. */
export interface Reference {
  root: RootName;
  /** For `step`, `status`, `loop` and `secret`: which one; `undefined` where it is worked out at run time (`step[loop_item]`). */
  member?: string;
  /** Names and indexes below the member (or the root), up to the first that is worked out at run time. */
  path: (string | number)[];
  /** Inside `has()` or `exists`, or beside such a test of the same path: it may be missing. */
  guarded: boolean;
  /** The root is `secret`. */
  inSecret: boolean;
  /** A whole `{{secret.name}}`, the one form in which a secret may be used. */
  plain: boolean;
  /** The expression that it stands in. */
  text: string;
  /** JSON pointer from the value that was asked about. */
  pointer: string;
  /** What to write instead, where the expression seems to use a name with `-` without quotes. */
  hint?: string;
}

/** Something wrong with a template or condition, found without running it. */
export interface TemplateProblem {
  code: 'template_invalid' | 'condition_invalid';
  /** JSON pointer from the value that was asked about. */
  pointer: string;
  message: string;
}

/** One side of a comparison: a reference, or a value that is written out. */
export type Side = { reference: Reference } | { value: Json };

/** A `==` or `!=` of an expression, as far as both sides are known. */
export interface Comparison {
  sides: [Side, Side];
  text: string;
  /** JSON pointer from the value that was asked about. */
  pointer: string;
}

export interface Findings {
  references: Reference[];
  problems: TemplateProblem[];
  comparisons: Comparison[];
}

const nothing = (): Findings => ({ references: [], problems: [], comparisons: [] });

/** Every reference in the templates of a value, deep. Texts that cannot be read have none (`checkTemplates` reports them). */
export function referencesOf(value: Json): Reference[] {
  return inspect(value).references;
}

/** Every template of a value that cannot be read, as `template_invalid`. */
export function checkTemplates(value: Json): TemplateProblem[] {
  return inspect(value).problems;
}

/** References and problems of the templates of a value in one walk. */
export function inspect(value: Json): Findings {
  const findings = nothing();
  walk(value, '', false, findings);
  return findings;
}

/**
 * Like `inspect`, for a field that may name its source by an object (`input`, `arguments`), whole or one member at a time. A source is a
 * reference like any other; a static value is not looked at.
 */
export function inspectSourced(value: Json): Findings {
  const findings = nothing();
  if (isSource(value)) fromSource(value, '', findings);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const pointer = `/${escapePointer(key)}`;
      if (isSource(item)) fromSource(item, pointer, findings);
      else walk(item, pointer, false, findings);
    }
  } else walk(value, '', false, findings);
  return findings;
}

/** References and problems (`condition_invalid`, and `template_invalid` inside the values of operator forms) of a condition. */
export function inspectCondition(condition: Condition | Json): Findings {
  const findings = nothing();
  const fail = (message: string) => findings.problems.push({ code: 'condition_invalid', pointer: '', message });
  if (typeof condition === 'string') {
    try {
      const expression = readCondition(condition);
      take(expression, '', false, findings);
      if (expression.kind === 'cel' && ['list', 'map'].includes(expression.program.ast.op))
        fail('The condition is never true or false.');
      if (
        expression.kind === 'cel' &&
        expression.program.ast.op === 'value' &&
        typeof expression.program.ast.args !== 'boolean'
      ) {
        fail('The condition is never true or false.');
      }
    } catch (error) {
      fail(`The condition cannot be read: ${sentence(error)}.`);
    }
    return findings;
  }
  const problem = conditionShape(condition);
  if (problem) {
    fail(`The condition ${problem}.`);
    return findings;
  }
  const form = condition as Exclude<Condition, string>;
  if ('steps' in form) {
    form.steps.forEach((id, i) => {
      findings.references.push({
        root: 'status',
        member: id,
        path: [],
        guarded: false,
        inSecret: false,
        plain: false,
        text: id,
        pointer: `/steps/${i}`,
      });
    });
    return findings;
  }
  walk(form.input, '/input', form.op === 'exists', findings);
  if (form.expected === undefined) return findings;
  walk(form.expected, '/expected', false, findings);
  if (form.op === 'equals' || form.op === 'not_equals')
    findings.comparisons.push({ sides: [sideOf(form.input), sideOf(form.expected)], text: form.op, pointer: '' });
  return findings;
}

function sideOf(value: Json): Side {
  const reference = wholeReference(value);
  return reference ? { reference } : { value };
}

/** What a value stands for that is one whole template of a plain path, or names its source outright; undefined for any other value. */
export function wholeReference(value: Json): Reference | undefined {
  const found = inspectSourced(value);
  const [reference] = found.references;
  if (!reference || found.references.length > 1 || reference.pointer !== '' || reference.guarded) return undefined;
  if (isSource(value)) return reference;
  if (typeof value !== 'string' || !reference.plain) return undefined;
  return readTemplate(value).length === 1 ? reference : undefined;
}

/** What a condition stands for that is nothing but a path. */
export function conditionReference(condition: Condition | Json): Reference | undefined {
  if (typeof condition !== 'string') return undefined;
  const [reference] = inspectCondition(condition).references;
  return reference?.plain ? reference : undefined;
}

/** References of a bare CEL text (the `expression` of `transform`). @throws nothing: one that cannot be read has a problem */
export function inspectExpression(text: string): Findings {
  const findings = nothing();
  try {
    take(readExpression(text), '', false, findings);
  } catch (error) {
    const message = `The expression cannot be read: ${sentence(error)}.`;
    findings.problems.push({ code: 'template_invalid', pointer: '', message });
  }
  return findings;
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

function sentence(error: unknown): string {
  return (error as SyntaxFailure).message.replace(/\.$/, '');
}

function walk(value: Json, pointer: string, guarded: boolean, findings: Findings): void {
  if (typeof value === 'string') text(value, pointer, guarded, findings);
  else if (Array.isArray(value)) {
    value.forEach((item, i) => {
      walk(item, `${pointer}/${i}`, guarded, findings);
    });
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) walk(item, `${pointer}/${escapePointer(key)}`, guarded, findings);
  }
}

function text(value: string, pointer: string, guarded: boolean, findings: Findings): void {
  if (!value.includes('{{')) return;
  try {
    for (const part of readTemplate(value)) {
      if (typeof part !== 'string') take(part, pointer, guarded, findings);
    }
  } catch (error) {
    findings.problems.push({
      code: 'template_invalid',
      pointer,
      message: `The template cannot be read: ${sentence(error)}.`,
    });
  }
}

function fromSource(source: Parameters<typeof sourcePath>[0], pointer: string, findings: Findings): void {
  try {
    const at = sourcePath(source);
    if (!at) return;
    const member = at.root === 'step' ? String(at.segments[0]) : undefined;
    const path = member === undefined ? at.segments : at.segments.slice(1);
    findings.references.push({
      root: at.root,
      ...(member === undefined ? {} : { member }),
      path,
      guarded: false,
      inSecret: false,
      plain: false,
      text: source.from,
      pointer,
    });
  } catch (error) {
    findings.problems.push({
      code: 'template_invalid',
      pointer: `${pointer}/path`,
      message: `The source cannot be read: ${sentence(error)}.`,
    });
  }
}

function reference(
  root: RootName,
  segments: (string | number)[],
  more: Pick<Reference, 'guarded' | 'plain' | 'text' | 'pointer'>,
): Reference {
  const first = segments[0];
  const named = hasMembers(root) && typeof first === 'string';
  const hint = dashHint(more.text);
  return {
    root,
    ...(named ? { member: first } : {}),
    path: named ? segments.slice(1) : segments,
    inSecret: root === 'secret',
    ...more,
    ...(hint && !more.plain ? { hint } : {}),
  };
}

function take(expression: Expression, pointer: string, guarded: boolean, findings: Findings): void {
  findings.references.push(...expressionReferences(expression, pointer, guarded));
  if (expression.kind === 'path') return;
  const { text: source } = expression;
  const side = (node: ASTNode): Side | undefined => {
    if (node.op === 'value')
      return ['string', 'number', 'bigint', 'boolean'].includes(typeof node.args)
        ? { value: (typeof node.args === 'bigint' ? Number(node.args) : node.args) as Json }
        : undefined;
    if (node.op !== 'id' && node.op !== '.' && node.op !== '[]') return undefined;
    const found: Reference[] = [];
    chain(node, new Set(), false, (root, segments) => {
      found.push(reference(root, segments, { guarded: false, plain: false, text: source, pointer }));
    });
    const [only] = found;
    return found.length === 1 && only && isWhole(node) ? { reference: only } : undefined;
  };
  const look = (node: ASTNode): void => {
    if (node.op === '==' || node.op === '!=') {
      const [left, right] = [side(node.args[0]), side(node.args[1])];
      if (left && right) findings.comparisons.push({ sides: [left, right], text: source, pointer });
    }
    // Inside of a macro a name may be its own variable.
    if (node.op === 'rcall') return;
    const parts: unknown[] = Array.isArray(node.args) ? node.args.flat() : [node.args];
    for (const part of parts) if (typeof part === 'object' && part !== null) look(part as ASTNode);
  };
  look(expression.program.ast);
}

/** Whether a chain is names and indexes that are written out, all the way. */
function isWhole(node: ASTNode): boolean {
  if (node.op === 'id') return true;
  if (node.op !== '.' && node.op !== '[]') return false;
  const key = node.args[1];
  return (typeof key === 'string' || key.op === 'value') && isWhole(node.args[0]);
}

function expressionReferences(expression: Expression, pointer: string, guarded: boolean): Reference[] {
  const { text: source } = expression;
  if (expression.kind === 'path')
    return [reference(expression.path.root, expression.path.segments, { guarded, plain: true, text: source, pointer })];
  const found: Reference[] = [];
  visit(expression.program.ast, new Set(), false, (root, segments, inHas) => {
    found.push(reference(root, segments, { guarded: guarded || inHas, plain: false, text: source, pointer }));
  });
  const guards = found.filter((one) => one.guarded);
  for (const one of found) one.guarded ||= guards.some((guard) => covers(guard, one));
  return found;
}

function covers(guard: Reference, one: Reference): boolean {
  return guard.root === one.root && guard.member === one.member && guard.path.every((part, i) => part === one.path[i]);
}

type Found = (root: RootName, segments: (string | number)[], inHas: boolean) => void;

function visit(node: ASTNode, locals: ReadonlySet<string>, inHas: boolean, found: Found): void {
  if (node.op === 'id' || node.op === '.' || node.op === '[]') {
    chain(node, locals, inHas, found);
    return;
  }
  if (node.op === 'value') return;
  if (node.op === 'call') {
    const [name, args] = node.args;
    for (const arg of args) visit(arg, locals, inHas || name === 'has', found);
    return;
  }
  if (node.op === 'rcall') {
    const [name, receiver, args] = node.args;
    const variable = args[0];
    visit(receiver, locals, inHas, found);
    if (variable?.op === 'id' && MACROS.has(`${name}/${args.length}`)) {
      const inner = new Set([...locals, variable.args]);
      for (const arg of args.slice(1)) visit(arg, inner, inHas, found);
    } else for (const arg of args) visit(arg, locals, inHas, found);
    return;
  }
  // All others hold nodes and nothing else: one, a list, or pairs.
  const parts = (Array.isArray(node.args) ? node.args.flat() : [node.args]) as ASTNode[];
  for (const part of parts) visit(part, locals, inHas, found);
}

/** A chain of names and indexes down to a root; what stands in brackets is looked at too. */
function chain(node: ASTNode, locals: ReadonlySet<string>, inHas: boolean, found: Found): void {
  let at = node;
  let segments: (string | number)[] = [];
  while (at.op === '.' || at.op === '[]') {
    const key = at.args[1];
    if (typeof key === 'string') segments.unshift(key);
    else if (key.op === 'value' && typeof key.args === 'string') segments.unshift(key.args);
    else if (key.op === 'value' && (typeof key.args === 'bigint' || typeof key.args === 'number'))
      segments.unshift(Number(key.args));
    else {
      visit(key, locals, inHas, found);
      segments = [];
    }
    at = at.args[0];
  }
  if (at.op !== 'id') {
    visit(at, locals, inHas, found);
    return;
  }
  const root = restoreRoot(at.args);
  if (!locals.has(at.args) && isRoot(root)) found(root, segments, inHas);
}
