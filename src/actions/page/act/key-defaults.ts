import type { Chord, Key, Modifier } from '../../keys.ts';
import { editingHost, isField, isPicked, isRich, isTextField, selectAll } from './caret.ts';
import { moveCaret } from './caret-moves.ts';
import { copy, paste } from './clipboard.ts';
import { closeTopmost } from './closing.ts';
import { edit, sendBeforeInput, takesText } from './edit.ts';
import { pressedLast } from './events.ts';
import { focus } from './focus.ts';
import { scrollByKey } from './scroll.ts';
import { byKeyInSelect, stepByKey } from './stepping.ts';
import { submitFrom } from './submit.ts';
import { moveFocus, radioGroup } from './tab-order.ts';

/** What a browser does on a key that the page has not prevented. Follows Chromium on Linux and Windows; Command counts as Control does. */

/** Whether a key types its character with these held. */
export function typesText(held: readonly Modifier[]): boolean {
  return !held.includes('Control') && !held.includes('Meta') && !held.includes('Alt');
}

function isCommand(held: readonly Modifier[]): boolean {
  return held.includes('Control') || held.includes('Meta');
}

/** A link is followed when the key goes down, before there is a character. */
export function followsLink(at: Element, key: Key): boolean {
  return key.key === 'Enter' && at.matches('a[href], area[href]');
}

/**
 * The effect of a key going down.
 * @returns whether the page said at a later event (beforeinput) that it deals with it itself
 */
export async function onKeyDown(at: Element, chord: Chord): Promise<boolean> {
  const { key, modifiers } = chord;
  if (modifiers.includes('Alt')) return false;
  if (key.key === 'Tab') {
    if (!isCommand(modifiers)) moveFocus(modifiers.includes('Shift'), pressedLast());
    return false;
  }
  if (key.key === 'Escape') {
    await closeTopmost(at);
    return false;
  }
  if (isCommand(modifiers) && key.text !== undefined && key.key !== 'Enter') return shortcut(at, chord);
  if (takesText(at)) return inText(at, chord);
  return onControl(at, chord);
}

async function shortcut(at: Element, { key, modifiers }: Chord): Promise<boolean> {
  const undoable = takesText(at);
  switch (key.key.toLowerCase()) {
    case 'a':
      if (at instanceof HTMLElement && (isTextField(at) || isRich(at))) selectAll(isRich(at) ? editingHost(at) : at);
      else if (document.body) selectAll(document.body);
      return false;
    case 'z':
      return undoable ? edit(at, modifiers.includes('Shift') ? 'historyRedo' : 'historyUndo') : false;
    case 'y':
      return undoable ? edit(at, 'historyRedo') : false;
    case 'c':
    case 'x':
      return copy(at, key.key.toLowerCase() === 'x' ? 'cut' : 'copy');
    case 'v':
      return paste(at);
    default:
      return false;
  }
}

async function inText(at: HTMLElement, { key, modifiers }: Chord): Promise<boolean> {
  const words = isCommand(modifiers);
  switch (key.key) {
    case 'Enter':
      if (at instanceof HTMLInputElement) {
        if (!sendBeforeInput(at, 'insertLineBreak', null)) return true;
        submitFrom(at);
        return false;
      }
      if (isCommand(modifiers)) return false;
      return edit(at, isField(at) || modifiers.includes('Shift') ? 'insertLineBreak' : 'insertParagraph');
    case 'Backspace':
      return edit(at, words ? 'deleteWordBackward' : 'deleteContentBackward');
    case 'Delete':
      return edit(at, words ? 'deleteWordForward' : 'deleteContentForward');
    default:
      if (key.text !== undefined) return edit(at, 'insertText', key.text);
      if (at instanceof HTMLInputElement && at.type === 'number' && stepByKey(at, key.key)) return false;
      moveCaret(at, key.key, { extend: modifiers.includes('Shift'), words });
      return false;
  }
}

function onControl(at: Element, { key, modifiers }: Chord): boolean {
  if (key.key === 'Enter') {
    if (at.matches('button, a[href], area[href], summary, input[type="submit"], input[type="button"]')) clickBy(at);
    else if (at.matches('input[type="reset"], input[type="image"], input[type="file"], input[type="color"]'))
      clickBy(at);
    else if (at instanceof HTMLInputElement) submitFrom(at);
    return false;
  }
  if (at instanceof HTMLSelectElement) {
    byKeyInSelect(at, key);
    return false;
  }
  if (at instanceof HTMLInputElement && at.type === 'radio') {
    if (key.key.startsWith('Arrow')) moveInGroup(at, key.key === 'ArrowUp' || key.key === 'ArrowLeft' ? -1 : 1);
    return false;
  }
  if (at instanceof HTMLInputElement && at.type === 'range' && stepByKey(at, key.key)) return false;
  // A button takes Space when it is let go; pickers and text that cannot be changed take no key that scrolls.
  if (isPicked(at) || (key.key === ' ' && isPressable(at))) return false;
  if (isTextField(at)) moveCaret(at, key.key, { extend: modifiers.includes('Shift'), words: isCommand(modifiers) });
  else scrollByKey(at, key.key, modifiers.includes('Shift'));
  return false;
}

/** The effect of a key being let go: Space presses what it is on. */
export function onKeyUp(at: Element, { key, modifiers }: Chord): void {
  if (key.key === ' ' && typesText(modifiers) && isPressable(at)) clickBy(at);
}

function isPressable(at: Element): boolean {
  return at.matches(
    'button, summary, input:is([type="button"], [type="submit"], [type="reset"], [type="image"], [type="file"], [type="color"], ' +
      '[type="checkbox"], [type="radio"])',
  );
}

function clickBy(at: Element): void {
  if (at instanceof HTMLElement) at.click();
}

/** The next radio button of a group, round its ends, is focused and chosen. */
function moveInGroup(from: HTMLInputElement, by: 1 | -1): void {
  const group = radioGroup(from);
  const next = group[(group.indexOf(from) + by + group.length) % group.length];
  if (!next || next === from) return;
  focus(next);
  next.click();
}
