import { flatChildren, shadowOf } from './dom.ts';
import { isSealed } from './sealed.ts';

/**
 * Zero-width characters, soft hyphen, bidi and annotation controls, byte order mark, fillers, tags and the selectors that can hide a whole
 * text: seen by nobody, typed by nobody.
 */
const INVISIBLE =
  /\u034f|\u17b4|\u17b5|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|(?![\t\n\v\f\r])\p{Cc}|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu;
/** What a joiner may stand behind and before: letters of scripts that write with it, and parts of an emoji. */
const JOINED_BEFORE =
  /(?:[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Malayalam}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Extended_Pictographic}]|\ufe0f|[\u{1f3fb}-\u{1f3ff}])$/u;
const JOINED_AFTER = /^[\p{L}\p{M}\p{Extended_Pictographic}]/u;
const SPACE = /\s+/g;
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'head', 'datalist']);

/** White space collapsed, as a page is read. */
export function tidy(text: string): string {
  return text.replace(SPACE, ' ').trim();
}

/** A longer text cut, with an ellipsis at its end: where a secret was cut in the middle, the part of it is known by that. */
export function clip(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Without what nobody sees; a joiner that belongs to its word stays. */
export function bare(text: string): string {
  if (!/[^\n -~\u00a0-\u00ac\u00ae-\u024f]/.test(text)) return text;
  const belongs = (at: number): boolean =>
    JOINED_BEFORE.test(text.slice(Math.max(at - 2, 0), at)) && JOINED_AFTER.test(text.slice(at + 1, at + 3));
  return text.replace(INVISIBLE, (char, at: number) => (/[\u200c\u200d]/.test(char) && belongs(at) ? char : ''));
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
  if (isSealed(node)) return '';
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
  const lines = element instanceof HTMLElement && !isBeyondInnerText(element) ? element.innerText : drawnText(element);
  return bare(lines)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Whether it holds a shadow tree, which the browser's own reading leaves out, or an editable region that a secret was filled into. */
function isBeyondInnerText(element: Element): boolean {
  if (shadowOf(element)) return true;
  for (const inner of element.querySelectorAll('*')) if (isSealed(inner) || shadowOf(inner)) return true;
  return false;
}

/** The same by our own reading: what is drawn, shadow trees in place, and a line for each block. */
function drawnText(element: Element): string {
  const style = getComputedStyle(element);
  let text = '';
  for (const child of flatChildren(element)) {
    if (child instanceof Text) {
      if (style.visibility === 'visible')
        text += style.whiteSpaceCollapse === 'preserve' ? child.data : child.data.replace(SPACE, ' ');
    } else if (child instanceof Element) text += drawnPart(child);
  }
  return text;
}

function drawnPart(element: Element): string {
  if (element.localName === 'br') return '\n';
  const { display } = getComputedStyle(element);
  if (UNREAD.has(element.localName) || isSealed(element) || display === 'none') return '';
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return '';
  const text = drawnText(element);
  if (display.startsWith('inline') || display === 'contents') return text;
  return display === 'table-cell' ? `${text}\t` : `\n${text.trim()}\n`;
}
