import { FilePen } from 'lucide-preact';
import type { WorkflowSummary } from '../../src/app/protocol.ts';
import { errorText } from '../../src/view/error-text.ts';
import { t } from '../kit/i18n.tsx';

/** Workflows that were kept with errors: why none of them can be started, and the way to correct it. */
export function DraftList({
  workflows,
  onOpen,
}: {
  workflows: readonly WorkflowSummary[];
  onOpen: (workflowId: string) => void;
}) {
  const drafts = workflows.filter(({ draft }) => draft !== undefined);
  if (drafts.length === 0) return null;
  return (
    <section class="stack-s" aria-label={t('workflows.drafts')}>
      <h2>{t('workflows.drafts')}</h2>
      <p class="muted small">{t('workflows.draftsNext')}</p>
      <ul class="card list">
        {drafts.map(({ workflowId, name, draft }) => (
          <li class="list-row" key={workflowId} data-testid="draft" data-workflow={workflowId}>
            <FilePen size={16} class="glyph" aria-hidden="true" />
            <div class="grow stack-s">
              <button type="button" class="link truncate" onClick={() => onOpen(workflowId)} dir="auto">
                {name}
              </button>
              <p class="small failed-text" dir="auto">
                {errorText(draft ?? '').text}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
