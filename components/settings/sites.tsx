import { Globe } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import { isEverySite, siteWords } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Empty, ErrorBox, Skeleton } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { hasPermission, type OptionalPermission, revokeAccess, wantPermission } from '../platform.ts';
import { grantsVersion } from '../state.ts';

/** Granted origins, each with its revoke button. */
export function SitesSection() {
  const [origins, setOrigins] = useState<string[]>();
  const [error, setError] = useState<unknown>();
  const version = grantsVersion.value;
  const load = () => ask('grants.list', {}).then((answer) => setOrigins(answer.origins), setError);
  useEffect(() => void load(), [version]);

  const revoke = async (origin: string) => {
    const words = { origin: siteWords(origin, translator.value) };
    notify((await revokeAccess(origin)) ? t('settings.revoked', words) : t('settings.revokeFailed', words));
    void load();
  };

  return (
    <section class="settings-section" data-testid="sites">
      <h3>{t('settings.sites')}</h3>
      <p class="muted">{t('settings.sitesLead')}</p>
      {error !== undefined && (
        <ErrorBox
          error={error}
          onRetry={() => {
            setError(undefined);
            void load();
          }}
        />
      )}
      {!origins && error === undefined && <Skeleton lines={2} />}
      {origins?.length === 0 && (
        <Empty
          icon={<Globe size={24} aria-hidden="true" />}
          title={t('settings.noSites')}
          next={t('settings.noSitesNext')}
        />
      )}
      {origins && origins.length > 0 && (
        <ul class="card list">
          {origins.map((origin) => (
            <li class="list-row" key={origin}>
              {isEverySite(origin) ? (
                <span class="grow">{siteWords(origin, translator.value)}</span>
              ) : (
                <code class="grow" dir="ltr">
                  {origin}
                </code>
              )}
              <Button
                small
                aria-label={t('settings.revokeSite', { origin: siteWords(origin, translator.value) })}
                data-testid="revoke"
                onClick={() => void revoke(origin)}
              >
                {t('settings.revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ul class="card list">
        {OPTIONAL.map((name) => (
          <Optional key={name} name={name} version={version} />
        ))}
      </ul>
    </section>
  );
}

const OPTIONAL: readonly OptionalPermission[] = ['downloads', 'tabGroups'];

/** A permission beside the sites, which some actions need or which makes runs easier to follow. */
function Optional({ name, version }: { name: OptionalPermission; version: number }) {
  const [allowed, setAllowed] = useState<boolean>();
  useEffect(() => void hasPermission(name).then(setAllowed), [version]);
  if (allowed === undefined) return null;
  return (
    <li class="list-row" data-testid={`permission-${name}`}>
      <p class="grow">{t(`settings.${name}`)}</p>
      <Button small data-testid={`switch-${name}`} onClick={() => wantPermission(name, !allowed)}>
        {allowed ? t(`settings.${name}Revoke`) : t(`settings.${name}Allow`)}
      </Button>
    </li>
  );
}
