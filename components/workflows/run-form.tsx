import { Play } from 'lucide-preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Refusal, WorkflowSummary } from '../../src/app/protocol.ts';
import {
  type Drafts,
  draftOf,
  type FieldProblem,
  flatFields,
  formFields,
  readForm,
  roomFor,
} from '../../src/view/form-model.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { t } from '../kit/i18n.tsx';
import { problemWords, SchemaControl } from '../kit/schema-field.tsx';
import { notify } from '../kit/toast.tsx';
import { GrantButton } from '../run/waits.tsx';
import { activeTab, refresh } from '../state.ts';
import { type Consent, openConsents, StartTrouble, useMissingGrants } from './start-parts.tsx';

/** The run form of a workflow, made from its input schema: missing grants first, then the fields; Enter starts. */
export function RunForm({
  workflow,
  onThisTab,
  trigger,
  onStarted,
}: {
  workflow: WorkflowSummary;
  onThisTab?: boolean;
  /** What offers the start: a trigger of the workflow, or the form that one has opened. Fills in what it knows. */
  trigger?: { id?: string; form?: string };
  /** Without a run where it waits for an earlier one. */
  onStarted?: (runId: string | undefined) => void;
}) {
  const fields = useMemo(
    () => flatFields(formFields(workflow.inputs)).map((field) => roomFor(field, undefined)),
    [workflow.inputs],
  );
  const [drafts, setDrafts] = useState<Drafts>(() =>
    Object.fromEntries(fields.map((field) => [field.key, draftOf(field, undefined)])),
  );
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});
  const [busy, setBusy] = useState(false);
  const [unasked, setUnasked] = useState<readonly Consent[]>([]);
  const [refused, setRefused] = useState<Refusal>();
  const [failure, setFailure] = useState<unknown>();
  const missing = useMissingGrants(workflow.sites);
  const tabId = onThisTab ? activeTab.value : undefined;
  const about = {
    workflowId: workflow.workflowId,
    ...(tabId === undefined ? {} : { tabId }),
    ...(trigger?.id === undefined ? {} : { triggerId: trigger.id }),
    ...(trigger?.form === undefined ? {} : { form: trigger.form }),
  };
  const typed = useRef(new Set<string>());

  useEffect(() => {
    let current = true;
    if (trigger || workflow.prefilled)
      ask('trigger.form', about).then(
        (known) => {
          if (!current || !known) return;
          const given = fields.filter(({ key }) => Object.hasOwn(known.input, key) && !typed.current.has(key));
          setDrafts((before) => ({
            ...before,
            ...Object.fromEntries(given.map((field) => [field.key, draftOf(field, known.input[field.key])])),
          }));
        },
        () => undefined,
      ); // What is not known is asked for.
    return () => {
      current = false;
    };
  }, [workflow.revision, tabId, trigger?.id, trigger?.form]);

  const start = async (allow: readonly Consent[] = []) => {
    if (busy) return;
    const read = readForm(fields, drafts);
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return;
    setBusy(true);
    setUnasked([]);
    setRefused(undefined);
    setFailure(undefined);
    try {
      const open = await openConsents({ workflowId: workflow.workflowId }, allow);
      if (open.length > 0) {
        setUnasked(open);
        setBusy(false);
        return;
      }
      const answer = trigger
        ? await ask('trigger.start', { ...about, input: read.value })
        : await ask('run.start', { ...about, input: read.value });
      if ('refused' in answer) setRefused(answer.refused);
      else if ('queued' in answer) {
        notify(t('triggers.queued', { workflow: workflow.name }));
        onStarted?.(undefined);
      } else {
        notify(t('workflows.started', { workflow: workflow.name }));
        onStarted?.(answer.runId);
      }
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
    void refresh();
  };

  return (
    <form
      class="stack run-form"
      data-testid="run-form"
      aria-label={t('form.heading', { workflow: workflow.name })}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      {missing.length > 0 && (
        <div class="note stack-s missing" data-testid="missing-grants">
          <b>{t('form.need')}</b>
          <p>{t('form.needNext', { n: missing.length })}</p>
          <ul class="bullets">
            {missing.map((origin) => (
              <li key={origin}>
                <b dir="ltr">{origin}</b>
              </li>
            ))}
          </ul>
          <GrantButton origins={missing} />
        </div>
      )}
      {fields.length === 0 && <p class="muted small">{t('form.noInput')}</p>}
      {fields.map((field) => {
        const problem = problems[field.key];
        return (
          <SchemaControl
            key={field.key}
            field={field}
            draft={drafts[field.key] ?? ''}
            problem={problem && problemWords(problem)}
            onDraft={(draft) => {
              typed.current.add(field.key);
              setDrafts({ ...drafts, [field.key]: draft });
              if (problem)
                setProblems(Object.fromEntries(Object.entries(problems).filter(([key]) => key !== field.key)));
            }}
          />
        );
      })}
      <StartTrouble unasked={unasked} onAllow={() => void start(unasked)} refused={refused} failure={failure} />
      <div>
        <Button
          kind="primary"
          type="submit"
          busy={busy}
          data-testid={`submit-${workflow.workflowId}`}
          icon={<Play size={14} aria-hidden="true" />}
          onClick={() => undefined}
        >
          {busy ? t('workflows.starting') : t('workflows.start')}
        </Button>
      </div>
    </form>
  );
}
