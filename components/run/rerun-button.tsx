import { RotateCcw } from 'lucide-preact';
import { FINAL_RUN, type RunRow, type StepRunRow } from '../../src/model/run.ts';
import { errorText } from '../../src/view/error-text.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { command } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { go } from '../surfaces/route.ts';

/** Goes on from a step of an ended run in a new one, which the page then shows. Not for rounds of a loop, nor inside a called workflow. */
export function RerunButton({ run, row }: { run: RunRow; row: StepRunRow }) {
  if (!FINAL_RUN.includes(run.status) || run.undoing || row.path !== row.stepId) return null;
  const again = async () => {
    const result = await command({ type: 'rerun', runId: run.runId, from: row.path });
    void refresh();
    const runId = result.ok ? (result.data as { runId?: string } | undefined)?.runId : undefined;
    notify(result.ok ? t('run.rerunStarted') : errorText(refusalWords(result, translator.value)).text);
    if (runId !== undefined) go('runs', runId);
  };
  return (
    <Button small icon={<RotateCcw size={14} aria-hidden="true" />} data-testid="rerun" onClick={() => void again()}>
      {t('run.rerun')}
    </Button>
  );
}
