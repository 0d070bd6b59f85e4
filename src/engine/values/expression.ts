import type { Json } from '../../model/json.ts';
import type { Scope } from '../../model/roots.ts';
import { evaluateProgram } from './cel.ts';
import { compileExpression, type Program } from './cel-compile.ts';
import { type Path, parsePath, resolvePath } from './path.ts';

/** The inside of `{{ … }}`, or a condition: a path where the whole text is one, else CEL (SPEC §2). */
export type Expression = { kind: 'path'; path: Path; text: string } | { kind: 'cel'; program: Program; text: string };

/** Reads an expression. @throws SyntaxFailure */
export function readExpression(source: string): Expression {
  const text = source.trim();
  const path = parsePath(text);
  return path ? { kind: 'path', path, text } : { kind: 'cel', program: compileExpression(text), text };
}

/** Value of an expression. @throws MissingValue, EvaluationFailure */
export function evaluateExpression(expression: Expression, scope: Scope): Json {
  return expression.kind === 'path' ? resolvePath(expression.path, scope) : evaluateProgram(expression.program, scope);
}
