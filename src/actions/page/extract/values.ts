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
  const plain = text.normalize('NFKC').replace(/[\u2212\u2013]/g, '-');
  const match =
    /([-+(]\s*(?:[^\d\s.,()+-]{1,4}\s*)?)?(\d[\d.,'\u2019\u066b\u066c \u00a0\u202f]*)(?:e([+-]?\d+))?/iu.exec(plain);
  if (!match?.[2]) return null;
  const digits = unmark(match[2].replace(/[.,'\u2019 \u00a0\u202f]+$/u, ''), marksOf(usableLanguage(language)));
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

function unmark(text: string, marks: Marks): string {
  const compact = text.replace(/[\s'\u2019\u066c]/gu, '').replace(/\u066b/g, '.');
  const commas = compact.split(',').length - 1;
  const dots = compact.split('.').length - 1;
  if (commas > 0 && dots > 0) {
    const decimal = compact.lastIndexOf(',') > compact.lastIndexOf('.') ? ',' : '.';
    return strip(compact, decimal);
  }
  if (commas > 1) return strip(compact, '.');
  if (dots > 1) return strip(compact, ',');
  const mark = commas ? ',' : dots ? '.' : '';
  if (!mark) return compact;
  if (mark === marks.decimal) return strip(compact, mark);
  // The language's group mark must group by three (or, in Indian notation, end in three).
  return /^\d{1,3}[.,]\d{3}$/.test(compact) ? strip(compact, mark === ',' ? '.' : ',') : strip(compact, mark);
}

function strip(text: string, decimal: string): string {
  const group = decimal === ',' ? /\./g : /,/g;
  return text.replace(group, '').replace(',', '.');
}

/** Date in a text as `YYYY-MM-DD`, with `THH:MM[:SS]` where the text has a time; null where there is none. */
export function parseDate(text: string, language: string): string | null {
  const plain = text.normalize('NFKC').trim();
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
    const month = words.map((word) => monthNamed(word, tag)).find((found) => found !== undefined);
    if (month === undefined) continue;
    const numbers = [...text.matchAll(/\d+/g)].map((match) => match[0]);
    const year = numbers.find((digits) => digits.length === 4) ?? (numbers.length === 2 ? numbers[1] : undefined);
    const day = numbers.find((digits) => digits !== year && digits.length <= 2);
    if (year && day) return stamp(fullYear(year), month, Number(day), time);
  }
  return null;
}

function monthNamed(word: string, language: string): number | undefined {
  if (word.length < 3) return undefined;
  for (let month = 1; month <= 12; month++) {
    const at = Date.UTC(2024, month - 1, 15);
    for (const style of ['long', 'short'] as const) {
      // With a day beside it, since some languages inflect the name then.
      const parts = new Intl.DateTimeFormat(language, { month: style, day: 'numeric', timeZone: 'UTC' }).formatToParts(
        at,
      );
      const name = (parts.find((part) => part.type === 'month')?.value ?? '').toLowerCase().replace(/\.$/, '');
      if (name === word || (style === 'long' && name.length > 3 && name.startsWith(word))) return month;
    }
  }
  return undefined;
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
