import { Check, X } from 'lucide-preact';
import { t } from '../kit/i18n.tsx';

const DOES = ['welcome.does1', 'welcome.does2', 'welcome.does3', 'welcome.does4'] as const;
const DOES_NOT = ['welcome.doesNot1', 'welcome.doesNot2', 'welcome.doesNot3', 'welcome.doesNot4'] as const;

/** What Tabloom does and does not, and what leaves the machine. */
export function WelcomePage({ modelConfigured }: { modelConfigured: boolean }) {
  return (
    <div class="page welcome" data-testid="welcome">
      <div class="stack-s">
        <h2 class="page-title">{t('welcome.heading')}</h2>
        <p class="lead">{t('welcome.lead')}</p>
      </div>
      <div class="columns">
        <section class="card stack">
          <h3>{t('welcome.does')}</h3>
          <ul class="checks">
            {DOES.map((key) => (
              <li key={key}>
                <Check size={16} class="status-completed" aria-hidden="true" />
                <span>{t(key)}</span>
              </li>
            ))}
          </ul>
        </section>
        <section class="card stack">
          <h3>{t('welcome.doesNot')}</h3>
          <ul class="checks">
            {DOES_NOT.map((key) => (
              <li key={key}>
                <X size={16} class="status-failed" aria-hidden="true" />
                <span>{t(key)}</span>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <section class="note note-info stack-s missing" data-testid="consent-note">
        <h3>{t('welcome.consent')}</h3>
        <p>{t('welcome.consentBody')}</p>
      </section>
      <section class="stack-s">
        <h3>{t('welcome.next')}</h3>
        <p class="row">
          <a class="button button-primary" href="#/workflows/import">
            {t('welcome.toImport')}
          </a>
          {!modelConfigured && (
            <a class="button button-plain" href="#/settings">
              {t('welcome.toModels')}
            </a>
          )}
        </p>
      </section>
    </div>
  );
}
