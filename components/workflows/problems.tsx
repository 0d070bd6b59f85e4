import { CircleX, TriangleAlert } from 'lucide-preact';
import type { Problem } from '../../src/model/workflow.ts';
import { t } from '../kit/i18n.tsx';

/** Problems of a workflow: severity by glyph and word, the sentence, where, and the code. */
export function ProblemList({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul class="problems" data-testid="problems">
      {problems.map((problem, i) => (
        <li class="problem" key={i} data-testid="problem" data-code={problem.code}>
          {problem.severity === 'error' ? (
            <CircleX size={16} class="glyph status-failed" aria-hidden="true" />
          ) : (
            <TriangleAlert size={16} class="glyph status-waiting" aria-hidden="true" />
          )}
          <div class="grow">
            <p dir="auto">
              <span class="visually-hidden">
                {problem.severity === 'error' ? t('workflows.error') : t('workflows.warning')}:{' '}
              </span>
              {problem.message}
            </p>
            <p class="muted small">
              {problem.line !== undefined && (
                <span>{t('workflows.problemAt', { line: problem.line, column: problem.column ?? 1 })} · </span>
              )}
              <code>{problem.pointer}</code> · <code>{problem.code}</code>
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
