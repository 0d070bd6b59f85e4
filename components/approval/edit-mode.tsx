import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JsonObject } from '../../src/model/json.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { formFields } from '../../src/view/form-model.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { topLevelEdits } from '../../src/view/value-diff.ts';
import { command } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Conflict } from '../kit/conflict.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { useDraft } from '../use-draft.ts';
import { Changes } from './diff.tsx';
import { ObjectEditor } from './editor.tsx';

interface Props {
  row: ApprovalRow;
  show: JsonObject;
  schema: JsonObject;
  open: boolean;
  onOpen: (open: boolean) => void;
  onSaving: () => void;
  onRefused: () => void;
}

/**
 * Editing of what an approval shows. Changes are kept as a draft under the card's hash, so an editor that was open when the popup died
 * is open again. Saving sends `edit`: it makes a new hash and decides nothing.
 */
export function EditMode({ row, show, schema, open, onOpen, onSaving, onRefused }: Props) {
  const fields = useMemo(() => formFields(schema), [schema]);
  const [draft, setDraft, ready, conflict] = useDraft(`edit:${row.approvalId}:${row.hash}`);
  const [good, setGood] = useState(true);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const value = useMemo(() => readStored(draft) ?? show, [draft, show]);

  useEffect(() => {
    if (ready && draft !== '' && !open) onOpen(true);
  }, [ready]);

  if (!open || !ready) return null;
  const edits = topLevelEdits(show, value);
  const dirty = Object.keys(edits).length > 0;

  const close = () => {
    setDraft('');
    setRefusal(undefined);
    onOpen(false);
  };
  const save = async () => {
    setBusy(true);
    setRefusal(undefined);
    onSaving();
    const result = await command({ type: 'edit', runId: row.runId, path: row.path, hash: row.hash, edits });
    setBusy(false);
    if (!result.ok) {
      onRefused();
      setRefusal(refusalWords(result, translator.value));
      return;
    }
    close();
    notify(t('approval.editSaved'));
    void refresh();
  };

  return (
    <fieldset class="stack edit-mode" data-testid="edit-mode">
      <legend>
        <h3>{t('approval.editing')}</h3>
      </legend>
      <ObjectEditor
        fields={fields}
        value={value}
        onChange={(next, fine) => {
          setGood(fine);
          setDraft(JSON.stringify(next));
        }}
      />
      <Conflict conflict={conflict} />
      <Changes before={show} after={value} />
      {refusal && <ErrorBox text={refusal} />}
      <div class="row">
        <Button
          small
          kind="primary"
          data-testid="save-edit"
          inert={!dirty || !good}
          busy={busy}
          onClick={() => void save()}
        >
          {busy ? t('common.saving') : t('approval.saveEdit')}
        </Button>
        <Button small data-testid="discard-edit" onClick={close}>
          {t('approval.discardEdit')}
        </Button>
      </div>
    </fieldset>
  );
}

function readStored(text: string): JsonObject | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
