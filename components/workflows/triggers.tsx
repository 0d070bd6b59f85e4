import { useEffect, useState } from 'preact/hooks';
import type { Refusal, Requests, SurfaceState, TriggerRow, WorkflowSummary } from '../../src/app/protocol.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { triggerAbout } from '../../src/view/trigger-words.ts';
import { ask } from '../client.ts';
import { ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { CheckField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { TriggerNotes } from './trigger-notes.tsx';

/** What may start a workflow: each trigger with its switch, its next time, and what it has to say. */
export function Triggers({ workflow, state }: { workflow: WorkflowSummary; state: SurfaceState }) {
  const { workflowId } = workflow;
  const [rows, setRows] = useState<TriggerRow[]>();
  const [refused, setRefused] = useState<Refusal>();
  const [failure, setFailure] = useState<unknown>();

  useEffect(() => {
    let current = true;
    ask('triggers.list', { workflowId }).then(
      ({ triggers }) => {
        if (!current) return;
        setFailure(undefined);
        setRows(triggers);
      },
      (error: unknown) => current && setFailure(error),
    );
    return () => {
      current = false;
    };
    // Each new state may have moved one of them: a next time has come, a run failed once too often.
  }, [workflowId, state]);

  const change = async (row: TriggerRow, on: boolean, origin?: string) => {
    setRefused(undefined);
    const payload: Requests['trigger.switch']['in'] = { workflowId, triggerId: row.id, on };
    try {
      const answer = await ask('trigger.switch', origin === undefined ? payload : { ...payload, origin });
      if ('refused' in answer) {
        setRefused(answer.refused);
        // The box shows what is, not what was asked for.
        setRows((before) => before && [...before]);
      } else {
        setRows(answer.triggers);
        notify(t(on ? 'triggers.on' : 'triggers.off', { id: row.id }));
      }
    } catch (error) {
      notify(errorWords(error).text);
    }
    void refresh();
  };

  return (
    <section class="card stack-s" data-testid="triggers">
      <h3>{t('triggers.heading')}</h3>
      {failure !== undefined && <ErrorBox error={failure} />}
      {rows === undefined && failure === undefined && <Skeleton lines={2} />}
      {rows?.length === 0 && <p class="muted">{t('triggers.none')}</p>}
      {rows && rows.length > 0 && (
        <>
          <p class="muted small">{t('triggers.lead')}</p>
          {!workflow.enabled && <p class="note small">{t('triggers.workflowOff')}</p>}
          <ul class="list triggers">
            {rows.map((row) => (
              <Row row={row} key={row.id} onChange={(on, origin) => void change(row, on, origin)} />
            ))}
          </ul>
        </>
      )}
      {refused && <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code} />}
      <TriggerNotes notes={state.triggerNotes?.filter((note) => note.workflowId === workflowId)} />
    </section>
  );
}

function Row({ row, onChange }: { row: TriggerRow; onChange: (on: boolean, origin?: string) => void }) {
  const tr = translator.value;
  const label = t('triggers.switch', { id: row.id, type: t(`triggers.type.${row.type}`) });
  return (
    <li class="trigger-row stack-s" data-testid="trigger" data-trigger={row.id}>
      {row.type === 'manual' ? (
        <p dir="auto">{label}</p>
      ) : (
        <CheckField label={label} checked={row.on} onValue={onChange} testid={`switch-${row.id}`} />
      )}
      <p class="muted small trigger-about" dir="auto">
        {triggerAbout(row, tr)}
      </p>
      {row.type === 'schedule' && row.on && (
        <p class="small" data-testid="next-time">
          {row.next === undefined ? t('triggers.neverNext') : t('triggers.next', { at: tr.date(row.next) })}
        </p>
      )}
      {row.waiting > 0 && <p class="small">{t('triggers.waiting', { n: row.waiting })}</p>}
      {row.on && row.origins && row.origins.length > 0 && (
        <fieldset class="trigger-origins stack-s">
          <legend class="small">{t('triggers.origins')}</legend>
          {row.origins.map(({ origin, on }) => (
            <CheckField
              key={origin}
              label={t('triggers.origin', { origin })}
              checked={on}
              onValue={(next) => onChange(next, origin)}
              testid="switch-origin"
            />
          ))}
        </fieldset>
      )}
    </li>
  );
}
