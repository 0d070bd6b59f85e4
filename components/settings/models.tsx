import { Bot, Plus, Trash2 } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Requests } from '../../src/app/protocol.ts';
import { acceptConflicts, type ModelConflict } from '../../src/model/merge-models.ts';
import type { ModelSettings } from '../../src/model/model-settings.ts';
import { type AccountForm, formProblems, fromForm, type ModelForm, toForm } from '../../src/view/model-form.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Empty, ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { TextField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { Account } from './account.tsx';
import { ModelConflicts } from './model-conflicts.tsx';
import { PriceNotes } from './model-prices.tsx';
import { TestResult } from './model-test.tsx';

const NEW_ACCOUNT: AccountForm = {
  id: '',
  provider: 'openai',
  baseUrl: '',
  hasKey: false,
  api: 'chat',
  stream: true,
  key: '',
};
const plus = <Plus size={14} aria-hidden="true" />;

/** A list with one place changed. */
const replaced = <T,>(list: readonly T[], at: number, change: Partial<T>): T[] =>
  list.map((each, i) => (i === at ? { ...each, ...change } : each));
const without = <T,>(list: readonly T[], at: number): T[] => list.filter((_, i) => i !== at);

/** Whether a form holds anything that is not stored. */
const isChanged = (form: ModelForm, stored: ModelSettings | undefined): boolean =>
  form.accounts.some(({ key }) => key !== '') ||
  stored === undefined ||
  JSON.stringify(fromForm(form)) !== JSON.stringify(fromForm(toForm(stored)));

