import { env, PageError } from '../env.ts';
import { describe } from '../find/resolve.ts';
import { fold } from '../text.ts';
import { focus } from './events.ts';

type Field = HTMLInputElement | HTMLTextAreaElement;

const NOT_TEXT = new Set(['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit']);
/** Fields with a picker: a person sets them in one go, there is no text to insert. */
const PICKED = new Set(['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week']);

/** What `fill` can fill: text fields, pickers, editable regions. */
export function isFillable(element: Element): element is HTMLElement {
  if (element instanceof HTMLInputElement) return !NOT_TEXT.has(element.type);
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLElement && element.isContentEditable);
}

/** @throws PageError `element_not_actionable` when a person could not type that much: scripts are not held to `maxlength`. */
export function checkLength(element: HTMLElement, value: string): void {
  if (!isField(element) || element.maxLength < 0 || value.length <= element.maxLength) return;
  throw new PageError(
    'element_not_actionable',
    `Give ${describe(element)} a shorter value: it takes ${element.maxLength} characters.`,
    {
      details: { reason: 'value', most: element.maxLength, wanted: value.length },
    },
  );
}

/** Replaces the content as a person's paste would: focus, select all, insert, change. Waits until the page has settled. */
export async function fillElement(element: HTMLElement, value: string): Promise<string> {
  focus(element);
  if (isField(element)) fillField(element, value);
  else fillEditable(element, value);
  // Frameworks that control the field put their own value back in the next task or frame.
  await env().frame();
  await env().sleep(0);
  const now = read(element);
  if (reads(now, value, element)) return now;
  throw new PageError(
    'element_not_actionable',
    `Give ${describe(element)} a value that it takes: after filling it does not hold what was filled in.`,
    { wait: false, details: { reason: 'value', length: now.length, wanted: value.length } },
  );
}

function isField(element: Element): element is Field {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

function read(element: HTMLElement): string {
  // biome-ignore lint/performance/useDomNodeTextContent: line breaks count, and only layout knows them
  return isField(element) ? element.value : element.innerText.replace(/\n$/, '');
}

/** A field may format what it is given (`1234` to `1,234`); letters and digits must be the same, in order. */
function reads(now: string, wanted: string, element: HTMLElement): boolean {
  if (now === wanted) return true;
  if (element instanceof HTMLInputElement && (element.type === 'number' || element.type === 'range'))
    return Number(now) === Number(wanted) && now !== '';
  if (!isField(element)) return squash(now) === squash(wanted);
  if (now.replace(/\r\n?/g, '\n') === wanted.replace(/\r\n?/g, '\n')) return true;
  const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  return bare(now) !== '' && bare(now) === bare(wanted);
}

function squash(text: string): string {
  return fold(text).replace(/\s/g, '');
}

function fillField(element: Field, value: string): void {
  const picked = PICKED.has(element.type);
  if (!picked && element.type !== 'email' && element.type !== 'number') element.select();
  key(element, 'keydown');
  const inputType = value === '' ? 'deleteContentBackward' : 'insertText';
  const data = value === '' ? null : value;
  const before = new InputEvent('beforeinput', { bubbles: true, cancelable: true, composed: true, inputType, data });
  // An editor that prevents it does the insertion itself; whether it did shows when the value is read back.
  if (element.dispatchEvent(before)) {
    setValue(element, value);
    element.dispatchEvent(
      picked
        ? new Event('input', { bubbles: true, composed: true })
        : new InputEvent('input', { bubbles: true, composed: true, inputType, data }),
    );
  }
  key(element, 'keyup');
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

/** The prototype's setter: a framework may have put its own on the element to learn of scripted changes, and would take this for one. */
function setValue(element: Field, value: string): void {
  const proto = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const set = Object.getOwnPropertyDescriptor(proto, 'value')?.set;
  if (set) set.call(element, value);
  else element.value = value;
}

/** A key that says nothing of itself, as on-screen keyboards send: older frameworks look at the field on `keyup` only. */
function key(element: Element, type: 'keydown' | 'keyup'): void {
  element.dispatchEvent(
    new KeyboardEvent(type, {
      key: 'Unidentified',
      keyCode: 229,
      which: 229,
      bubbles: true,
      cancelable: true,
      composed: true,
    } as KeyboardEventInit),
  );
}

function fillEditable(element: HTMLElement, value: string): void {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  key(element, 'keydown');
  // Deprecated, and the only way that rich editors take for typing: it raises real beforeinput and input events.
  const done = value === '' ? document.execCommand('delete') : document.execCommand('insertText', false, value);
  if (!done && squash(read(element)) !== squash(value)) insertByHand(element, value);
  key(element, 'keyup');
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

function insertByHand(element: HTMLElement, value: string): void {
  const init: InputEventInit = {
    bubbles: true,
    cancelable: true,
    composed: true,
    inputType: 'insertText',
    data: value,
  };
  if (!element.dispatchEvent(new InputEvent('beforeinput', init))) return;
  element.textContent = value;
  element.dispatchEvent(new InputEvent('input', { ...init, cancelable: false }));
}
