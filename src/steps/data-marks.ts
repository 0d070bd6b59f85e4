import { asText } from '../engine/values/template.ts';
import { readTemplate } from '../engine/values/template-text.ts';
import type { Json } from '../model/json.ts';

/** `<data` and `</data`, however spaced, and with characters in between that nobody sees. */
const MARK = /<(?=[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*\/?[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*data)/gi;

/**
 * A text for a model, once its templates are filled in: data marks in what was filled in are written `&lt;data` and `&lt;/data`, so that a
 * page, a document or an earlier reply cannot close the block it stands in. The marks that the author wrote stay. Whatever is filled in,
 * exactly the author's marks are left, each of them once and in order.
 * @param written the text with its templates
 * @param filled the same, filled in
 */
export function sealData(written: Json | undefined, filled: Json): string {
  const text = asText(filled);
  if (typeof written !== 'string' || !written.includes('{{')) return text;
  let sealed = '';
  let at = 0;
  const parts = readTemplate(written);
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') continue;
    // The last part ends the text; one in the middle is taken where it first fits, so that the ones after it still find a place.
    const found = index === parts.length - 1 ? text.length - part.length : text.indexOf(part, at);
    // Something was taken out of it since (a secret, say): the author's own marks are given up then.
    if (found < at || !text.startsWith(part, found)) return neutral(text);
    sealed += neutral(text.slice(at, found)) + part;
    at = found + part.length;
  }
  return sealed + neutral(text.slice(at));
}

/** A text from outside as one marked block; marks inside it are taken apart, so that it cannot end the block. */
export function dataBlock(from: string, text: string): string {
  return `<data from="${from}">\n${neutral(text)}\n</data>`;
}

/** A text in which no data mark is left. */
export function neutral(text: string): string {
  return text.replace(MARK, '&lt;');
}
