import { charactersOf } from '../../keys.ts';
import { env } from '../env.ts';
import { roleOf } from '../role.ts';
import { editingHost, isField, isRich, selectAll } from './caret.ts';
import { edit, editAtOnce, editContextOf } from './edit.ts';
import { focus } from './focus.ts';
import { offerChord, typeCharacter } from './keyboard.ts';

/** Ways to put a text into an editor, or a field with a will of its own, in place of all that it holds. */

export type Way = (element: HTMLElement, value: string) => Promise<void> | void;

/** Selects all there is. An editor that draws a part of its text only does it itself. */
async function selectEverything(element: HTMLElement): Promise<void> {
  focus(element);
  const held = /mac/i.test(navigator.platform) ? 'Meta' : 'Control';
  // A date made of several parts takes the shortcut for all of them.
  const part = roleOf(element) === 'spinbutton';
  if (part || !(await offerChord(`${held}+a`))) selectAll(part || isField(element) ? element : editingHost(element));
  // Editors hear of the selection by an event, which comes with a task of its own.
  await env().frame();
  await env().turn();
}

/** Deprecated, and the way that most editors take for typing: it changes the text as a keyboard would. */
export const byCommand: Way = async (element, value) => {
  await selectEverything(element);
  if (value === '') {
    editAtOnce(element, 'deleteContentBackward', null);
  } else if (editContextOf(element)) {
    await edit(element, 'insertText', value);
  } else {
    editAtOnce(element, 'insertText', value);
  }
  element.dispatchEvent(new Event('change', { bubbles: true }));
};

/** As from the clipboard, which editors read themselves. */
export const byPaste: Way = async (element, value) => {
  await selectEverything(element);
  if (value === '') {
    await offerChord('Backspace');
    return;
  }
  element.dispatchEvent(env().clipboardEvent('paste', new Map([['text/plain', value]])));
  await env().turn();
};

/** Selects all, deletes it, and types the value key by key: for what looks at each key. */
export const byKeys: Way = async (element, value) => {
  if (isRich(element)) await selectEverything(element);
  else {
    focus(element);
    selectAll(element);
    await env().turn();
  }
  await edit(element, 'deleteContentBackward');
  if (isRich(element)) await env().frame();
  for (const character of charactersOf(value)) {
    // Enter in a field of one line would send its form.
    if (character === '\n' && element instanceof HTMLInputElement) continue;
    await typeCharacter(character);
  }
  element.dispatchEvent(new Event('change', { bubbles: true }));
};
