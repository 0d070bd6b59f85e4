import { fill, formOf, type Part, splitMessage } from './format.ts';
import type { Catalogue, Message, MessageKey, ParamArgs } from './types.ts';

/** Texts, dates, numbers and durations of one language. Times are epoch milliseconds, durations milliseconds. */
export interface Translator {
  /** The catalogue's language tag. */
  language: string;
  /** Tag given to `Intl`. */
  locale: string;
  direction: 'ltr' | 'rtl';
  t<K extends MessageKey>(key: K, ...args: ParamArgs<K>): string;
  /** Whether the catalogue has such a key; for keys made from codes. */
  has(key: string): key is MessageKey;
  /** The message cut at its placeholders, for texts whose values are set in bold. */
  parts<K extends MessageKey>(key: K, n?: number): Part[];
  number(value: number, options?: Intl.NumberFormatOptions): string;
  date(at: number): string;
  /** Up to two units, for example `3 min 20 s`; under a second in milliseconds. */
  duration(ms: number): string;
  /** Distance from `now`: `in 5 minutes`, `2 hours ago`. */
  relative(at: number, now: number): string;
  money(usd: number): string;
  list(items: readonly string[]): string;
}

const RTL = new Set(['ar', 'fa', 'he', 'ur', 'yi', 'dv', 'ps', 'sd', 'ug']);
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Makes a translator from a complete catalogue. */
export function createTranslator(language: string, catalogue: Catalogue, locale: string): Translator {
  const rules = new Intl.PluralRules(locale);
  const plain = new Intl.NumberFormat(locale);
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const relatives = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' });
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 0 }).format(
      value,
    );

  return {
    language,
    locale,
    direction: RTL.has(language.toLowerCase().split('-')[0] as string) ? 'rtl' : 'ltr',
    t(key, ...args) {
      const params = (args[0] ?? {}) as Readonly<Record<string, string | number>>;
      const n = typeof params.n === 'number' ? params.n : undefined;
      // A page that shows a text it did not bring along shows its key: ugly, but it goes on working.
      return fill(formOf((catalogue[key] as Message | undefined) ?? key, n, rules), params, plain);
    },
    has: (key): key is MessageKey => Object.hasOwn(catalogue, key),
    parts: (key, n) => splitMessage(formOf(catalogue[key] as Message, n, rules)),
    number: (value, options) => (options ? new Intl.NumberFormat(locale, options).format(value) : plain.format(value)),
    date: (at) => dates.format(at),
    duration(ms) {
      const total = Math.max(0, ms);
      if (total < 1000) return unit(Math.round(total), 'millisecond');
      const whole = Math.floor(total / 1000) * 1000;
      const first = UNITS.findIndex(([, size]) => whole >= size);
      const [name, size] = UNITS[first] as (typeof UNITS)[number];
      const text = unit(Math.floor(whole / size), name);
      const next = UNITS[first + 1];
      const rest = next ? Math.floor((whole % size) / next[1]) : 0;
      return next && rest > 0 ? `${text} ${unit(rest, next[0])}` : text;
    },
    relative(at, now) {
      const delta = at - now;
      const size = Math.abs(delta);
      const [name, length] = UNITS.find(([, each]) => size >= each) ?? (['second', 1000] as const);
      // Towards zero: a deadline that is 90 s away is "in 1 minute", never "in 2 minutes".
      return relatives.format(Math.trunc(delta / length), name);
    },
    money: (usd) =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency: 'USD',
        minimumFractionDigits: 2,
        maximumFractionDigits: usd < 0.1 ? 4 : 2,
      }).format(usd),
    list: (items) => lists.format(items),
  };
}
