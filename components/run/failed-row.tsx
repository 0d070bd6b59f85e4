import { RotateCw } from 'lucide-preact';
import type { RunRow } from '../../src/model/run.ts';
import { errorText } from '../../src/view/error-text.ts';
import { Button } from '../kit/button.tsx';
import { WholeMessage } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { Status } from '../kit/status.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { act } from './actions.ts';

/** A run that failed: what happened and what to do, in the error's own sentence, and a way to go on from where it stopped. */
export function FailedRow({ run, onOpen }: { run: RunRow; onOpen: () => void }) {
  const error = run.error && { ...run.error, ...errorText(run.error.message) };
  return (
    <li class="run-row" data-testid="failed-run" data-run={run.runId}>
      <div class="grow stack-s">
        <div class="row-tight">
          <button type="button" class="link truncate grow" onClick={onOpen} dir="auto">
            {run.workflowName}
          </button>
          <Status status={run.status} />
        </div>
        {error && (
          <div class="stack-s small">
            <p class="prose failed-text" data-testid="failed-why" dir="auto">
              {error.text}
            </p>
            {error.whole !== undefined && <WholeMessage text={error.whole} />}
            <p class="muted">
              {t('common.errorCode', { code: error.code })}
              {error.step !== undefined && <span dir="auto"> · {t('run.inStep', { step: error.step })}</span>}
            </p>
          </div>
        )}
        <div class="row-tight">
          <span class="small muted grow">
            <RelativeTime at={run.endedAt ?? run.createdAt} />
          </span>
          <Button
            small
            data-testid="retry-failed"
            icon={<RotateCw size={14} aria-hidden="true" />}
            aria-label={t('run.retryRun', { workflow: run.workflowName })}
            onClick={() => void act({ type: 'retry', runId: run.runId })}
          >
            {t('run.retry')}
          </Button>
        </div>
      </div>
    </li>
  );
}
