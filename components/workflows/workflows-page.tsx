import { Boxes, Trash2, Upload } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Refusal, SurfaceState, WorkflowSummary } from '../../src/app/protocol.ts';
import { refusalWords, shortHash } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Empty, ErrorBox, errorWords } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { ProblemList } from './problems.tsx';

/** The list of workflows: on or off, where they work, their problems. */
export function WorkflowsPage({ state }: { state: SurfaceState }) {
  return (
    <div class="page">
      <div class="section-title">
        <h2 class="page-title">{t('nav.workflows')}</h2>
        <a class="button button-primary" href="#/workflows/import" data-testid="import">
          <Upload size={16} aria-hidden="true" />
          {t('workflows.import')}
        </a>
      </div>
      {state.workflows.length === 0 ? (
        <Empty icon={<Boxes size={28} aria-hidden="true" />} title={t('workflows.none')} next={t('import.lead')} />
      ) : (
        <ul class="card list">
          {state.workflows.map((workflow) => (
            <Row workflow={workflow} key={workflow.workflowId} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Row({ workflow }: { workflow: WorkflowSummary }) {
  const [refused, setRefused] = useState<Refusal>();
  const remove = async () => {
    if (!confirm(t('workflows.removeAsk', { workflow: workflow.name }))) return;
    try {
      await ask('workflow.remove', { workflowId: workflow.workflowId });
      notify(t('workflows.removed', { workflow: workflow.name }));
    } catch (error) {
      notify(errorWords(error).text);
    }
    void refresh();
  };
  return (
    <li class="workflow-row" data-testid="workflow-row" data-workflow={workflow.workflowId}>
      <div class="grow stack-s">
        <a href={`#/workflows/${encodeURIComponent(workflow.workflowId)}`} dir="auto">
          <b>{workflow.name}</b>
        </a>
        {workflow.description && (
          <p class="muted small" dir="auto">
            {workflow.description}
          </p>
        )}
        <p class="row facts small muted">
          <OnOff on={workflow.enabled} draft={workflow.draft !== undefined} />
          {workflow.problems > 0 && (
            <span class="badge badge-warn">{t('status.withProblems', { n: workflow.problems })}</span>
          )}
          <span class="mono" title={workflow.revision}>
            {shortHash(workflow.revision)}
          </span>
          <span>
            {workflow.lastRunAt === undefined ? t('workflows.neverRun') : <RelativeTime at={workflow.lastRunAt} />}
          </span>
          <span dir="ltr">{workflow.sites.join(', ')}</span>
        </p>
        {refused && (
          <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code}>
            <ProblemList problems={refused.problems} />
          </ErrorBox>
        )}
      </div>
      <div class="row">
        <EnableButton workflow={workflow} onRefused={setRefused} />
        <button
          type="button"
          class="icon-button"
          data-testid="remove-workflow"
          aria-label={`${t('workflows.remove')}: ${workflow.name}`}
          title={t('workflows.remove')}
          onClick={() => void remove()}
        >
          <Trash2 size={16} aria-hidden="true" />
        </button>
      </div>
    </li>
  );
}

/** On, off or a draft, as a word in a badge. */
export function OnOff({ on, draft }: { on: boolean; draft?: boolean }) {
  if (draft) return <span class="badge badge-warn">{t('workflows.draft')}</span>;
  return <span class={`badge ${on ? 'badge-good' : ''}`}>{on ? t('status.on') : t('status.off')}</span>;
}

/** Switches a workflow on or off. A refusal comes with its problems, for the caller to show. */
export function EnableButton({
  workflow,
  onRefused,
}: {
  workflow: Pick<WorkflowSummary, 'workflowId' | 'name' | 'enabled'>;
  onRefused: (refusal: Refusal | undefined) => void;
}) {
  const [busy, setBusy] = useState(false);
  const toggle = async () => {
    setBusy(true);
    onRefused(undefined);
    try {
      const answer = await ask('workflow.enable', { workflowId: workflow.workflowId, enabled: !workflow.enabled });
      if ('refused' in answer) onRefused(answer.refused);
      else notify(t(answer.enabled ? 'workflows.enabled' : 'workflows.disabled', { workflow: workflow.name }));
    } catch (error) {
      notify(errorWords(error).text);
    }
    setBusy(false);
    void refresh();
  };
  return (
    <Button
      small
      kind={workflow.enabled ? 'plain' : 'primary'}
      busy={busy}
      data-testid={`enable-${workflow.workflowId}`}
      onClick={() => void toggle()}
    >
      {workflow.enabled ? t('workflows.disable') : t('workflows.enable')}
    </Button>
  );
}
