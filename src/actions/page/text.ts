import { flatChildren } from './dom.ts';
import { isSealed } from './sealed.ts';

/** Zero-width characters, soft hyphen, bidi controls, byte order mark: seen by nobody, typed by nobody. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;
const SPACE = /\s+/g;
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'head', 'datalist']);

/** White space collapsed, as a page is read. */
export function tidy(text: string): string {
  return text.replace(SPACE, ' ').trim();
}

/** For comparing: case, white space and invisible characters do not count. */
export function fold(text: string): string {
  return tidy(text.replace(INVISIBLE, '').normalize('NFKC')).toLowerCase();
}

/** Whether a text of the page fits a wanted one: as part, or with `exact` whole and to the letter. */
export function fits(actual: string, wanted: string, exact: boolean | undefined): boolean {
  return exact ? tidy(actual) === tidy(wanted) : fold(actual).includes(fold(wanted));
}

/** All text of an element in drawing order, shadow trees included; scripts and styles are no text. Buttons made by input count. */
export function textOf(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element) || UNREAD.has(node.localName)) return '';
  if (node instanceof HTMLInputElement) return /^(submit|button|reset)$/.test(node.type) ? node.value : '';
  let text = '';
  for (const child of flatChildren(node)) text += textOf(child);
  return text;
}

/** Text as a person reads it: only what is shown, with line breaks where the page has them. */
export function shownText(element: Element): string {
  if (isSealed(element)) return '';
  if (element instanceof HTMLInputElement) return element.value;
  if (element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement)
    return [...element.selectedOptions].map((option) => option.label).join(', ');
  // biome-ignore lint/performance/useDomNodeTextContent: the text as it is shown is what is asked for
  const lines = element instanceof HTMLElement && !hasShadow(element) ? element.innerText : tidy(textOf(element));
  return lines
    .replace(INVISIBLE, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function hasShadow(element: Element): boolean {
  if (flatChildren(element)[0]?.getRootNode() !== element.getRootNode() && element.childNodes.length > 0) return true;
  for (const inner of element.querySelectorAll('*')) if (inner.localName.includes('-')) return true;
  return false;
}
