import { flatParent, focusedElement, matches } from '../dom.ts';

/** Moves the focus as a person would, with its events in front of a person or not. */

/** Fields that were typed into, with the value that the page was last told of as a change. */
const edited = new WeakMap<Element, string>();

type Valued = HTMLInputElement | HTMLTextAreaElement;

/** Before a field is typed into: remembers what it held, so that it can be told as changed when it is left. */
export function noteEdit(field: Valued): void {
  if (!edited.has(field)) edited.set(field, field.value);
}

/** What was told of a field is not so any more; called once the page has been told of the change some other way. */
export function forgetEdit(field: Element): void {
  edited.delete(field);
}

/** Tells the page of what was typed, if anything, as leaving the field or Enter in it would. */
export function commitEdit(field: Element): void {
  const before = edited.get(field);
  if (before === undefined) return;
  edited.delete(field);
  if ((field as Valued).value !== before) field.dispatchEvent(new Event('change', { bubbles: true }));
}

const FOCUSABLE =
  'a[href], area[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, iframe, ' +
  '[tabindex], [contenteditable=""], [contenteditable="true"], [contenteditable="plaintext-only"]';

/** Whether an element can have the focus, as far as its markup tells. */
export function isFocusable(element: Element): element is HTMLElement {
  return matches(element, FOCUSABLE) && !matches(element, 'input[type="hidden"]');
}

/** Focuses what a press there would focus; takes the focus away where nothing is focusable. */
export function focusAround(element: Element): void {
  for (let node: Element | null = element; node; node = flatParent(node)) {
    if (!isFocusable(node)) continue;
    focus(node);
    return;
  }
  unfocus();
}

/**
 * Focuses an element. A page whose window is not in front gets no focus events from the browser; then they are made here, so that it
 * notices the change as it would in front of a person.
 */
export function focus(element: HTMLElement | SVGElement): void {
  const before = focusedElement();
  if (before === element) return;
  const heard = listenFor(element, 'focus');
  const changed = before && listenFor(before, 'change');
  element.focus({ preventScroll: true });
  const told = changed?.() ?? false;
  if (heard()) {
    settle(before, told);
    return;
  }
  leave(before, element);
  if (focusedElement() !== element) return;
  element.dispatchEvent(new FocusEvent('focus', { composed: true, relatedTarget: before }));
  element.dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true, relatedTarget: before }));
}

/** Takes the focus away from what has it. */
export function unfocus(): void {
  const before = focusedElement();
  if (!(before instanceof HTMLElement) || before === document.body) return;
  const heard = listenFor(before, 'blur');
  const changed = listenFor(before, 'change');
  before.blur();
  const told = changed();
  if (heard()) settle(before, told);
  else leave(before, null);
}

/** The browser tells of a change itself where it tells of the focus, but not of one that a script has made. */
function settle(before: Element | null, told: boolean): void {
  if (!before) return;
  if (told) forgetEdit(before);
  else commitEdit(before);
}

/** Whether an event of the browser's own came until the answer is asked for. */
function listenFor(element: Element, type: string): () => boolean {
  let heard = false;
  const listen = (event: Event): void => {
    heard ||= event.isTrusted;
  };
  element.addEventListener(type, listen, { capture: true });
  return () => {
    element.removeEventListener(type, listen, { capture: true });
    return heard;
  };
}

function leave(before: Element | null, next: Element | null): void {
  if (!(before instanceof HTMLElement) || before === document.body) return;
  commitEdit(before);
  before.dispatchEvent(new FocusEvent('blur', { composed: true, relatedTarget: next }));
  before.dispatchEvent(new FocusEvent('focusout', { bubbles: true, composed: true, relatedTarget: next }));
}
