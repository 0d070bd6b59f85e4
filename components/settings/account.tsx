import { Trash2 } from 'lucide-preact';
import { type AccountForm, type FormProblem, PROVIDERS } from '../../src/view/model-form.ts';
import { hasBuiltInModel } from '../built-in-model.ts';
import { CheckField, SelectField, TextField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { BuiltInModel } from './built-in.tsx';

/** One model account: its name, provider, address and key. The key is written, never read back. */
export function Account({
  account,
  idProblem,
  urlProblem,
  onChange,
  onRemove,
}: {
  account: AccountForm;
  idProblem?: FormProblem;
  urlProblem?: FormProblem;
  onChange: (change: Partial<AccountForm>) => void;
  onRemove: () => void;
}) {
  const own = account.provider === 'browser';
  return (
    <fieldset class="card stack" data-testid="account">
      <legend class="visually-hidden">{t('settings.account', { id: account.id })}</legend>
      <div class="section-title">
        <b dir="auto">{account.id === '' ? t('settings.addAccount') : t('settings.account', { id: account.id })}</b>
        <button
          type="button"
          class="icon-button"
          aria-label={t('settings.removeAccount', { id: account.id })}
          title={t('settings.removeAccount', { id: account.id })}
          onClick={onRemove}
        >
          <Trash2 size={16} aria-hidden="true" />
        </button>
      </div>
      <div class="columns">
        <TextField
          label={t('settings.accountId')}
          help={t('settings.accountIdHelp')}
          value={account.id}
          problem={idProblem && t(`settings.${idProblem}`)}
          onValue={(id) => onChange({ id })}
          autocomplete="off"
          testid="account-id"
        />
        <SelectField
          label={t('settings.provider')}
          value={account.provider}
          options={PROVIDERS.filter(
            (value) => value !== 'browser' || account.provider === value || hasBuiltInModel(),
          ).map((value) => ({ value, label: t(`settings.provider.${value}`) }))}
          onValue={(value) => onChange({ provider: PROVIDERS.find((each) => each === value) ?? 'openai' })}
          testid="account-provider"
        />
        {account.provider === 'openai' && (
          <SelectField
            label={t('settings.api')}
            value={account.api}
            options={(['chat', 'responses'] as const).map((value) => ({ value, label: t(`settings.api.${value}`) }))}
            onValue={(value) => onChange({ api: value === 'responses' ? value : 'chat' })}
            testid="account-api"
          />
        )}
        {!own && (
          <>
            <TextField
              label={t('settings.baseUrl')}
              help={t('settings.baseUrlHelp')}
              type="url"
              value={account.baseUrl}
              problem={urlProblem && t(`settings.${urlProblem}`)}
              onValue={(baseUrl) => onChange({ baseUrl })}
              testid="account-url"
            />
            <TextField
              label={t('settings.key')}
              type="password"
              help={account.hasKey ? t('settings.keyKept') : t('settings.keyNone')}
              value={account.key}
              onValue={(key) => onChange({ key })}
              autocomplete="new-password"
              testid="account-key"
            />
          </>
        )}
      </div>
      {own ? (
        <BuiltInModel account={account.id} />
      ) : (
        <CheckField
          label={t('settings.stream')}
          help={t('settings.streamHelp')}
          checked={account.stream}
          onValue={(stream) => onChange({ stream })}
        />
      )}
    </fieldset>
  );
}
