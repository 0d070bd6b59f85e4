import type { Problem } from '../../model/workflow.ts';
import type { z } from '../../model/zod.ts';
import { fitWords } from './fit-words.ts';
import { error, escapePointer } from './problem.ts';

/** Zod's issues as problems, one for each unknown key. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], base: string, step?: string): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues) {
    const pointer = base + issue.path.map((part) => `/${escapePointer(String(part))}`).join('');
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        problems.push(
          error(
            'schema_invalid',
            `${pointer}/${escapePointer(key)}`,
            `The key "${key}" is not known here; check its spelling.`,
            step,
          ),
        );
    } else {
      problems.push(
        error(
          'schema_invalid',
          pointer,
          `"${String(issue.path.at(-1))}" does not fit: ${fitWords(issue.message)}.`,
          step,
        ),
      );
    }
  }
  return problems;
}
