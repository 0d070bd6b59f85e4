import type { DraftConflict } from '../use-draft.ts';
import { Button } from './button.tsx';
import { t } from './i18n.tsx';

/** Says that another window has written the same text, shows it, and lets the person choose. Nothing where there is no conflict. */
export function Conflict({ conflict }: { conflict: DraftConflict | undefined }) {
  if (!conflict) return null;
  return (
    <div class="note stack-s" role="alert" data-testid="draft-conflict">
      <p>{t('conflict.draft')}</p>
      <pre class="conflict-text" dir="auto">
        {conflict.theirs}
      </pre>
      <div class="row">
        <Button small data-testid="take-theirs" onClick={conflict.take}>
          {t('conflict.take')}
        </Button>
        <Button small data-testid="keep-mine" onClick={conflict.keep}>
          {t('conflict.keep')}
        </Button>
      </div>
    </div>
  );
}
