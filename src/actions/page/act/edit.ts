import { env } from '../env.ts';
import {
  type Field,
  isField,
  isRich,
  isTextField,
  moveSelection,
  select,
  selectionOf,
  setValue,
  wordEnd,
  wordStart,
} from './caret.ts';
import { noteEdit } from './focus.ts';

/** Edits of the text at the caret, each with the events that a keyboard's have: beforeinput, the change itself, input. */

export type Edit =
  | 'insertText'
  | 'insertLineBreak'
  | 'insertParagraph'
  | 'deleteContentBackward'
  | 'deleteContentForward'
  | 'deleteWordBackward'
  | 'deleteWordForward'
  | 'deleteByCut'
  | 'insertFromPaste'
  | 'historyUndo'
  | 'historyRedo';

/** What the browser does for each; raises a real `input` event, and a real `beforeinput` where the browser asks so. */
const COMMANDS: Record<Edit, string> = {
  insertText: 'insertText',
  insertLineBreak: 'insertLineBreak',
  insertParagraph: 'insertParagraph',
  deleteContentBackward: 'delete',
  deleteContentForward: 'forwardDelete',
  deleteWordBackward: 'delete',
  deleteWordForward: 'forwardDelete',
  deleteByCut: 'delete',
  insertFromPaste: 'insertText',
  historyUndo: 'undo',
  historyRedo: 'redo',
};

/** Whether text can be typed into an element as it is. */
export function takesText(element: Element): element is HTMLElement {
  if (isTextField(element)) return !element.readOnly && !element.disabled;
  return isRich(element);
}

/**
 * Edits at the caret of the focused element.
 * @returns whether the page said that it does the edit itself
 */
export async function edit(element: HTMLElement, how: Edit, data: string | null = null): Promise<boolean> {
  if (isField(element)) noteEdit(element);
  if (!ask(element, how, data)) return true;
  await promises();
  const context = editContextOf(element);
  if (context) return editInContext(element, context, how, data);
  if (/Word/.test(how)) extendByWord(element, how === 'deleteWordBackward');
  if (isOfClipboard(how) && isField(element) && selectionOf(element)) {
    editByHand(element, how, data);
  } else {
    const came = command(element, how, data);
    if (came === 'prevented') return true;
    if (came === 'refused' && isField(element)) editByHand(element, how, data);
  }
  await env().turn();
  return false;
}

/** Asks the page. @returns false where it said that it does the edit itself */
export function sendBeforeInput(element: HTMLElement, inputType: string, data: string | null): boolean {
  const init: InputEventInit = { bubbles: true, cancelable: true, composed: true, inputType, data };
  const selection = isField(element) ? null : getSelection();
  if (selection && selection.rangeCount > 0) init.targetRanges = [new StaticRange(selection.getRangeAt(0))];
  if (selection && inputType === 'insertFromPaste') {
    init.data = null;
    init.dataTransfer = env().transfer();
    init.dataTransfer.setData('text/plain', data ?? '');
  }
  return element.dispatchEvent(new InputEvent('beforeinput', init));
}

/** The browser takes their commands for typing or deleting, and would tell the page so. */
function isOfClipboard(how: Edit): boolean {
  return how === 'deleteByCut' || how === 'insertFromPaste';
}

/** Whether the browser asks the page as it takes the command of an edit, in the words that the page is to hear. */
function commandAsks(element: HTMLElement, how: Edit): boolean {
  return env().browser.commandAsks && !isOfClipboard(how) && !editContextOf(element);
}

/** Asks the page before an edit, unless the browser will. @returns false where it said that it does the edit itself */
function ask(element: HTMLElement, how: Edit, data: string | null): boolean {
  return commandAsks(element, how) || sendBeforeInput(element, how, data);
}

/** Asks the page, and has the browser edit what is focused, in one go. */
export function editAtOnce(element: HTMLElement, how: Edit, data: string | null): void {
  if (ask(element, how, data)) command(element, how, data);
}

/** What came of a command: the page said that it does the edit itself, the browser did it, or took no such command there. */
type Commanded = 'prevented' | 'done' | 'refused';

/** Has the browser edit what is focused. What was asked of the page before is not asked a second time. */
function command(element: HTMLElement, how: Edit, data: string | null): Commanded {
  const asks = commandAsks(element, how);
  let asked: Event | undefined;
  const done = execute(element, how, data, (event) => {
    if (asks) asked = event;
    else event.stopImmediatePropagation();
  });
  if (asked) return asked.defaultPrevented ? 'prevented' : 'done';
  // Of what it does not take there, the browser asks nothing.
  if (asks && !sendBeforeInput(element, how, data)) return 'prevented';
  return done ? 'done' : 'refused';
}

