import { RULE_DAYS } from '../../src/model/rules.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { actSentence } from '../../src/view/act-sentence.ts';
import { CheckField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';

/** With a yes: *always*, for this workflow on these sites. Says what that covers before it is given. Only where the engine offers it. */
export function Always({
  row,
  checked,
  onValue,
}: {
  row: ApprovalRow;
  checked: boolean;
  onValue: (checked: boolean) => void;
}) {
  if (!row.standing) return null;
  const tr = translator.value;
  const sites = tr.list(row.standing.origins.map((origin) => origin.replace(/^https?:\/\//, '')));
  const acts = new Map(row.covers.map((act) => [act.stepId, `${actSentence(act, tr).verb} (${act.name})`]));
  return (
    <div class="always" data-testid="always">
      <CheckField label={t('approval.always', { sites })} checked={checked} onValue={onValue} testid="always-box" />
      {checked && (
        <p class="small" data-testid="always-covers" dir="auto">
          {t('approval.alwaysCovers', { acts: tr.list([...acts.values()]), sites, n: RULE_DAYS })}
        </p>
      )}
    </div>
  );
}