/** Accounts, names, the default model and prices. Keys go into the vault, one by one, under their account. */
export function ModelsSection() {
  const [form, setForm] = useState<ModelForm>();
  const [error, setError] = useState<unknown>();
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState<'save' | 'test'>();
  const [test, setTest] = useState<Requests['models.test']['out']>();
  const [conflicts, setConflicts] = useState<ModelConflict[]>([]);
  /** What the form was made of: only what differs from it is saved, so that another window's changes stay. */
  const base = useRef<ModelSettings>(undefined);
  const load = () =>
    ask('models.get', {}).then((settings) => {
      base.current = settings;
      setConflicts([]);
      setForm(toForm(settings));
    }, setError);
  useEffect(() => void load(), []);

  if (error !== undefined)
    return (
      <Frame>
        <ErrorBox
          error={error}
          onRetry={() => {
            setError(undefined);
            void load();
          }}
        />
      </Frame>
    );
  if (!form)
    return (
      <Frame>
        <Skeleton lines={3} />
      </Frame>
    );
  const problems = tried ? formProblems(form) : {};
  const change = (part: Partial<ModelForm>) => setForm({ ...form, ...part });

  /** @returns whether all of it was saved */
  const send = async (settings: ModelSettings): Promise<boolean> => {
    const typed = form.accounts.filter((account) => account.key !== '');
    const keys = typed.map(({ id, key }) => ({ apiKey: key, account: id.trim() }));
    for (const part of keys.length > 0 ? keys : [{}]) {
      const answer = await ask('models.set', { settings, base: base.current, ...part });
      if (answer.saved) continue;
      const found = answer.conflicts ?? [];
      // They are shown now: who saves again means to overwrite them.
      if (base.current) base.current = acceptConflicts(base.current, await ask('models.get', {}), found);
      setConflicts(found);
      return false;
    }
    return true;
  };
  /** @returns whether what the form holds is what is stored now */
  const save = async (): Promise<boolean> => {
    setTried(true);
    if (Object.keys(formProblems(form)).length > 0) return false;
    setBusy('save');
    let saved = false;
    try {
      saved = await send(fromForm(form));
      if (saved) {
        await load();
        notify(t('common.saved'));
      }
    } catch (reason) {
      notify(errorWords(reason).text);
    }
    setBusy(undefined);
    void refresh();
    return saved;
  };
  const runTest = async () => {
    setTest(undefined);
    // What is tested is what is stored: a key that was only typed would not be in it.
    if (isChanged(form, base.current) && !(await save())) return;
    setBusy('test');
    try {
      setTest(await ask('models.test', {}));
    } catch (reason) {
      setTest({ ok: false, message: errorWords(reason).text });
    }
    setBusy(undefined);
  };

  return (
    <Frame>
      {form.accounts.length === 0 && (
        <Empty
          icon={<Bot size={24} aria-hidden="true" />}
          title={t('settings.noAccounts')}
          next={t('settings.noAccountsNext')}
        />
      )}
      {form.accounts.map((account, i) => (
        <Account
          key={i}
          account={account}
          idProblem={problems[`accounts.${i}.id`]}
          urlProblem={problems[`accounts.${i}.baseUrl`]}
          onChange={(part) => change({ accounts: replaced(form.accounts, i, part) })}
          onRemove={() => change({ accounts: without(form.accounts, i) })}
        />
      ))}
      <div>
        <Button
          small
          icon={plus}
          data-testid="add-account"
          onClick={() => change({ accounts: [...form.accounts, NEW_ACCOUNT] })}
        >
          {t('settings.addAccount')}
        </Button>
      </div>

      <TextField
        label={t('settings.defaultModel')}
        help={t('settings.defaultModelHelp')}
        value={form.default}
        onValue={(value) => change({ default: value })}
        testid="default-model"
      />

      <h4>{t('settings.names')}</h4>
      <p class="muted small">{t('settings.namesLead')}</p>
      {form.names.map((row, i) => (
        <div class="entry" key={i}>
          <TextField
            label={t('settings.modelName')}
            value={row.name}
            onValue={(name) => change({ names: replaced(form.names, i, { name }) })}
          />
          <TextField
            label={t('settings.modelTarget')}
            placeholder="openai:gpt-5-mini"
            value={row.target}
            onValue={(target) => change({ names: replaced(form.names, i, { target }) })}
          />
          <RemoveButton
            label={t('settings.removeName', { name: row.name })}
            onRemove={() => change({ names: without(form.names, i) })}
          />
        </div>
      ))}
      <div>
        <Button small icon={plus} onClick={() => change({ names: [...form.names, { name: '', target: '' }] })}>
          {t('settings.addName')}
        </Button>
      </div>

      <h4>{t('settings.prices')}</h4>
      <p class="muted small">{t('settings.pricesLead')}</p>
      <PriceNotes
        form={form}
        onAdd={(model) => change({ prices: [...form.prices, { model, input: '', output: '' }] })}
      />
      {form.prices.map((row, i) => {
        const problem = problems[`prices.${i}`];
        return (
          <div class="entry" key={i}>
            <TextField
              label={t('settings.priceModel')}
              value={row.model}
              onValue={(model) => change({ prices: replaced(form.prices, i, { model }) })}
              problem={problem && t(`settings.${problem}`)}
            />
            <TextField
              label={t('settings.priceInput')}
              value={row.input}
              onValue={(input) => change({ prices: replaced(form.prices, i, { input }) })}
            />
            <TextField
              label={t('settings.priceOutput')}
              value={row.output}
              onValue={(output) => change({ prices: replaced(form.prices, i, { output }) })}
            />
            <RemoveButton
              label={t('settings.removePrice', { model: row.model })}
              onRemove={() => change({ prices: without(form.prices, i) })}
            />
          </div>
        );
      })}
      <div>
        <Button
          small
          icon={plus}
          onClick={() => change({ prices: [...form.prices, { model: '', input: '', output: '' }] })}
        >
          {t('settings.addPrice')}
        </Button>
      </div>

      <div class="row">
        <Button kind="primary" busy={busy === 'save'} data-testid="save-models" onClick={() => void save()}>
          {busy === 'save' ? t('common.saving') : t('settings.saveModels')}
        </Button>
        <Button busy={busy === 'test'} data-testid="test-model" onClick={() => void runTest()}>
          {busy === 'test' ? t('settings.testing') : t('settings.test')}
        </Button>
      </div>
      <ModelConflicts conflicts={conflicts} onTake={() => void load()} onKeep={() => void save()} />
      {test && <TestResult test={test} />}
    </Frame>
  );
}

function Frame({ children }: { children: ComponentChildren }) {
  return (
    <section class="settings-section" data-testid="models">
      <h3>{t('settings.models')}</h3>
      <p class="muted">{t('settings.modelsLead')}</p>
      {children}
    </section>
  );
}

function RemoveButton({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onRemove}>
      <Trash2 size={16} aria-hidden="true" />
    </button>
  );
}
