import { Trash2 } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import { isReservedSecret } from '../../src/model/secret-name.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { TextField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Keys of model accounts live in the same vault; they belong to their account, not to this list. */
const isOwn = (name: string) => !isReservedSecret(name);

/** Names of secrets; values can be set and removed, never seen. */
export function SecretsSection() {
  const [names, setNames] = useState<string[]>();
  const [error, setError] = useState<unknown>();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string>();
  const load = () => ask('secrets.list', {}).then((answer) => setNames(answer.names.filter(isOwn)), setError);
  useEffect(() => void load(), []);

  const set = async (which: string, what: string | null) => {
    try {
      setNames((await ask('secrets.set', { name: which, value: what })).names.filter(isOwn));
      notify(what === null ? t('settings.secretRemoved', { name: which }) : t('settings.secretSaved', { name: which }));
      return true;
    } catch (reason) {
      notify(errorWords(reason).text);
      return false;
    }
  };
  const save = async () => {
    if (!NAME.test(name)) return setProblem(t('settings.secretNameBad'));
    if (value === '') return;
    if (await set(name, value)) {
      setName('');
      setValue('');
    }
  };

  return (
    <section class="settings-section" data-testid="secrets">
      <h3>{t('settings.secrets')}</h3>
      <p class="muted">{t('settings.secretsLead')}</p>
      {error !== undefined && (
        <ErrorBox
          error={error}
          onRetry={() => {
            setError(undefined);
            void load();
          }}
        />
      )}
      {!names && error === undefined && <Skeleton lines={1} />}
      {names?.length === 0 && <p class="muted">{t('settings.noSecrets')}</p>}
      {names && names.length > 0 && (
        <ul class="card list">
          {names.map((each) => (
            <li class="list-row" key={each}>
              <code class="grow">{each}</code>
              <button
                type="button"
                class="icon-button"
                aria-label={t('settings.secretRemove', { name: each })}
                title={t('settings.secretRemove', { name: each })}
                onClick={() => void set(each, null)}
              >
                <Trash2 size={16} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="entry"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label={t('settings.secretName')}
          value={name}
          problem={problem}
          onValue={(text) => {
            setName(text);
            setProblem(undefined);
          }}
          autocomplete="off"
          testid="secret-name"
        />
        <TextField
          label={t('settings.secretValue')}
          type="password"
          value={value}
          onValue={setValue}
          autocomplete="new-password"
          testid="secret-value"
        />
        <Button type="submit" onClick={() => undefined} inert={name === '' || value === ''} data-testid="secret-save">
          {t('settings.secretSave')}
        </Button>
      </form>
    </section>
  );
}
