import { flatParent } from '../dom.ts';
import { env } from '../env.ts';

/** Where the caret is, and what is selected, in fields and editable regions. */

export type Field = HTMLInputElement | HTMLTextAreaElement;

const NOT_TEXT = new Set(['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit']);
/** Fields with a picker: a person sets them in one go, there is no text to insert. */
const PICKED = new Set(['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week']);

export function isField(element: Element): element is Field {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

/** A field with one value: text, or a picker's. */
export function isValueField(element: Element): element is Field {
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !NOT_TEXT.has(element.type));
}

/** A field that is set in one go. */
export function isPicked(element: Element): boolean {
  return element instanceof HTMLInputElement && PICKED.has(element.type);
}

/** A field that text can be typed into. */
export function isTextField(element: Element): element is Field {
  return isValueField(element) && !isPicked(element);
}

/** An editable region, or a part of one; also an editor that is told of input (https://w3c.github.io/edit-context). */
export function isRich(element: Element): boolean {
  return (
    element instanceof HTMLElement &&
    (element.isContentEditable || Boolean((element as { editContext?: EventTarget | null }).editContext))
  );
}

/** The outermost element of the editable region that an element is in. */
export function editingHost(element: HTMLElement): HTMLElement {
  let host = element;
  for (let node = element.parentElement; node?.isContentEditable; node = node.parentElement) host = node;
  return host;
}

/** Where the caret of a field is; undefined for the kinds that do not tell (number, email). */
export function selectionOf(field: Field): { start: number; end: number } | undefined {
  const { selectionStart, selectionEnd } = field;
  return selectionStart === null || selectionEnd === null ? undefined : { start: selectionStart, end: selectionEnd };
}

/** Selects a part of a field's text; `focus` is the end that moves on. */
export function select(field: Field, anchor: number, focus: number): void {
  if (field.selectionStart === null) return;
  const backward = focus < anchor;
  field.setSelectionRange(Math.min(anchor, focus), Math.max(anchor, focus), backward ? 'backward' : 'forward');
}

/** The prototype's setter: a framework may have put its own on the element to learn of scripted changes, and would take this for one. */
export function setValue(element: Field, value: string): void {
  const proto = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const set = Object.getOwnPropertyDescriptor(proto, 'value')?.set;
  if (set) set.call(element, value);
  else element.value = value;
}

/** Puts the caret behind all that a field or region holds. */
export function caretToEnd(element: HTMLElement): void {
  if (isField(element)) {
    if (element.selectionStart === null) {
      // These do not tell where their caret is, and take it to the end of a selection all the same.
      if (env().browser.selectionMovesInFields) {
        element.select();
        moveSelection('move', 'forward', 'character');
      } else {
        // The caret is behind a value that a script has set, if it is another one than before.
        const { value } = element;
        setValue(element, '');
        setValue(element, value);
      }
    } else select(element, element.value.length, element.value.length);
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  range.collapse(false);
  setRange(range);
}

/** Selects all of a field or region. */
export function selectAll(element: HTMLElement): void {
  if (isField(element)) {
    element.select();
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  setRange(range);
}

function setRange(range: Range): void {
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

interface Caret {
  node: Node;
  offset: number;
}

/** The place in the text at a point of the viewport. */
function caretAt(x: number, y: number): Caret | undefined {
  const found = document.caretPositionFromPoint(x, y);
  return found ? { node: found.offsetNode, offset: found.offset } : undefined;
}

/**
 * Puts the caret where a press on an element would: at the point, with the second press around the word there, with the third around the
 * line. Nothing where text cannot be selected.
 */
export function placeCaret(pressed: Element, x: number, y: number, count: number): void {
  const field = fieldAround(pressed);
  const caret = caretAt(x, y);
  if (field) {
    placeInField(field, caret?.node === field ? caret.offset : field.value.length, count);
    return;
  }
  if (!caret || getComputedStyle(pressed).userSelect === 'none' || pressed.closest('button, select, summary')) return;
  const selection = getSelection();
  if (!selection || !selectable(caret.node, pressed)) return;
  selection.collapse(caret.node, caret.offset);
  if (count < 2) return;
  const [from, to] = count === 2 ? ['word', 'word'] : ['paragraphboundary', 'paragraphboundary'];
  moveSelection('move', 'backward', from as string);
  moveSelection('extend', 'forward', to as string);
}

/** Moves the caret or one end of what is selected; nothing where the browser does not know the unit, as Firefox for paragraphs. */
export function moveSelection(how: 'move' | 'extend', direction: string, unit: string): void {
  try {
    getSelection()?.modify(how, direction, unit);
  } catch {
    // Stays where it is.
  }
}

/** Extends what is selected to a point, as a press that is held and moved there. */
export function selectTo(from: { x: number; y: number }, to: { x: number; y: number }): void {
  const [start, end] = [caretAt(from.x, from.y), caretAt(to.x, to.y)];
  if (start && end && !(start.node instanceof HTMLInputElement) && !(end.node instanceof HTMLInputElement))
    getSelection()?.setBaseAndExtent(start.node, start.offset, end.node, end.offset);
}

function fieldAround(element: Element): Field | undefined {
  for (let node: Element | null = element; node; node = flatParent(node)) if (isTextField(node)) return node;
  return undefined;
}

/** Only what was pressed, not the nearest text somewhere else. */
function selectable(node: Node, pressed: Element): boolean {
  return pressed.contains(node) || node.contains(pressed);
}

function placeInField(field: Field, offset: number, count: number): void {
  const { value } = field;
  if (count === 1) select(field, offset, offset);
  else if (count === 2) select(field, wordStart(value, offset, true), wordEnd(value, offset, true));
  else {
    const end = value.indexOf('\n', offset);
    select(field, value.lastIndexOf('\n', offset - 1) + 1, end === -1 ? value.length : end);
  }
}

const WORD = /[\p{L}\p{N}_]/u;

/** Where the word before an offset begins; with `here` the one around it. */
export function wordStart(text: string, offset: number, here = false): number {
  let at = offset;
  if (!here) while (at > 0 && !WORD.test(text[at - 1] as string)) at -= 1;
  while (at > 0 && WORD.test(text[at - 1] as string)) at -= 1;
  return at;
}

/** Where the word after an offset ends; with `here` the one around it. */
export function wordEnd(text: string, offset: number, here = false): number {
  let at = offset;
  if (!here) while (at < text.length && !WORD.test(text[at] as string)) at += 1;
  while (at < text.length && WORD.test(text[at] as string)) at += 1;
  return at;
}
