import { Play } from 'lucide-preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Refusal } from '../../src/app/protocol.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../src/model/json.ts';
import type { EntryDefinition, EntryKind } from '../../src/model/library.ts';
import { FINAL_RUN } from '../../src/model/run.ts';
import {
  type Drafts,
  draftOf,
  type FieldProblem,
  flatFields,
  formFields,
  readForm,
} from '../../src/view/form-model.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { AreaField, SelectField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { JsonView } from '../kit/json-view.tsx';
import { problemWords, SchemaControl } from '../kit/schema-field.tsx';
import { RunView } from '../run/run-view.tsx';
import { useRun } from '../run/use-run.ts';
import { GrantButton } from '../run/waits.tsx';
import { refresh } from '../state.ts';
import { type Consent, openConsents, StartTrouble, useMissingGrants } from '../workflows/start-parts.tsx';

/** Key of the one field that stands for an input without fields of its own. */
const WHOLE = 'input';

/** Runs the file once with an input that is filled in or taken from an example. */
export function TryOut({
  kind,
  source,
  definition,
  broken,
}: {
  kind: EntryKind;
  source: string;
  /** What the file says, as it was last checked without an error. */
  definition?: EntryDefinition;
  broken: boolean;
}) {
  const schema = definition && 'prompt' in definition ? definition.inputSchema : undefined;
  const shape = JSON.stringify(schema ?? null);
  const fields = useMemo(() => fieldsOf(kind, schema), [kind, shape]);
  const [drafts, setDrafts] = useState<Drafts>({});
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});
  const [chosen, setChosen] = useState('');
  const [goal, setGoal] = useState('');
  const [sites, setSites] = useState('');
  const [busy, setBusy] = useState(false);
  const [unasked, setUnasked] = useState<readonly Consent[]>([]);
  const [refused, setRefused] = useState<Refusal>();
  const [failure, setFailure] = useState<unknown>();
  const [run, setRun] = useState<{ runId: string; expected?: Json }>();
  const examples = definition?.examples ?? [];
  const example = chosen === '' ? undefined : examples[Number(chosen)];
  const patterns = lines(sites);
  const missing = useMissingGrants(patterns);

  // Another form: what was typed for the old one fits nowhere.
  useEffect(() => setProblems({}), [shape]);

  const take = (index: string) => {
    setChosen(index);
    setProblems({});
    const taken = index === '' ? undefined : examples[Number(index)];
    if (!taken) return;
    const value = (key: string): Json | undefined =>
      key === WHOLE && !isForm(schema) ? taken.input : isObject(taken.input) ? taken.input[key] : undefined;
    setDrafts(Object.fromEntries(fields.map((field) => [field.key, draftOf(field, value(field.key))])));
  };

  const start = async (allow: readonly Consent[] = []) => {
    if (busy || !definition) return;
    const read = readForm(fields, drafts);
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return;
    const input: Json = isForm(schema) ? read.value : (read.value[WHOLE] ?? {});
    setBusy(true);
    setUnasked([]);
    setRefused(undefined);
    setFailure(undefined);
    try {
      const open = await openConsents({ entry: source }, allow);
      if (open.length > 0) setUnasked(open);
      else {
        const more =
          kind === 'agent' ? { goal: goal.trim() || definition.name, ...(patterns[0] && { sites: patterns }) } : {};
        const answer = await ask('entry.try', { source, input, ...more });
        if ('refused' in answer) setRefused(answer.refused);
        else setRun({ runId: answer.runId, expected: example?.output });
      }
    } catch (reason) {
      setFailure(reason);
    }
    setBusy(false);
    void refresh();
  };

  return (
    <section class="card stack" data-testid="try-out" aria-label={t('entries.try')}>
      <div class="stack-s">
        <h3>{t('entries.try')}</h3>
        <p class="muted">{t(kind === 'recipe' ? 'entries.tryLead' : 'entries.tryLeadAgent')}</p>
      </div>
      {broken && <p class="field-problem">{t('entries.tryErrors')}</p>}
      {!broken && definition && (
        <form
          class="stack"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void start();
          }}
        >
          {examples.length > 0 && (
            <SelectField
              label={t('entries.example')}
              value={chosen}
              onValue={take}
              testid="try-example"
              options={[
                { value: '', label: t('entries.exampleNone') },
                ...examples.map(({ name }, i) => ({ value: String(i), label: name })),
              ]}
            />
          )}
          {kind === 'agent' && (
            <AreaField
              label={t('entries.goal')}
              help={t('entries.goalHelp')}
              value={goal}
              placeholder={definition.name}
              onValue={setGoal}
              rows={2}
              testid="try-goal"
            />
          )}
          {fields.map((field) => {
            const problem = problems[field.key];
            return (
              <SchemaControl
                key={`${shape} ${field.key}`}
                field={field}
                draft={drafts[field.key] ?? draftOf(field, undefined)}
                problem={problem && problemWords(problem)}
                onDraft={(draft) => {
                  // With another input nothing is known of the answer.
                  setChosen('');
                  setDrafts({ ...drafts, [field.key]: draft });
                }}
              />
            );
          })}
          {needsSites(definition) && (
            <AreaField
              label={t('entries.sites')}
              help={t('entries.sitesHelp')}
              value={sites}
              onValue={setSites}
              rows={2}
              spellcheck={false}
              testid="try-sites"
            />
          )}
          {missing.length > 0 && (
            <div class="note stack-s missing">
              <b>{t('form.need')}</b>
              <GrantButton origins={missing} />
            </div>
          )}
          <StartTrouble unasked={unasked} onAllow={() => void start(unasked)} refused={refused} failure={failure} />
          <div>
            <Button
              kind="primary"
              type="submit"
              busy={busy}
              data-testid="try-start"
              icon={<Play size={14} aria-hidden="true" />}
              onClick={() => undefined}
            >
              {busy ? t('entries.trying') : t('entries.tryStart')}
            </Button>
          </div>
        </form>
      )}
      {run && <Outcome key={run.runId} {...run} />}
    </section>
  );
}

/** The run of a try-out, and what its example says of the answer. */
function Outcome({ runId, expected }: { runId: string; expected?: Json }) {
  const { detail } = useRun(runId);
  const ended = detail && FINAL_RUN.includes(detail.run.status);
  const same = expected !== undefined && jsonEqual(detail?.run.output ?? null, expected);
  return (
    <div class="stack-s" data-testid="try-run">
      {ended && expected !== undefined && (
        <div class="stack-s" role="status" data-testid="try-expected">
          <p>{t(same ? 'entries.asExpected' : 'entries.notAsExpected')}</p>
          {!same && (
            <>
              <h4>{t('entries.expected')}</h4>
              <JsonView value={expected} />
            </>
          )}
        </div>
      )}
      <RunView runId={runId} />
      <p>
        <a href={`#/runs/${encodeURIComponent(runId)}`}>{t('entries.openRun')}</a>
      </p>
    </div>
  );
}

/** Whether an input has fields that can be filled in one by one. */
function isForm(schema: JsonObject | undefined): boolean {
  return formFields(schema).length > 0;
}

function fieldsOf(kind: EntryKind, schema: JsonObject | undefined) {
  if (isForm(schema)) return flatFields(formFields(schema));
  // Nothing is said of it: any JSON will do, and an agent needs none.
  const label = t('entries.input');
  return [{ key: WHOLE, label, kind: 'json' as const, required: kind === 'recipe' && schema !== undefined }];
}

function needsSites(definition: EntryDefinition): boolean {
  return 'agent' in definition && (definition.tools ?? []).some((name) => name.startsWith('browser_'));
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
