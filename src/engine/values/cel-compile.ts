import type { ASTNode } from '@marcbachmann/cel-js';
import { BoundedCache } from './cache.ts';
import { functionExists, TYPE_NAMES } from './cel-functions.ts';
import { library, summary } from './cel-values.ts';
import { dashHint, SyntaxFailure } from './failures.ts';
import { isRoot } from './path.ts';

/** A parsed expression. */
export interface Program {
  text: string;
  ast: ASTNode;
}

const MAX_LENGTH = 10_000;
const cache = new BoundedCache<Program | SyntaxFailure>(500);

/** `loop` is a reserved word of CEL. It is replaced before parsing by a name of the same length, so that positions hold. */
const LOOP = '_L0_';

/** The root that a name of the parsed expression stands for. */
export function restoreRoot(name: string): string {
  return name === LOOP ? 'loop' : name;
}

/** Strings (plain, raw, triple), comments, or the word `loop` on its own and not after a dot. */
const TOKENS =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|\/\/[^\n]*|[rR]"[^"\n]*"|[rR]'[^'\n]*'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<![\w.]|\.\s)loop(?!\w|\s*\()/g;

function rewriteLoop(text: string): string {
  return text.replace(TOKENS, (token) => (token === 'loop' ? LOOP : token));
}

/**
 * Parses and checks an expression: its grammar, names that it may start from, functions that exist. Cached.
 * @throws SyntaxFailure with a sentence and the offset
 */
export function compileExpression(text: string): Program {
  const known = cache.get(text);
  const entry = known ?? cache.set(text, compile(text));
  if (entry instanceof SyntaxFailure) throw entry;
  return entry;
}

function compile(text: string): Program | SyntaxFailure {
  if (text.trim() === '') return new SyntaxFailure('it is empty');
  if (text.length > MAX_LENGTH) return new SyntaxFailure(`it is longer than ${MAX_LENGTH} characters`);
  try {
    const program = { text, ast: library.parse(rewriteLoop(text)).ast };
    check(program.ast, new Set(), text);
    return program;
  } catch (error) {
    if (error instanceof SyntaxFailure) return error;
    const hint = dashHint(text);
    const { range } = error as { range?: { start: number } };
    return new SyntaxFailure(`${restoreMessage(summary(error))}${hint ? `. ${hint}` : ''}`, range?.start);
  }
}

function restoreMessage(message: string): string {
  return message.replaceAll(LOOP, 'loop');
}

/** Refuses unknown names and functions, and `has()` of anything but a part of something. */
function check(node: ASTNode, locals: ReadonlySet<string>, text: string): void {
  switch (node.op) {
    case 'value':
      return;
    case 'id': {
      const name = restoreRoot(node.args);
      if (locals.has(node.args) || isRoot(name) || TYPE_NAMES.has(name)) return;
      const hint = dashHint(text);
      throw new SyntaxFailure(
        `there is nothing called "${name}"; start from workflow_input, step.<id>, loop_item or another root${hint ? `. ${hint}` : ''}`,
        node.start,
      );
    }
    case '.':
    case '.?':
      check(node.args[0], locals, text);
      return;
    case 'call': {
      const [name, args] = node.args;
      if (name === 'has') {
        const part = args[0];
        if (args.length !== 1 || (part?.op !== '.' && part?.op !== '[]'))
          throw new SyntaxFailure('has() takes one part of something, such as has(step.a.b)', node.start);
      } else if (!functionExists(name, args.length, false)) throw unknownFunction(name, args.length, node.start);
      for (const arg of args) check(arg, locals, text);
      return;
    }
    case 'rcall':
      checkMethod(node, locals, text);
      return;
    case '!_':
    case '-_':
      check(node.args, locals, text);
      return;
    case 'list':
      for (const item of node.args) check(item, locals, text);
      return;
    case 'map':
      for (const [key, value] of node.args) {
        check(key, locals, text);
        check(value, locals, text);
      }
      return;
    default:
      for (const part of node.args) check(part, locals, text);
  }
}

function unknownFunction(name: string, count: number, at: number): SyntaxFailure {
  return new SyntaxFailure(`there is no function ${name}() with ${count} argument${count === 1 ? '' : 's'}`, at);
}

function checkMethod(node: ASTNode & { op: 'rcall' }, locals: ReadonlySet<string>, text: string): void {
  const [name, receiver, args] = node.args;
  const bind = name === 'bind' && receiver.op === 'id' && receiver.args === 'cel';
  const macro = bind
    ? args.length === 3
    : /^(all|exists|exists_one|filter)$/.test(name)
      ? args.length === 2
      : name === 'map' && (args.length === 2 || args.length === 3);
  if (!bind) check(receiver, locals, text);
  if (!macro) {
    if (!functionExists(name, args.length, true)) throw unknownFunction(`.${name}`, args.length, node.start);
    for (const arg of args) check(arg, locals, text);
    return;
  }
  // The parser itself refuses a macro whose first part is no name.
  const inner = new Set([...locals, (args[0] as ASTNode & { op: 'id' }).args]);
  args.slice(1).forEach((arg, i) => {
    check(arg, bind && i === 0 ? locals : inner, text);
  });
}
