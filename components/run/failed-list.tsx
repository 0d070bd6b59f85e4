import { CircleAlert, RotateCw } from 'lucide-preact';
import type { RunRow } from '../../src/model/run.ts';
import { errorText } from '../../src/view/error-text.ts';
import { Button } from '../kit/button.tsx';
import { WholeMessage } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { act } from './actions.ts';

/** Runs that have failed and still stand so: what went wrong, in which step, and the ways on. */
export function FailedList({ runs, onOpen }: { runs: readonly RunRow[]; onOpen: (runId: string) => void }) {
  if (runs.length === 0) return null;
  return (
    <section class="stack-s" aria-label={t('run.failedHeading')}>
      <h2>{t('run.failedHeading')}</h2>
      {runs.map((run) => (
        <Failed key={run.runId} run={run} onOpen={() => onOpen(run.runId)} />
      ))}
    </section>
  );
}

function Failed({ run, onOpen }: { run: RunRow; onOpen: () => void }) {
  const { error } = run;
  if (!error) return null;
  const { text, whole } = errorText(error.message);
  return (
    <article class="error-box" data-testid="failed-run" data-run={run.runId} aria-label={run.workflowName}>
      <CircleAlert size={18} class="glyph" aria-hidden="true" />
      <div class="error-body grow">
        <p class="row-tight">
          <b class="truncate" dir="auto">
            {run.workflowName}
          </b>
          <span class="muted small nowrap">
            <RelativeTime at={run.endedAt ?? run.createdAt} />
          </span>
        </p>
        <p class="failed-text" dir="auto" data-testid="failed-text">
          {text}
        </p>
        {whole !== undefined && <WholeMessage text={whole} />}
        <p class="muted small">
          {t('common.errorCode', { code: error.code })}
          {error.step !== undefined && <span dir="auto"> · {t('run.inStep', { step: error.step })}</span>}
        </p>
        <div class="row">
          <Button
            small
            icon={<RotateCw size={14} aria-hidden="true" />}
            data-testid="retry-failed"
            aria-label={`${t('run.retry')}: ${run.workflowName}`}
            onClick={() => void act({ type: 'retry', runId: run.runId })}
          >
            {t('run.retry')}
          </Button>
          <Button small kind="quiet" data-testid="open-failed" onClick={onOpen}>
            {t('run.lookAt')}
          </Button>
        </div>
      </div>
    </article>
  );
}
