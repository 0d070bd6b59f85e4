import { useEffect, useState } from 'preact/hooks';
import { LANGUAGES } from '../../src/view/messages/languages.ts';
import { ask } from '../client.ts';
import { SelectField } from '../kit/field.tsx';
import { look, setLook, t } from '../kit/i18n.tsx';
import { BridgeSection } from './bridge.tsx';
import { ConsentSection } from './consent.tsx';
import { McpSection } from './mcp.tsx';
import { ModelsSection } from './models.tsx';
import { RulesSection } from './rules.tsx';
import { SecretsSection } from './secrets.tsx';
import { SitesSection } from './sites.tsx';
import { SpendingSection } from './spending.tsx';

/** All settings on one page. */
export function SettingsPage() {
  return (
    <div class="page" data-testid="settings">
      <h2 class="page-title">{t('settings.heading')}</h2>
      <ModelsSection />
      <SpendingSection />
      <ConsentSection />
      <McpSection />
      <BridgeSection />
      <SitesSection />
      <RulesSection />
      <SecretsSection />
      <LookSection />
      <DiagnosticsSection />
      <About />
    </div>
  );
}

function LookSection() {
  const { language, theme } = look.value;
  return (
    <section class="settings-section">
      <h3>{t('settings.look')}</h3>
      <div class="columns">
        <SelectField
          label={t('settings.language')}
          value={language}
          testid="language"
          options={(['auto', ...LANGUAGES] as const).map((value) => ({
            value,
            label: t(`settings.language.${value}`),
          }))}
          onValue={(value) => setLook({ language: LANGUAGES.find((each) => each === value) ?? 'auto' })}
        />
        <SelectField
          label={t('settings.theme')}
          value={theme}
          testid="theme"
          options={(['auto', 'light', 'dark'] as const).map((value) => ({
            value,
            label: t(`settings.theme.${value}`),
          }))}
          onValue={(value) => setLook({ theme: value === 'light' || value === 'dark' ? value : 'auto' })}
        />
      </div>
    </section>
  );
}

function DiagnosticsSection() {
  return (
    <section class="settings-section">
      <h3>{t('doctor.heading')}</h3>
      <p class="muted">{t('doctor.lead')}</p>
      <div>
        <a class="button" href="#/settings/diagnostics" data-testid="open-diagnostics">
          {t('common.diagnostics')}
        </a>
      </div>
    </section>
  );
}

function About() {
  const [version, setVersion] = useState<string>();
  useEffect(() => {
    ask('health.get', {}).then(
      (health) => setVersion(health.version),
      () => undefined,
    );
  }, []);
  if (version === undefined) return null;
  return (
    <section class="settings-section">
      <h3>{t('settings.about')}</h3>
      <p class="muted">{t('settings.version', { version })}</p>
    </section>
  );
}
