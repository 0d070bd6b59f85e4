import { Download, ExternalLink, FileDown, Pause, Play, RotateCw, SearchX, Square } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunDetail } from '../../src/app/protocol.ts';
import { type ArtifactRow, FINAL_RUN, type RunRow } from '../../src/model/run.ts';
import { exportRun } from '../../src/model/run-export.ts';
import { savedWords, shortHash, sizeWords, triggerWords, usageWords } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Empty, ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { JsonView } from '../kit/json-view.tsx';
import { Status } from '../kit/status.tsx';
import { Elapsed, RelativeTime } from '../kit/time.tsx';
import { announce, notify } from '../kit/toast.tsx';
import { saveFile } from '../platform.ts';
import { act } from './actions.ts';
import { PreferButton } from './prefer-button.tsx';
import { RerunButton } from './rerun-button.tsx';
import { ErrorFacts, StepPanel } from './step-panel.tsx';
import { RunTree } from './tree.tsx';
import { useRun } from './use-run.ts';
import { Writing } from './writing.tsx';

/** One run: header, tree, the chosen step, files. `full` adds what belongs on a wide page (input, output, export). */
export function RunView({ runId, full, actions }: { runId: string; full?: boolean; actions?: ComponentChildren }) {
  const { detail, error, retry } = useRun(runId);
  const [selected, setSelected] = useState<string>();
  useEffect(() => setSelected(undefined), [runId]);
  useStepNews(detail);

  if (detail === undefined)
    return error === undefined ? <Skeleton lines={5} /> : <ErrorBox error={error} onRetry={retry} />;
  if (detail === null)
    return (
      <Empty icon={<SearchX size={28} aria-hidden="true" />} title={t('run.missing')} next={t('run.missingNext')} />
    );
  const row = detail.steps.find((step) => step.path === selected);
  return (
    <div class={full ? 'run-view run-view-full' : 'run-view'} data-testid="run-view" data-run={runId}>
      <Header run={detail.run} newer={detail.newer} actions={actions} full={full} />
      {error !== undefined && <ErrorBox error={error} onRetry={retry} />}
      {detail.run.error && <ErrorFacts error={detail.run.error} where={detail.run.error.step} />}
      <div class="run-split">
        <RunTree
          steps={detail.steps}
          outline={detail.outline}
          workflow={detail.run.workflowName}
          selected={selected}
          onSelect={setSelected}
        />
        <div class="stack">
          {row ? (
            <StepPanel
              row={row}
              approvals={detail.approvals}
              actions={full && <RerunButton run={detail.run} row={row} />}
              prefer={full && <PreferButton run={detail.run} row={row} />}
              key={row.path}
            />
          ) : (
            detail.steps.length > 0 && <p class="muted small">{t('step.none')}</p>
          )}
          <Writing runId={runId} steps={detail.steps} path={row?.path} />
        </div>
      </div>
      <Files artifacts={detail.artifacts} />
      {full && (
        <>
          <details class="card" open>
            <summary>
              <b>{t('run.output')}</b>
            </summary>
            {detail.run.output === undefined ? (
              <p class="muted">{t('common.none')}</p>
            ) : (
              <JsonView value={detail.run.output} />
            )}
          </details>
          <details class="card">
            <summary>
              <b>{t('run.input')}</b>
            </summary>
            <JsonView value={detail.run.input} />
          </details>
        </>
      )}
    </div>
  );
}

