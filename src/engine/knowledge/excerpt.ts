import { alike } from './search-index.ts';
import { termsOf, tokens } from './tokens.ts';

/** Characters of an excerpt, and of those before the first word that was found. */
const EXCERPT = 240;
const EXCERPT_BEFORE = 60;

/** A part of a passage around the first word that was asked for, on one line. */
export function excerptOf(text: string, query: string): string {
  const asked = [...new Set(termsOf(query))];
  let first = 0;
  for (const { term, start } of tokens(text)) {
    if (!asked.some((each) => each === term || alike(each, term))) continue;
    first = start;
    break;
  }
  const from = first <= EXCERPT_BEFORE ? 0 : afterSpace(text, first - EXCERPT_BEFORE, first);
  const to = from + EXCERPT >= text.length ? text.length : beforeSpace(text, from + EXCERPT, first);
  const line = text.slice(from, to).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${line}${to < text.length ? ' …' : ''}`;
}

function afterSpace(text: string, at: number, most: number): number {
  const space = text.slice(at, most).search(/\s/);
  return space < 0 ? at : at + space + 1;
}

function beforeSpace(text: string, at: number, least: number): number {
  const space = text.lastIndexOf(' ', at);
  return space > least ? space : at;
}
