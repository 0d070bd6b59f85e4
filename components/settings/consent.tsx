import { useEffect, useState } from 'preact/hooks';
import type { Requests } from '../../src/app/protocol.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { state } from '../state.ts';

type Consents = Requests['consent.get']['out']['consents'];

/** Which model accounts may be sent what is read from pages, each with a way to take it back. */
export function ConsentSection() {
  const [consents, setConsents] = useState<Consents>();
  const [error, setError] = useState<unknown>();
  const load = () => ask('consent.get', {}).then((answer) => setConsents(answer.consents), setError);
  // Asked again with every new state: saving the models may have brought or taken accounts.
  useEffect(() => void load(), [state.value]);

  const revoke = async (account: string) => {
    try {
      setConsents((await ask('consent.set', { account, given: false })).consents);
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };

  return (
    <section class="settings-section" data-testid="consents">
      <h3>{t('settings.consent')}</h3>
      <p class="muted">{t('settings.consentLead')}</p>
      {error !== undefined && <ErrorBox error={error} />}
      {!consents && error === undefined && <Skeleton lines={1} />}
      {consents?.length === 0 && <p class="muted">{t('settings.consentNone')}</p>}
      {consents && consents.length > 0 && (
        <ul class="card list">
          {consents.map(({ account, where, given }) => (
            <li class="list-row" key={account}>
              <span class="grow stack-s">
                <span>
                  <b dir="auto">{account}</b> <code dir="ltr">{where}</code>
                </span>
                <span class="muted small">
                  {given === undefined
                    ? t('settings.consentNotGiven')
                    : t('settings.consentGiven', { when: translator.value.date(given) })}
                </span>
              </span>
              {given !== undefined && (
                <Button
                  small
                  aria-label={t('settings.consentRevokeOf', { account })}
                  data-testid="revoke-consent"
                  onClick={() => void revoke(account)}
                >
                  {t('settings.consentRevoke')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