/**
 * The command itself. What the browser would tell the page in wrong words of the clipboard is told in the right ones.
 * @param heard gets the browser's own `beforeinput` before the page does, if there is one
 */
function execute(element: HTMLElement, how: Edit, data: string | null, heard: (event: Event) => void): boolean {
  const once = (event: Event): void => {
    if (event.isTrusted) heard(event);
  };
  const retell = (event: Event): void => {
    if (!isOfClipboard(how) || !event.isTrusted) return;
    event.stopImmediatePropagation();
    tellInput(element, how, null);
  };
  addEventListener('beforeinput', once, { capture: true });
  addEventListener('input', retell, { capture: true });
  try {
    return document.execCommand(COMMANDS[how], false, data ?? undefined);
  } finally {
    removeEventListener('beforeinput', once, { capture: true });
    removeEventListener('input', retell, { capture: true });
  }
}

function tellInput(element: HTMLElement, inputType: string, data: string | null): void {
  element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType, data }));
}

/** What the page does at once by promises, and no more: an editor that draws in the next frame must find the edit done by then. */
async function promises(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await undefined;
}

function extendByWord(element: HTMLElement, backward: boolean): void {
  if (!isField(element)) {
    const selection = getSelection();
    if (selection?.isCollapsed) moveSelection('extend', backward ? 'backward' : 'forward', 'word');
    return;
  }
  const at = selectionOf(element);
  if (!at || at.start !== at.end) return;
  const { value } = element;
  select(element, at.start, backward ? wordStart(value, at.start) : wordEnd(value, at.start));
}

/** For a browser that does not take the command there. */
function editByHand(field: Field, how: Edit, data: string | null): void {
  const { value } = field;
  let { start, end } = selectionOf(field) ?? { start: value.length, end: value.length };
  const insert = inserted(how, data);
  if (how.startsWith('delete') && start === end) {
    if (how === 'deleteContentBackward') start = Math.max(0, start - 1);
    else end = Math.min(value.length, end + 1);
  }
  if (how.startsWith('history') || (insert === '\n' && field instanceof HTMLInputElement)) return;
  const room = field.maxLength < 0 ? insert : insert.slice(0, field.maxLength - (value.length - (end - start)));
  setValue(field, value.slice(0, start) + room + value.slice(end));
  select(field, start + room.length, start + room.length);
  tellInput(field, how, data);
}

function inserted(how: Edit, data: string | null): string {
  if (how === 'insertText' || how === 'insertFromPaste') return data ?? '';
  return how.startsWith('insert') ? '\n' : '';
}

/** https://w3c.github.io/edit-context: an editor that keeps its text itself, and is told of input instead of having it put into its element. */
interface EditContextLike extends EventTarget {
  readonly text: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
  updateText(start: number, end: number, text: string): void;
  updateSelection(start: number, end: number): void;
}

/** Of an editor that has one. */
export function editContextOf(element: HTMLElement): EditContextLike | null {
  return (element as { editContext?: EditContextLike | null }).editContext ?? null;
}

type TextUpdate = new (type: string, init: Record<string, unknown>) => Event;

async function editInContext(
  element: HTMLElement,
  context: EditContextLike,
  how: Edit,
  data: string | null,
): Promise<boolean> {
  const Update = (globalThis as { TextUpdateEvent?: TextUpdate }).TextUpdateEvent;
  // Of a line's end the page is asked only, and puts it in itself: https://w3c.github.io/edit-context/#update-the-editcontext-object
  if (!Update || how.startsWith('history') || how === 'insertLineBreak' || how === 'insertParagraph') return false;
  let start = Math.min(context.selectionStart, context.selectionEnd);
  let end = Math.max(context.selectionStart, context.selectionEnd);
  if (how.startsWith('delete') && start === end) {
    if (how.endsWith('Backward')) start = Math.max(0, start - 1);
    else end = Math.min(context.text.length, end + 1);
  }
  const text = inserted(how, data);
  const at = start + text.length;
  context.updateText(start, end, text);
  context.updateSelection(at, at);
  const init = { text, updateRangeStart: start, updateRangeEnd: end, selectionStart: at, selectionEnd: at };
  context.dispatchEvent(new Update('textupdate', { ...init, compositionStart: 0, compositionEnd: 0 }));
  tellInput(element, how, data);
  await env().turn();
  return false;
}
