import { ClipboardList } from 'lucide-preact';
import { useMemo, useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import { isObject } from '../../src/model/json.ts';
import {
  type Drafts,
  draftOf,
  type FieldProblem,
  flatFields,
  formFields,
  readForm,
  roomFor,
} from '../../src/view/form-model.ts';
import { Button } from '../kit/button.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { problemWords, SchemaControl } from '../kit/schema-field.tsx';
import { act } from './actions.ts';
import { Frame } from './wait-frame.tsx';

type Waiting = SurfaceState['waiting'][number];

/** Work for a person: what to do, and the form about it. */
export function TaskCard({ one }: { one: Waiting }) {
  const data = isObject(one.data) ? one.data : {};
  const form = isObject(data.form) ? data.form : undefined;
  const fields = useMemo(() => flatFields(formFields(form)).map((field) => roomFor(field, undefined)), [one.subject]);
  const [drafts, setDrafts] = useState<Drafts>(() =>
    Object.fromEntries(fields.map((field) => [field.key, draftOf(field, undefined)])),
  );
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});

  const done = () => {
    const read = readForm(fields, drafts);
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return;
    void act(
      { type: 'completeTask', runId: one.runId, path: one.path, data: read.value },
      t('waits.answered', { name: one.name }),
    );
  };

  return (
    <Frame
      one={one}
      title={t('task.title')}
      asks={typeof data.title === 'string' ? data.title : undefined}
      icon={<ClipboardList size={16} class="glyph" aria-hidden="true" />}
    >
      {typeof data.instructions === 'string' && data.instructions !== '' && (
        <p class="prose" dir="auto">
          {data.instructions}
        </p>
      )}
      {typeof data.assignee === 'string' && <p class="muted small">{t('task.assignee', { name: data.assignee })}</p>}
      {typeof data.dueAt === 'number' && (
        <p class="muted small">{t('task.due', { at: translator.value.date(data.dueAt) })}</p>
      )}
      <form
        class="stack-s"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        {fields.map((field) => {
          const problem = problems[field.key];
          return (
            <SchemaControl
              key={field.key}
              field={field}
              draft={drafts[field.key] ?? ''}
              problem={problem && problemWords(problem)}
              onDraft={(draft) => setDrafts({ ...drafts, [field.key]: draft })}
            />
          );
        })}
        <div>
          <Button small kind="primary" type="submit" data-testid="task-done" onClick={() => undefined}>
            {t('task.done')}
          </Button>
        </div>
      </form>
    </Frame>
  );
}
