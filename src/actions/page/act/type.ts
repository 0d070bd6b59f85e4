import { charactersOf } from '../../keys.ts';
import { focusedElement } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { describe } from '../find/resolve.ts';
import { seal } from '../sealed.ts';
import { caretToEnd, isField, isRich, selectionOf } from './caret.ts';
import { drawnLines } from './code-editor.ts';
import { takesText } from './edit.ts';
import { read } from './fill.ts';
import { focus, isFocusable } from './focus.ts';
import { offerChord, typeCharacter } from './keyboard.ts';

/** @throws PageError `element_not_actionable` for what takes no keys, or not as many */
export function checkTypable(element: Element, text: string): asserts element is HTMLElement {
  if (!(element instanceof HTMLElement) || !(takesText(element) || isFocusable(element))) {
    throw new PageError('element_not_actionable', `Name a field: ${describe(element)} takes no keys.`, {
      details: { reason: 'no field' },
    });
  }
  if (!isField(element) || element.maxLength < 0) return;
  const at = focusedElement() === element ? selectionOf(element) : undefined;
  const room = element.maxLength - element.value.length + (at ? at.end - at.start : 0);
  if (text.length <= room) return;
  throw new PageError(
    'element_not_actionable',
    `Type a shorter text: there is room for ${room} more characters in ${describe(element)}.`,
    { details: { reason: 'value', most: room, wanted: text.length } },
  );
}

/**
 * Types a text key by key: at the caret of what has the focus, else behind all that is there. Where the page moves the focus on meanwhile
 * (the boxes of a code), the rest goes there, as with a keyboard.
 * @param secret whether each field that takes a part of it is to be sealed
 * @returns what the field holds then; null for what is none
 * @throws PageError `element_not_actionable` when the field has taken nothing of it
 */
export async function typeText(element: HTMLElement, text: string, secret = false): Promise<string | null> {
  await focusAtEnd(element);
  const before = holdsText(element) ? read(element) : null;
  let handled = false;
  for (const character of charactersOf(text)) {
    const at = secret ? focusedElement() : null;
    if (at && takesText(at)) seal(at, true);
    const pressed = await typeCharacter(character);
    handled ||= pressed.handled;
  }
  await env().frame();
  await env().turn();
  if (before === null || !element.isConnected) return null;
  const now = read(element);
  const untouched = now === before && !handled && focusedElement() === element;
  if (untouched && /\S/.test(text)) {
    throw new PageError(
      'element_not_actionable',
      `Type what ${describe(element)} takes: after typing it holds what it held before.`,
      { details: { reason: 'value', wanted: text.length } },
    );
  }
  return now;
}

function holdsText(element: HTMLElement): boolean {
  return takesText(element) || drawnLines(element) !== undefined;
}

async function focusAtEnd(element: HTMLElement): Promise<void> {
  const focused = focusedElement();
  if (focused === element || (focused && isRich(element) && element.contains(focused))) return;
  focus(element);
  if (!takesText(element)) return;
  // An editor that draws a part of its text only goes to the end itself.
  const own = drawnLines(element) !== undefined && (await offerChord('Control+End'));
  if (!own) caretToEnd(element);
  await env().frame();
  await env().turn();
}
