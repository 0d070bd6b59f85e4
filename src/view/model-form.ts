/** The model settings as a form holds them: lists in order, texts as typed. */
export interface ModelForm {
  accounts: AccountForm[];
  names: { name: string; target: string }[];
  default: string;
  prices: { model: string; input: string; output: string }[];
}

export type Provider = 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'browser';
export const PROVIDERS: readonly Provider[] = ['openai', 'anthropic', 'google', 'openai-compatible', 'browser'];

export interface AccountForm {
  id: string;
  provider: Provider;
  baseUrl: string;
  hasKey: boolean;
  /** Which of OpenAI's two APIs is spoken; of no meaning for other providers. */
  api: 'chat' | 'responses';
  /** Answers are asked for as a stream. */
  stream: boolean;
  /** A key that was typed and is not stored yet. */
  key: string;
}

interface Settings {
  accounts: {
    id: string;
    provider: Provider;
    baseUrl?: string;
    hasKey: boolean;
    api?: 'chat' | 'responses';
    stream?: boolean;
  }[];
  names: Record<string, string>;
  default?: string;
  prices?: Record<string, { input: number; output: number }>;
}

/** Settings as a form. */
export function toForm(settings: Settings): ModelForm {
  return {
    accounts: settings.accounts.map((account) => ({
      id: account.id,
      provider: account.provider,
      baseUrl: account.baseUrl ?? '',
      hasKey: account.hasKey,
      api: account.api ?? 'chat',
      stream: account.stream !== false,
      key: '',
    })),
    names: Object.entries(settings.names).map(([name, target]) => ({ name, target })),
    default: settings.default ?? '',
    prices: Object.entries(settings.prices ?? {}).map(([model, price]) => ({
      model,
      input: String(price.input),
      output: String(price.output),
    })),
  };
}

/** A form as settings, empty rows dropped. Call it only when `formProblems` finds none. */
export function fromForm(form: ModelForm): Settings {
  const settings: Settings = {
    accounts: form.accounts.map(({ id, provider, baseUrl, hasKey, key, api, stream }) => ({
      id: id.trim(),
      provider,
      ...(baseUrl.trim() === '' || provider === 'browser' ? {} : { baseUrl: baseUrl.trim() }),
      hasKey: hasKey || key !== '',
      ...(provider === 'openai' && api === 'responses' ? { api } : {}),
      ...(stream ? {} : { stream }),
    })),
    names: Object.fromEntries(
      form.names
        .filter((row) => row.name.trim() !== '' && row.target.trim() !== '')
        .map((row) => [row.name.trim(), row.target.trim()]),
    ),
  };
  if (form.default.trim() !== '') settings.default = form.default.trim();
  const prices = form.prices.filter((row) => row.model.trim() !== '');
  if (prices.length > 0)
    settings.prices = Object.fromEntries(
      prices.map((row) => [row.model.trim(), { input: Number(row.input), output: Number(row.output) }]),
    );
  return settings;
}

export type FormProblem = 'accountIdTaken' | 'baseUrlNeeded' | 'priceBad';

/** Problems by place: `accounts.0.id`, `accounts.0.baseUrl`, `prices.1`. */
export function formProblems(form: ModelForm): Record<string, FormProblem> {
  const problems: Record<string, FormProblem> = {};
  form.accounts.forEach((account, i) => {
    const id = account.id.trim();
    const taken = form.accounts.some((other, at) => at < i && other.id.trim() === id);
    if (taken || !/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(id)) problems[`accounts.${i}.id`] = 'accountIdTaken';
    const url = account.provider === 'browser' ? '' : account.baseUrl.trim();
    const bad = url === '' ? account.provider === 'openai-compatible' : !/^https?:\/\//.test(url) || !URL.canParse(url);
    if (bad) problems[`accounts.${i}.baseUrl`] = 'baseUrlNeeded';
  });
  form.prices.forEach((row, i) => {
    if (row.model.trim() !== '' && (!isPrice(row.input) || !isPrice(row.output))) problems[`prices.${i}`] = 'priceBad';
  });
  return problems;
}

function isPrice(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text)) && Number(text) >= 0;
}
