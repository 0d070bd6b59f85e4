import type { Json, JsonObject } from '../../../model/json.ts';
import type { Target } from '../../describe.ts';
import { MARK } from '../act/hover-rules.ts';
import { closest } from '../dom.ts';
import { PageError } from '../env.ts';
import { alternatives, type Found, findAll, findOne } from '../find/resolve.ts';
import { isSealed, tells } from '../sealed.ts';
import { shownText } from '../text.ts';
import { findTable, readTable } from './table.ts';
import { parseDate, parseNumber } from './values.ts';

export interface Field {
  target?: Target;
  as?: 'text' | 'html' | 'attribute' | 'link';
  attribute?: string;
  type?: 'text' | 'number' | 'date';
}

export interface ExtractArgs {
  target?: Target;
  as: 'text' | 'html' | 'attribute' | 'link' | 'table' | 'items';
  attribute?: string;
  fields?: Record<string, Field>;
}

/**
 * What `extract` gives for one page (SPEC §8). Paging is the adapter's.
 * @throws PageError as `findOne`; `element_not_found` while no item is there.
 */
export function extractFrom(args: ExtractArgs): { value: Json; matched?: number } {
  if (args.as === 'items') return { value: { items: readItems(args.target as Target, args.fields ?? {}) } };
  const found: Found = args.target
    ? findOne(args.target)
    : args.as === 'table'
      ? findTable()
      : { element: document.body, matched: 0 };
  const { element, matched } = found;
  switch (args.as) {
    case 'html':
      return { value: { html: htmlOf(element) }, matched };
    case 'attribute':
      return { value: { value: attributeOf(element, args.attribute ?? '') }, matched };
    case 'link':
      return { value: linkOf(element), matched };
    case 'table':
      return { value: readTable(element), matched };
    default:
      return { value: { text: shownText(element) }, matched };
  }
}

/** Markup without what never shows or may hold secrets: scripts, styles, values of password fields and of those filled with a secret. */
function htmlOf(element: Element): string {
  // In a document of its own, where no element of the page wakes up and nothing is loaded.
  const copy = document.implementation.createHTMLDocument().importNode(element, true);
  const copies = [copy, ...copy.querySelectorAll('*')];
  for (const [index, node] of [element, ...element.querySelectorAll('*')].entries()) {
    if (!isSealed(node)) continue;
    copies[index]?.removeAttribute('value');
    for (const { name, value } of [...node.attributes]) if (tells(node, value)) copies[index]?.removeAttribute(name);
    // The text of a text area, or of an editable region.
    if (!(node instanceof HTMLInputElement)) copies[index]?.replaceChildren();
  }
  for (const node of copies) node.removeAttribute(MARK);
  for (const node of copy.querySelectorAll('script, style, noscript, template')) node.remove();
  return copy.outerHTML;
}

function attributeOf(element: Element, name: string): string | null {
  if (name === 'value' && isSealed(element)) return null;
  if (name === 'value' && hasValue(element)) return element.value;
  const value = element.getAttribute(name);
  if (value !== null && isSealed(element) && tells(element, value)) return null;
  // Addresses as the browser would follow them.
  if (value !== null && (name === 'href' || name === 'src') && URL.canParse(value, document.baseURI))
    return new URL(value, document.baseURI).href;
  return value;
}

function hasValue(element: Element): element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

function linkOf(element: Element): { text: string; href: string | null } {
  const link = closest(element, 'a[href], area[href]') ?? element.querySelector('a[href], area[href]');
  return { text: shownText(link ?? element), href: link ? attributeOf(link, 'href') : null };
}

function readItems(target: Target, fields: Record<string, Field>): JsonObject[] {
  for (const one of alternatives(target)) {
    const items = findAll(one);
    if (items.length > 0) return items.map((item) => readFields(item, fields));
  }
  // The error of looking for one of them says what is missing.
  findOne(target);
  return [];
}

function readFields(item: Element, fields: Record<string, Field>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const element = field.target === undefined ? item : firstIn(item, field.target);
      return [name, element ? readField(element, field) : null];
    }),
  );
}

/** An item may lack a field; then it is null. One that has it twice is ambiguous, as everywhere. */
function firstIn(item: Element, target: Target): Element | undefined {
  try {
    return findOne(target, { scope: item }).element;
  } catch (error) {
    if (error instanceof PageError && error.info.code === 'element_not_found') return undefined;
    throw error;
  }
}

function readField(element: Element, field: Field): Json {
  const as = field.as ?? (field.attribute ? 'attribute' : 'text');
  const raw =
    as === 'html'
      ? htmlOf(element)
      : as === 'link'
        ? linkOf(element).href
        : as === 'attribute'
          ? attributeOf(element, field.attribute ?? '')
          : null;
  const text = as === 'text' ? shownText(element) : raw;
  if (text === null || field.type === undefined || field.type === 'text') return text;
  if (field.type === 'number') return parseNumber(text, languageOf(element));
  const exact =
    as === 'text' ? (closest(element, 'time') ?? element.querySelector('time'))?.getAttribute('datetime') : undefined;
  return (exact && parseDate(exact, 'en')) || parseDate(text, languageOf(element));
}

/** The language that the page says this part is in, else the browser's. */
function languageOf(element: Element): string {
  return closest(element, '[lang]')?.getAttribute('lang') || document.documentElement.lang || navigator.language;
}
