/** Numbers and dates as a page of some language writes them. Pure: no DOM, so it is tested under Node. */

interface Marks {
  decimal: string;
  group: string;
}

function marksOf(language: string): Marks {
  const parts = new Intl.NumberFormat(language).formatToParts(1_234_567.5);
  const find = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return { decimal: find('decimal') || '.', group: find('group') };
}

/** The language tag if the browser knows it, else English. */
export function usableLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/**
 * First number in a text (`€ 1.234,50`, `-12 %`, `(3.5)`), read by the language's decimal mark; null where there is none.
 * A mark of the other kind decides by its place where the language's reading is impossible (`1,234.50` on a German page).
 */
export function parseNumber(text: string, language: string): number | null {
  const plain = latinDigits(text.normalize('NFKC')).replace(/[\u2212\u2013]/g, '-');
  // A space is between two numbers, unless it groups by three.
  const match =
    /([-+(]\s*(?:[^\d\s.,()+-]{1,4}\s*)?)?((?:(?<![\d.,])[.,])?\d+(?:[.,'\u2019\u066b\u066c]\d+|[ \u00a0\u202f]\d{3}(?!\d))*)(?:e([+-]?\d+))?/iu.exec(
      plain,
    );
  if (!match?.[2]) return null;
  const digits = unmark(match[2], marksOf(usableLanguage(language)));
  if (digits === undefined) return null;
  const value = Number(match[3] ? `${digits}e${match[3]}` : digits);
  if (!Number.isFinite(value)) return null;
  const sign = match[1]?.trim()[0];
  const before = plain[match.index - 1] ?? ' ';
  // A hyphen inside a word (`A-12`) is no minus.
  const minus =
    (sign === '-' && !/[\p{L}\p{N}]/u.test(before)) ||
    (sign === '(' && /^\s*\)/.test(plain.slice(match.index + match[0].length)));
  return minus && value !== 0 ? -value : value;
}

/** What each script's zero is; its other digits follow it. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x17e0, 0x1810,
];

/** Digits of all scripts as 0 to 9. */
function latinDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) as number;
    const zero = ZEROS.find((one) => code >= one && code < one + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** Digits with a decimal point at most; `undefined` for what is no number, as the dots of a version or a date. */
function unmark(text: string, marks: Marks): string | undefined {
  const compact = text.replace(/[\s'\u2019\u066c]/gu, '').replace(/\u066b/g, '.');
  // The Arabic decimal mark means nothing else.
  if (text.includes('\u066b')) return compact.replace(/,/g, '');
  const commas = compact.split(',').length - 1;
  const dots = compact.split('.').length - 1;
  if (commas > 0 && dots > 0) {
    const decimal = compact.lastIndexOf(',') > compact.lastIndexOf('.') ? ',' : '.';
    return strip(compact, decimal);
  }
  if (commas > 1) return GROUPED.test(compact) ? strip(compact, '.') : undefined;
  if (dots > 1) return GROUPED.test(compact) ? strip(compact, ',') : undefined;
  const mark = commas ? ',' : dots ? '.' : '';
  if (!mark) return compact;
  if (mark === marks.decimal) return strip(compact, mark);
  // The language's group mark must group by three (or, in Indian notation, end in three).
  return /^\d{1,3}[.,]\d{3}$/.test(compact) ? strip(compact, mark === ',' ? '.' : ',') : strip(compact, mark);
}

/** By three, or as in India by two with three at the end. */
const GROUPED = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$|^\d{1,2}(?:([.,])\d{2})+\2\d{3}$/;

function strip(text: string, decimal: string): string {
  const group = decimal === ',' ? /\./g : /,/g;
  return text.replace(group, '').replace(',', '.');
}

/** Date in a text as `YYYY-MM-DD`, with `THH:MM[:SS]` where the text has a time; null where there is none. */
export function parseDate(text: string, language: string): string | null {
  const plain = latinDigits(text.normalize('NFKC')).trim();
  const iso = /(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?/.exec(plain);
  if (iso)
    return stamp(Number(iso[1]), Number(iso[2]), Number(iso[3]), iso[4] ? iso[4] + (iso[5] ?? '') : timeOf(plain));
  const tag = usableLanguage(language);
  const time = timeOf(plain);
  const rest = plain.replace(TIME, ' ');
  return byName(rest, tag, time) ?? byNumbers(rest, tag, time);
}

const TIME = /\b(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap])?\.?(?:m\b\.?)?/i;

function timeOf(text: string): string | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  let hour = Number(match[1]);
  const half = match[4]?.toLowerCase();
  if (half === 'p' && hour < 12) hour += 12;
  if (half === 'a' && hour === 12) hour = 0;
  if (hour > 23 || Number(match[2]) > 59) return undefined;
  return `${two(hour)}:${match[2]}${match[3] ? `:${match[3]}` : ''}`;
}

function byName(text: string, language: string, time: string | undefined): string | null {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  for (const tag of [language, 'en']) {
    const month = monthAmong(words, tag);
    if (month === undefined) continue;
    const numbers = [...text.matchAll(/\d+/g)].map((match) => match[0]);
    const year = numbers.find((digits) => digits.length === 4) ?? (numbers.length === 2 ? numbers[1] : undefined);
    const day = numbers.find((digits) => digits !== year && digits.length <= 2);
    if (year && day) return stamp(fullYear(year), month, Number(day), time);
  }
  return null;
}

/** Names of the months of a language, January first: long and short, lower case, without a dot. */
const months = new Map<string, { long: string; short: string }[]>();

function monthsOf(language: string): { long: string; short: string }[] {
  const known = months.get(language);
  if (known) return known;
  const nameIn = (style: 'long' | 'short', at: number): string => {
    // With a day beside it, since some languages inflect the name then.
    const format = new Intl.DateTimeFormat(language, {
      month: style,
      day: 'numeric',
      timeZone: 'UTC',
      calendar: 'gregory',
    });
    const part = format.formatToParts(at).find(({ type }) => type === 'month');
    return (part?.value ?? '').toLowerCase().replace(/\.$/, '');
  };
  const names = Array.from({ length: 12 }, (_, month) => {
    const at = Date.UTC(2024, month, 15);
    return { long: nameIn('long', at), short: nameIn('short', at) };
  });
  months.set(language, names);
  return names;
}

/**
 * The month among words. A name in full or in its usual short form goes before a beginning of one, and the last before others: where the day
 * of the week has the same beginning (`mar. 3 juin`), it is written first.
 */
function monthAmong(words: string[], language: string): number | undefined {
  const names = monthsOf(language);
  const index = (fits: (name: { long: string; short: string }, word: string) => boolean): number | undefined => {
    for (const word of [...words].reverse()) {
      const found = word.length < 3 ? -1 : names.findIndex((name) => fits(name, word));
      if (found !== -1) return found + 1;
    }
    return undefined;
  };
  return (
    index(({ long, short }, word) => long === word || short === word) ??
    index(({ long }, word) => long.length > 3 && long.startsWith(word))
  );
}

function byNumbers(text: string, language: string, time: string | undefined): string | null {
  const match = /(\d{1,4})\s*[./\-年년]\s*(\d{1,2})\s*[./\-月월]\s*(\d{1,4})/u.exec(text);
  if (!match) return null;
  const values = [match[1] as string, match[2] as string, match[3] as string];
  if ((values[0] as string).length === 4) return stamp(Number(values[0]), Number(values[1]), Number(values[2]), time);
  const order = new Intl.DateTimeFormat(language)
    .formatToParts(0)
    .flatMap(({ type }) => (/day|month|year/.test(type) ? [type] : []));
  const dayFirst = order.indexOf('day') < order.indexOf('month');
  // A dot between numbers means the day first wherever it is used.
  let [day, month] = dayFirst || /\d\s*\./.test(match[0]) ? [values[0], values[1]] : [values[1], values[0]];
  if (Number(month) > 12 && Number(day) <= 12) [day, month] = [month, day];
  return stamp(fullYear(values[2] as string), Number(month), Number(day), time);
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length > 2) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

function stamp(year: number, month: number, day: number, time: string | undefined): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}${time ? `T${time}` : ''}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
