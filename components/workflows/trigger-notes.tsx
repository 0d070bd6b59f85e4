import { TriangleAlert } from 'lucide-preact';
import type { TriggerNoteRow } from '../../src/app/protocol.ts';
import { errorText } from '../../src/view/error-text.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { errorWords } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';

/** What triggers have to say: one was switched off after failures, or could not start a run. It stays until it is read. */
export function TriggerNotes({
  notes,
  onOpen,
}: {
  notes: readonly TriggerNoteRow[] | undefined;
  /** Opens the workflow, where it is not open already: there its triggers have a heading of their own. */
  onOpen?: (workflowId: string) => void;
}) {
  if (!notes || notes.length === 0) return null;
  return (
    <section class="stack-s" aria-label={t('triggers.notes')}>
      {onOpen && <h2>{t('triggers.notes')}</h2>}
      <ul class="card list">
        {notes.map((note) => (
          <Note note={note} onOpen={onOpen} key={`${note.workflowId}/${note.triggerId}`} />
        ))}
      </ul>
    </section>
  );
}

function Note({ note, onOpen }: { note: TriggerNoteRow; onOpen?: (workflowId: string) => void }) {
  const { workflowId, workflowName: workflow, triggerId: trigger } = note;
  const text =
    note.kind === 'off'
      ? t('triggers.noteOff', { trigger, workflow, n: note.failures ?? 0 })
      : t('triggers.noteRefused', { trigger, workflow, message: errorText(note.message ?? '').text });
  const dismiss = () =>
    ask('trigger.dismiss', { workflowId, triggerId: trigger })
      .then(() => refresh())
      .catch((error: unknown) => notify(errorWords(error).text));
  return (
    <li class="list-row trigger-note" data-testid="trigger-note" data-workflow={workflowId}>
      <TriangleAlert size={16} class="glyph" aria-hidden="true" />
      <div class="grow stack-s">
        <p class="small" dir="auto">
          {text}
        </p>
        <p class="row facts small muted">
          <RelativeTime at={note.at} />
          {onOpen && (
            <button
              type="button"
              class="link"
              data-testid="open-workflow"
              onClick={() => onOpen(workflowId)}
              dir="auto"
            >
              {workflow}
            </button>
          )}
        </p>
        <div>
          <Button small data-testid="dismiss-note" onClick={() => void dismiss()}>
            {t('triggers.dismiss')}
          </Button>
        </div>
      </div>
    </li>
  );
}
