import { type Chord, type Key, keyOf, type Modifier, parseKey } from '../../keys.ts';
import { focusedElement } from '../dom.ts';
import { env } from '../env.ts';
import { isRich } from './caret.ts';
import { followsLink, onKeyDown, onKeyUp, typesText } from './key-defaults.ts';

/** Presses of keys, with what a browser does itself on them: an event from a script has no such effect of its own. */

export interface Pressed {
  /** The page said that it has dealt with the key itself. */
  handled: boolean;
}

/** Presses a chord where the focus is: the keys that are held, the key, and all let go again. */
export async function pressChord({ key, modifiers }: Chord): Promise<Pressed> {
  const held: Modifier[] = [];
  for (const modifier of modifiers) {
    held.push(modifier);
    send('keydown', modifierKey(modifier), held);
  }
  try {
    return await pressOne(key, held);
  } finally {
    for (const modifier of [...modifiers].reverse()) {
      held.pop();
      send('keyup', modifierKey(modifier), held);
    }
  }
}

/** Types one character. */
export function typeCharacter(character: string): Promise<Pressed> {
  return pressOne(keyOf(character), []);
}

/** Only asks the page whether it deals with a chord itself, without the browser's part of it. */
export async function offerChord(text: string): Promise<boolean> {
  const chord = parseKey(text) as Chord;
  const handled = !send('keydown', chord.key, chord.modifiers);
  await env().turn();
  send('keyup', chord.key, chord.modifiers);
  return handled;
}

async function pressOne(key: Key, held: Modifier[]): Promise<Pressed> {
  const at = target();
  let handled = !send('keydown', key, held);
  await env().turn();
  if (!handled && key.text !== undefined && typesText(held) && !followsLink(target(), key)) {
    handled = !send('keypress', key, held);
    await env().turn();
  }
  if (!handled) {
    handled = await onKeyDown(target(), { key, modifiers: held }).catch((error: unknown) => {
      send('keyup', key, held);
      throw error;
    });
    await env().turn();
  }
  // Editors keep their own text and draw it in the next frame: until then the caret is in what the browser has made of the key, where no
  // person's next key finds it.
  if (isRich(at)) await drawn();
  const released = target();
  const letGo = send('keyup', key, held);
  if (letGo && !handled) onKeyUp(released, { key, modifiers: held });
  await env().turn();
  return { handled };
}

/** A late frame is waited for once more: letters that go astray are worse than slow ones. */
async function drawn(): Promise<void> {
  if (!(await env().frame()) && document.visibilityState === 'visible') await env().frame();
}

/** Where keys go. */
function target(): Element {
  return focusedElement() ?? document.body;
}

function modifierKey(modifier: Modifier): Key {
  return (parseKey(modifier) as Chord).key;
}

/** @returns false where the page prevented what comes of it */
function send(type: 'keydown' | 'keypress' | 'keyup', key: Key, held: readonly Modifier[]): boolean {
  const charCode = type === 'keypress' ? (key.text?.codePointAt(0) ?? 0) : 0;
  const keyCode = type === 'keypress' ? charCode : key.keyCode;
  return target().dispatchEvent(
    new KeyboardEvent(type, {
      key: key.key,
      code: key.code,
      location: /Left$/.test(key.code) && /^(Control|Shift|Alt|Meta)/.test(key.code) ? 1 : 0,
      keyCode,
      charCode,
      which: keyCode,
      bubbles: true,
      cancelable: true,
      composed: true,
      view: window,
      altKey: held.includes('Alt'),
      ctrlKey: held.includes('Control'),
      metaKey: held.includes('Meta'),
      shiftKey: held.includes('Shift'),
    } as KeyboardEventInit),
  );
}
