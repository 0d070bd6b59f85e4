import type { Problem } from '../../model/workflow.ts';
import { printable } from './text.ts';

/** A problem as editors and terminals read it: `file:line:column code message`; warnings say so. */
export function problemLine(file: string, problem: Problem): string {
  const place = problem.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`;
  const mark = problem.severity === 'warning' ? 'warning ' : '';
  return `${file}${place} ${mark}${problem.code} ${printable(problem.message)}`;
}
