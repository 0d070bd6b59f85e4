import { Square } from 'lucide-preact';
import type { RunRow as Row } from '../../src/model/run.ts';
import { elapsedMs, placeWords, usageWords } from '../../src/view/run-words.ts';
import { Button } from '../kit/button.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { Status } from '../kit/status.tsx';
import { Elapsed, RelativeTime } from '../kit/time.tsx';
import { act } from './actions.ts';

/** A live run in a list: its name, what it does now, for how long, and a way to stop it. */
export function LiveRow({ run, onOpen }: { run: Row; onOpen?: () => void }) {
  const tr = translator.value;
  return (
    <li class="run-row" data-testid="run-row" data-run={run.runId} data-status={run.status}>
      <div class="grow stack-s">
        <div class="row-tight">
          {onOpen ? (
            <button type="button" class="link truncate" onClick={onOpen} dir="auto">
              {run.workflowName}
            </button>
          ) : (
            <b class="truncate" dir="auto">
              {run.workflowName}
            </b>
          )}
        </div>
        <p class="small muted row-tight">
          <Status status={run.status} />
          {run.current !== undefined && (
            <span class="truncate" dir="auto" title={run.current}>
              {placeWords(run.current, tr)}
            </span>
          )}
          {run.startedAt !== undefined && <Elapsed from={run.startedAt} />}
        </p>
      </div>
      <Button
        small
        data-testid="stop-run"
        icon={<Square size={12} aria-hidden="true" />}
        aria-label={t('run.stopRun', { workflow: run.workflowName })}
        onClick={() => void act({ type: 'cancel', runId: run.runId }, t('run.stopped', { workflow: run.workflowName }))}
      >
        {t('run.stop')}
      </Button>
    </li>
  );
}

/** A finished run in a list: state, name, when, how long, cost. */
export function HistoryRow({ run, onOpen, selected }: { run: Row; onOpen: () => void; selected?: boolean }) {
  const tr = translator.value;
  const took = elapsedMs(run, run.endedAt ?? run.createdAt);
  return (
    <li
      class={`run-row ${selected ? 'run-row-selected' : ''}`}
      data-testid="run-row"
      data-run={run.runId}
      data-status={run.status}
    >
      <button type="button" class="row-button" onClick={onOpen} aria-current={selected ? 'true' : undefined}>
        <span class="row-tight">
          <b class="truncate grow" dir="auto">
            {run.workflowName}
          </b>
          <Status status={run.status} />
        </span>
        <span class="small muted row facts">
          <RelativeTime at={run.endedAt ?? run.createdAt} />
          {took !== undefined && <span class="nowrap">{tr.t('run.took', { duration: tr.duration(took) })}</span>}
          <span class="nowrap">{usageWords(run.usage, tr)}</span>
        </span>
        {run.error && (
          <span class="small row-error truncate" dir="auto">
            {run.error.message}
          </span>
        )}
      </button>
    </li>
  );
}
