import { FileQuestion } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import type { Refusal, Requests, SurfaceState } from '../../src/app/protocol.ts';
import { refusalWords, shortHash } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Conflict } from '../kit/conflict.tsx';
import { Empty, ErrorBox, Skeleton } from '../kit/feedback.tsx';
import { AreaField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { go } from '../surfaces/route.ts';
import { useDraft } from '../use-draft.ts';
import { ProblemList } from './problems.tsx';
import { RunForm } from './run-form.tsx';
import { Triggers } from './triggers.tsx';
import { EnableButton, OnOff } from './workflows-page.tsx';

type Loaded = NonNullable<Requests['workflow.get']['out']>;

/** One workflow: start it, see its source and problems, change the source into a new revision. Unsaved changes are kept. */
export function WorkflowPage({
  workflowId,
  state,
  form,
}: {
  workflowId: string;
  state: SurfaceState;
  /** The run form that a trigger has opened. */
  form?: string;
}) {
  const [loaded, setLoaded] = useState<Loaded | null>();
  const [error, setError] = useState<unknown>();
  const [refused, setRefused] = useState<Refusal>();
  const [tries, setTries] = useState(0);
  const summary = state.workflows.find((workflow) => workflow.workflowId === workflowId);

  useEffect(() => {
    let current = true;
    ask('workflow.get', { workflowId }).then(
      (next) => current && setLoaded(next),
      (reason: unknown) => current && setError(reason),
    );
    return () => {
      current = false;
    };
  }, [workflowId, summary?.revision, tries]);

  if (error !== undefined)
    return (
      <ErrorBox
        error={error}
        onRetry={() => {
          setError(undefined);
          setTries(tries + 1);
        }}
      />
    );
  if (loaded === undefined) return <Skeleton lines={6} />;
  if (loaded === null || !summary)
    return (
      <Empty
        icon={<FileQuestion size={28} aria-hidden="true" />}
        title={t('workflows.missing')}
        next={t('workflows.missingNext')}
      />
    );
  return (
    <div class="page">
      <div class="section-title">
        <div class="stack-s">
          <p>
            <a href="#/workflows">{t('nav.workflows')}</a>
          </p>
          <h2 class="page-title" dir="auto">
            {summary.name}
          </h2>
          <p class="row facts small muted">
            <OnOff on={summary.enabled} draft={summary.draft !== undefined} />
            <span class="mono" title={loaded.revision}>
              {t('approval.revision', { revision: shortHash(loaded.revision) })}
            </span>
          </p>
        </div>
        <EnableButton workflow={summary} onRefused={setRefused} />
      </div>
      {summary.description && <p dir="auto">{summary.description}</p>}
      {refused && (
        <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code}>
          <ProblemList problems={refused.problems} />
        </ErrorBox>
      )}
      <div class="columns">
        <section class="card stack-s">
          <h3>{t('workflows.start')}</h3>
          {summary.enabled ? (
            <RunForm
              workflow={summary}
              trigger={form === undefined ? undefined : { form }}
              onStarted={(runId) => (runId === undefined ? go('workflows', workflowId) : go('runs', runId))}
            />
          ) : (
            <p class="muted">{t(summary.draft === undefined ? 'refusal.workflow_disabled' : 'workflows.draftOff')}</p>
          )}
        </section>
        <section class="card stack-s">
          <h3>{t('workflows.sites')}</h3>
          {loaded.sites.length === 0 ? (
            <p class="muted">{t('workflows.noSites')}</p>
          ) : (
            <ul class="bullets">
              {loaded.sites.map((site) => (
                <li key={site} dir="ltr">
                  <code>{site}</code>
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
      <Triggers workflow={summary} state={state} />
      <Source
        key={loaded.revision}
        workflowId={workflowId}
        loaded={loaded}
        draft={summary.draft !== undefined}
        onSaved={() => setTries(tries + 1)}
      />
    </div>
  );
}

function Source({
  workflowId,
  loaded,
  draft: isDraft,
  onSaved,
}: {
  workflowId: string;
  loaded: Loaded;
  draft: boolean;
  onSaved: () => void;
}) {
  const [draft, setDraft, , conflict] = useDraft(`source:${workflowId}:${loaded.revision}`);
  const [problems, setProblems] = useState(loaded.problems);
  const [refused, setRefused] = useState<Refusal>();
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const text = draft === '' ? loaded.source : draft;
  const dirty = text !== loaded.source;

  const save = async () => {
    setBusy(true);
    setRefused(undefined);
    setFailure(undefined);
    try {
      const answer = await ask('workflow.import', { source: text, draft: isDraft });
      if ('refused' in answer) {
        setRefused(answer.refused);
        setProblems(answer.refused.problems);
      } else {
        setProblems(answer.problems);
        setDraft('');
        const bad = answer.problems.some((problem) => problem.severity === 'error');
        const saved = answer.enabled ? 'workflows.savedRevision' : 'workflows.savedOff';
        notify(bad ? t('workflows.keptAsDraft') : t(saved, { revision: shortHash(answer.revision) }));
        onSaved();
        void refresh();
      }
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };

  return (
    <section class="stack-s">
      <AreaField
        label={t('workflows.source')}
        value={text}
        onValue={setDraft}
        class="source"
        rows={24}
        spellcheck={false}
        testid="source"
      />
      <Conflict conflict={conflict} />
      <div class="row">
        <Button kind="primary" inert={!dirty} busy={busy} data-testid="save-source" onClick={() => void save()}>
          {t('workflows.saveSource')}
        </Button>
        {dirty && <Button onClick={() => setDraft('')}>{t('approval.discardEdit')}</Button>}
        {dirty && <span class="muted small">{t('workflows.unsaved')}</span>}
      </div>
      {refused && <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code} />}
      {failure !== undefined && <ErrorBox error={failure} />}
      <h3>{t('workflows.problems')}</h3>
      {problems.length === 0 ? <p class="muted">{t('workflows.noProblems')}</p> : <ProblemList problems={problems} />}
    </section>
  );
}
