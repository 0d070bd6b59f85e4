import type { ModelConflict } from '../../src/model/merge-models.ts';
import { Button } from '../kit/button.tsx';
import { t } from '../kit/i18n.tsx';

const TEXTS = {
  account: 'settings.conflictAccount',
  name: 'settings.conflictName',
  default: 'settings.conflictDefault',
  price: 'settings.conflictPrice',
} as const;

/** What two windows have made of the same settings, side by side, and whose is to be kept. Nothing where they agree. */
export function ModelConflicts({
  conflicts,
  onTake,
  onKeep,
}: {
  conflicts: readonly ModelConflict[];
  onTake: () => void;
  onKeep: () => void;
}) {
  if (conflicts.length === 0) return null;
  const shown = (value: string | undefined) => value ?? t('settings.conflictGone');
  return (
    <div class="note stack-s" role="alert" data-testid="models-conflict">
      <p>{t('settings.conflict')}</p>
      <ul class="bullets">
        {conflicts.map(({ part, key, mine, theirs }) => (
          <li key={`${part} ${key}`} dir="auto">
            {t(TEXTS[part], { key, mine: shown(mine), theirs: shown(theirs) })}
          </li>
        ))}
      </ul>
      <div class="row">
        <Button small data-testid="take-theirs" onClick={onTake}>
          {t('settings.conflictTake')}
        </Button>
        <Button small data-testid="keep-mine" onClick={onKeep}>
          {t('settings.conflictKeep')}
        </Button>
      </div>
    </div>
  );
}
