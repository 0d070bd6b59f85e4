import { ArrowUpToLine } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { RunRow, StepRunRow } from '../../src/model/run.ts';
import { errorText } from '../../src/view/error-text.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { errorWords } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';

/** Keeps what a step was found by as the first alternative of its target, in a new revision. Not inside a called workflow, which has its own file. */
export function PreferButton({ run, row }: { run: RunRow; row: StepRunRow }) {
  const [busy, setBusy] = useState(false);
  if (row.runId !== run.runId) return null;
  const prefer = async () => {
    setBusy(true);
    try {
      const saved = await ask('workflow.prefer', { runId: run.runId, path: row.path });
      notify('refused' in saved ? errorText(saved.refused.message).text : t('step.preferred'));
    } catch (error) {
      notify(errorWords(error).text);
    }
    setBusy(false);
    void refresh();
  };
  return (
    <div>
      <Button
        small
        busy={busy}
        icon={<ArrowUpToLine size={14} aria-hidden="true" />}
        data-testid="prefer"
        onClick={() => void prefer()}
      >
        {t('step.prefer')}
      </Button>
    </div>
  );
}
