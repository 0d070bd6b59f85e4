import type { Target } from '../../describe.ts';
import { type Chord, parseKey } from '../../keys.ts';
import { isRich } from '../act/caret.ts';
import { fieldIn } from '../act/fill.ts';
import { focus, isFocusable } from '../act/focus.ts';
import { pressChord } from '../act/keyboard.ts';
import { checkTypable, typeText } from '../act/type.ts';
import { flatParent, focusedElement } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { checkEditable, checkState } from '../find/actionable.ts';
import { describe, type Found, findOne } from '../find/resolve.ts';
import { refOf } from '../refs.ts';
import { seal } from '../sealed.ts';
import type { PageOpRun } from './define.ts';
import { ready, readyField } from './ready.ts';

export const locateType: PageOpRun = async ({ target, text }) => {
  const { element, matched } = await readyField(target as Target);
  checkEditable(element);
  checkTypable(element, String(text));
  return { value: { what: describe(element) }, matched };
};

export const type: PageOpRun = async (args, begin) => {
  const { element, matched } = field(findOne(args.target as Target));
  checkState(element);
  checkEditable(element);
  checkTypable(element, String(args.text));
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  begin();
  if (args.sealed === true) seal(element, true);
  return { value: { value: await typeText(element, String(args.text), args.sealed === true) }, matched };
};

function field({ element, matched }: Found): Found {
  return { element: fieldIn(element), matched };
}

/**
 * Without a target, or with `focused` in a frame that holds the focus, keys go where the focus is. `inner` is the frame in which that is,
 * where it is none of this document.
 */
export const locateKey: PageOpRun = async (args) => {
  if (args.target === undefined || args.focused === true) {
    const at = focusedElement();
    const inner = at instanceof HTMLIFrameElement || at instanceof HTMLFrameElement ? refOf(at) : null;
    return { value: { what: at ? describe(at) : 'the page', inner } };
  }
  const { element, matched } = await ready(args.target as Target, false);
  focusableFor(element);
  return { value: { what: describe(element), inner: null }, matched };
};

export const pressKey: PageOpRun = async (args, begin) => {
  const chord = parseKey(String(args.key));
  if (!chord) throw new PageError('input_invalid', `Name another key: there is no "${String(args.key)}".`);
  if (args.target === undefined || args.focused === true) {
    begin();
    return done(chord);
  }
  const { element, matched } = findOne(args.target as Target);
  checkState(element);
  const at = focusableFor(element);
  at.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  begin();
  focus(at);
  await env().turn();
  return { ...(await done(chord)), matched };
};

async function done(chord: Chord): Promise<{ value: null }> {
  await pressChord(chord);
  return { value: null };
}

/** What takes the keys of an element: itself, the field in it, or what it sits in. */
function focusableFor(element: Element): HTMLElement {
  const inner = fieldIn(element);
  if (inner instanceof HTMLElement && (isRich(inner) || isFocusable(inner))) return inner;
  for (let node: Element | null = element; node; node = flatParent(node)) if (isFocusable(node)) return node;
  throw new PageError('element_not_actionable', `Name what can have the focus: ${describe(element)} takes no keys.`, {
    details: { reason: 'no focus' },
  });
}
