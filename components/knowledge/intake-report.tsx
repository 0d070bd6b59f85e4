import { KeyRound } from 'lucide-preact';
import { Button } from '../kit/button.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import type { Intake } from './intake.ts';

/** Names that are listed at most. */
const LISTED = 8;

/** What is being added, what came of it, and what waits for a word about its secrets. */
export function IntakeReport({ intake }: { intake: Intake }) {
  const { progress, outcome, held, error } = intake;
  const busy = progress !== undefined;
  return (
    <div class="stack">
      <div role="status" class="stack-s">
        {progress && (
          <div class="row">
            <p class="grow kb-long" dir="auto">
              {t('kb.reading', progress)}
            </p>
            <Button small onClick={intake.stop}>
              {t('kb.stop')}
            </Button>
          </div>
        )}
        {outcome && (
          <p data-testid="kb-outcome">
            {[
              outcome.added > 0 && t('kb.added', { n: outcome.added }),
              outcome.unchanged > 0 && t('kb.unchanged', { n: outcome.unchanged }),
              outcome.skipped.length > 0 && t('kb.skipped', { n: outcome.skipped.length }),
              outcome.stopped && t('kb.stopped'),
            ]
              .filter((part) => part !== false)
              .join(' · ')}
          </p>
        )}
      </div>
      {error !== undefined && <ErrorBox error={error} />}
      {outcome && outcome.skipped.length > 0 && (
        <ul class="note stack-s kb-names" data-testid="kb-skipped">
          {outcome.skipped.slice(0, LISTED).map(({ name, problem }) => (
            <li key={name}>
              <b class="kb-long" dir="auto">
                {name}
              </b>{' '}
              {t(`kb.problem.${problem}`)}
            </li>
          ))}
          {outcome.skipped.length > LISTED && <li>{t('kb.skipMore', { n: outcome.skipped.length - LISTED })}</li>}
        </ul>
      )}
      {held.length > 0 && (
        <div class="note" role="alert" data-testid="kb-secrets">
          <KeyRound size={18} class="glyph" aria-hidden="true" />
          <div class="stack-s">
            <p>{t('kb.secrets', { n: held.length })}</p>
            <ul class="kb-names">
              {held.slice(0, LISTED).map(({ draft, kinds }) => (
                <li key={draft.source?.name ?? draft.title}>
                  <b class="kb-long" dir="auto">
                    {draft.source?.name ?? draft.title}
                  </b>{' '}
                  <span class="muted">({translator.value.list(kinds)})</span>
                </li>
              ))}
              {held.length > LISTED && <li>{t('kb.skipMore', { n: held.length - LISTED })}</li>}
            </ul>
            <p>{t('kb.secretsMore')}</p>
            <div class="row">
              <Button small inert={busy} data-testid="kb-mask" onClick={() => void intake.decide('mask')}>
                {t('kb.secretsMask')}
              </Button>
              <Button small inert={busy} data-testid="kb-keep" onClick={() => void intake.decide('keep')}>
                {t('kb.secretsKeep')}
              </Button>
              <Button small inert={busy} data-testid="kb-drop-held" onClick={() => void intake.decide('drop')}>
                {t('kb.secretsDrop')}
              </Button>
            </div>
          </div>
        </div>
      )}
    </div>
  );
}
