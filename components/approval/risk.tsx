import { Banknote, Mail, RotateCcw, ShieldAlert } from 'lucide-preact';
import type { ApprovalRow } from '../../src/model/run.ts';
import { t } from '../kit/i18n.tsx';

const GLYPHS = { reversible: RotateCcw, irreversible: ShieldAlert, money: Banknote, message: Mail } as const;

/** What approving risks, by glyph, word and colour; with the number of acts where it stands beside the buttons. */
export function Risk({ risk, acts }: { risk: ApprovalRow['risk']; acts?: number }) {
  const Glyph = GLYPHS[risk];
  return (
    <p class={`risk ${risk === 'reversible' ? '' : 'risk-severe'}`} data-testid="risk" data-risk={risk}>
      <Glyph size={16} class="glyph" aria-hidden="true" />
      <span class="visually-hidden">{t('approval.risk')}: </span>
      <b>{t(`approval.risk.${risk}`)}</b>
      {acts !== undefined && acts > 0 && <span class="muted small">{t('approval.actCount', { n: acts })}</span>}
    </p>
  );
}