function Header({
  run,
  newer,
  actions,
  full,
}: {
  run: RunRow;
  newer?: string;
  actions?: ComponentChildren;
  full?: boolean;
}) {
  const tr = translator.value;
  const saved = savedWords(run.saved, tr);
  const over = FINAL_RUN.includes(run.status);
  const canRetry = run.status === 'failed' || run.status === 'partial';
  return (
    <header class="stack-s">
      <div class="row-tight">
        <h2 class="grow run-title" dir="auto">
          {run.workflowName}
        </h2>
        <Status status={run.status} />
      </div>
      <p class="row facts small muted">
        <span>{run.startedAt === undefined ? t('run.notStarted') : <RelativeTime at={run.startedAt} />}</span>
        {run.startedAt !== undefined && <Elapsed from={run.startedAt} to={run.endedAt} />}
        <span>{usageWords(run.usage, tr)}</span>
        {saved !== undefined && <span data-testid="saved">{t('run.saved', { cost: saved })}</span>}
        <span>
          {t('run.trigger')} {triggerWords(run, tr)}
        </span>
        <span class="mono" title={run.revision}>
          {t('approval.revision', { revision: shortHash(run.revision) })}
        </span>
      </p>
      <div class="row">
        {!over && run.status !== 'paused' && (
          <Button
            small
            icon={<Pause size={14} aria-hidden="true" />}
            data-testid="pause-run"
            onClick={() => void act({ type: 'pause', runId: run.runId })}
          >
            {t('run.pause')}
          </Button>
        )}
        {run.status === 'paused' && (
          <Button
            small
            kind="primary"
            icon={<Play size={14} aria-hidden="true" />}
            data-testid="resume-run"
            onClick={() => void act({ type: 'resume', runId: run.runId })}
          >
            {t('run.resume')}
          </Button>
        )}
        {!over && (
          <Button
            small
            kind="danger"
            icon={<Square size={12} aria-hidden="true" />}
            data-testid="stop-run"
            onClick={() =>
              void act({ type: 'cancel', runId: run.runId }, t('run.stopped', { workflow: run.workflowName }))
            }
          >
            {t('run.stop')}
          </Button>
        )}
        {canRetry && (
          <Button
            small
            icon={<RotateCw size={14} aria-hidden="true" />}
            data-testid="retry-run"
            onClick={() => void act({ type: 'retry', runId: run.runId })}
          >
            {t('run.retry')}
          </Button>
        )}
        {canRetry && newer !== undefined && (
          <Button
            small
            icon={<RotateCw size={14} aria-hidden="true" />}
            data-testid="retry-newest"
            onClick={() => void act({ type: 'retry', runId: run.runId, revision: 'newest' })}
          >
            {newer === run.revision ? t('run.retryNewestCalls') : t('run.retryNewest', { revision: shortHash(newer) })}
          </Button>
        )}
        {full && <ExportButton runId={run.runId} />}
        {actions}
      </div>
      {canRetry && newer !== undefined && <p class="muted small">{t('run.retryNewestNote')}</p>}
      {full && <p class="muted small">{t('run.exportNote')}</p>}
    </header>
  );
}

function ExportButton({ runId }: { runId: string }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const { events } = await ask('run.events', { runId });
      const file = await exportRun(runId, events, async (hash) => (await ask('blob.get', { hash }))?.text);
      saveFile(`tabloom-run-${runId}.json`, 'application/json', JSON.stringify(file, null, 2));
      notify(t('run.exported', { n: events.length }));
    } catch (error) {
      notify(errorWords(error).text);
    }
    setBusy(false);
  };
  return (
    <Button
      small
      busy={busy}
      icon={<FileDown size={14} aria-hidden="true" />}
      data-testid="export-run"
      onClick={() => void save()}
    >
      {t('run.export')}
    </Button>
  );
}

function Files({ artifacts }: { artifacts: readonly ArtifactRow[] }) {
  if (artifacts.length === 0) return null;
  const tr = translator.value;
  return (
    <section class="stack-s" aria-label={t('run.artifacts')}>
      <h3>{t('run.artifacts')}</h3>
      <ul class="card list">
        {artifacts.map((row) => (
          <li class="list-row" key={row.artifactId} data-testid="artifact">
            <span class="grow stack-s">
              <b class="truncate" dir="auto">
                {row.name}
              </b>
              <span class="muted small">
                {row.mediaType} · {sizeWords(row.size, tr)}
              </span>
            </span>
            <button
              type="button"
              class="icon-button"
              data-testid="save-artifact"
              aria-label={t('run.saveFile', { name: row.name })}
              title={t('run.saveFile', { name: row.name })}
              onClick={() => void saveArtifact(row.artifactId)}
            >
              <Download size={16} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

async function saveArtifact(artifactId: string): Promise<void> {
  try {
    const found = await ask('artifact.get', { artifactId });
    if (!found) return notify(t('run.saveFailed'));
    saveFile(
      found.row.name,
      found.row.mediaType,
      Uint8Array.from(atob(found.base64), (letter) => letter.charCodeAt(0)),
    );
  } catch (error) {
    notify(errorWords(error).text);
  }
}

/** Reads out how the step at work changes; not the first state that is shown. */
function useStepNews(detail: RunDetail | null | undefined): void {
  const last = useRef<string | undefined>(undefined);
  const step = detail?.steps.find((each) => each.path === detail.run.current);
  const news = step && `${detail?.run.runId}/${step.path}/${step.status}`;
  useEffect(() => {
    if (step && last.current !== undefined && last.current !== news)
      announce(t('live.stepChanged', { step: step.name, status: t(`status.${step.status}`) }));
    last.current = news;
  }, [news]);
}

/** Link to the run on the app page. */
export function OpenFull({ onOpen }: { onOpen: () => void }) {
  return (
    <Button
      small
      kind="quiet"
      icon={<ExternalLink size={14} aria-hidden="true" />}
      data-testid="open-full"
      onClick={onOpen}
    >
      {t('run.openFull')}
    </Button>
  );
}
