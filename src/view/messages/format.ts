import type { Message } from './types.ts';

/** A piece of a formatted message: literal text, or the placeholder that stands there. */
export type Part = { text: string } | { name: string };

const PLACEHOLDER = /\{([A-Za-z]\w*)\}/g;

/** Picks the plural form of a message by `n`; a plain text is its own form. */
export function formOf(message: Message, n: number | undefined, rules: Intl.PluralRules): string {
  if (typeof message === 'string') return message;
  const category = n === undefined ? 'other' : rules.select(n);
  return message[category] ?? message.other;
}

/** Cuts a text at its `{placeholders}`. Values are never looked at, so braces in them stay text. */
export function splitMessage(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ name: match[1] as string });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** Fills a text; numbers are written the language's way. A placeholder without a value stays as it is, so that it shows. */
export function fill(
  text: string,
  params: Readonly<Record<string, string | number>>,
  number: Intl.NumberFormat,
): string {
  return splitMessage(text)
    .map((part) => {
      if ('text' in part) return part.text;
      const value = Object.hasOwn(params, part.name) ? params[part.name] : undefined;
      if (value === undefined) return `{${part.name}}`;
      return typeof value === 'number' ? number.format(value) : value;
    })
    .join('');
}
