import { elementsIn } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { describe } from '../find/resolve.ts';
import { roleOf } from '../role.ts';
import { isVisible } from '../visibility.ts';
import { type Field, isField, isPicked, isRich, isTextField, isValueField, setValue } from './caret.ts';
import { drawnLines, showsText } from './code-editor.ts';
import { isDial, turnTo } from './dial.ts';
import { byCommand, byKeys, byPaste, type Way } from './fill-ways.ts';
import { focus, forgetEdit } from './focus.ts';
import { richText, sameLines } from './rich-text.ts';

/** What `fill` can fill: text fields, pickers, editable regions, sliders and the like that pages make themselves. */
export function isFillable(element: Element): element is HTMLElement {
  return isValueField(element) || isRich(element) || isDial(element);
}

/** The one field that is meant by something around it, such as an editor or an element of the page's own; itself where there is none. */
export function fieldIn(element: Element): Element {
  if (isFillable(element)) return element;
  const inner = [...elementsIn(element)].filter((one) => (isValueField(one) || isHost(one)) && isVisible(one));
  return inner.length === 1 ? (inner[0] as Element) : element;
}

function isHost(element: Element): boolean {
  return isRich(element) && !element.parentElement?.isContentEditable;
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

/**
 * Replaces the content as a person would, and waits until the page has settled. What does not take the whole at once (a field with a mask, an
 * editor of its own kind) gets it in other ways, key by key in the end.
 * @returns what is there then
 * @throws PageError `element_not_actionable` when it does not read back
 */
export async function fillElement(element: HTMLElement, value: string): Promise<string> {
  focus(element);
  const ways = waysFor(element);
  for (const [index, way] of ways.entries()) {
    await way(element, value);
    await settled();
    // A framework that takes an editor's content over draws it in a frame of its own.
    if (!holds(element, value) && index === ways.length - 1) await settled();
    if (holds(element, value)) {
      if (isField(element)) forgetEdit(element);
      return read(element);
    }
  }
  throw new PageError(
    'element_not_actionable',
    `Give ${describe(element)} a value that it takes: after filling it does not hold what was filled in.`,
    { wait: false, details: { reason: 'value', length: read(element).length, wanted: value.length } },
  );
}

function waysFor(element: HTMLElement): Way[] {
  if (isField(element)) {
    // The field of a code editor holds nothing that could be replaced.
    if (drawnLines(element)) return [byPaste];
    return isTextField(element) ? [fillField, byKeys] : [fillField];
  }
  return isRich(element) ? [byCommand, byPaste, byKeys] : [turnTo];
}

/** Frameworks that control the field put their own value back in the next task or frame. */
async function settled(): Promise<void> {
  await env().frame();
  await env().sleep(0);
}

/** What a field, region or dial holds, as text. */
export function read(element: HTMLElement): string {
  const lines = drawnLines(element);
  if (lines) return lines.join('\n');
  if (isField(element)) return element.value;
  if (!isRich(element)) return element.getAttribute('aria-valuenow') ?? '';
  return richText(element);
}

/** A field may format what it is given (`1234` to `1,234`); letters and digits must be the same, in order. */
function holds(element: HTMLElement, wanted: string): boolean {
  const lines = drawnLines(element);
  if (lines) return showsText(lines, wanted);
  const now = read(element);
  if (now === wanted) return true;
  if (!isField(element)) {
    const dial = element.getAttribute('aria-valuenow');
    if (isNumeric(element) && dial !== null) return dial !== '' && Number(dial) === Number(wanted);
    return sameLines(now, wanted);
  }
  if (element.type === 'number' || element.type === 'range') return Number(now) === Number(wanted) && now !== '';
  if (now.replace(/\r\n?/g, '\n') === wanted.replace(/\r\n?/g, '\n')) return true;
  const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  return (bare(now) !== '' && bare(now) === bare(wanted)) || sameAmount(now, wanted);
}

/** Whether a field shows a number with the zeros that its format wants: `$ 1,234.50` for `1234.5`. Three decimals may be thousands. */
function sameAmount(now: string, wanted: string): boolean {
  const shown = /^\D*?(\d[\d\s.,'’]*)[.,](\d{1,2}|\d{4,})\D*$/.exec(now);
  const meant = /^\D?(\d+)(?:\.(\d+))?$/.exec(wanted);
  if (!shown || !meant || now.includes('-') !== wanted.includes('-')) return false;
  const [whole = '', part = ''] = [shown[1]?.replace(/\D/g, ''), shown[2]];
  return Number(whole) === Number(meant[1]) && part.replace(/0+$/, '') === (meant[2] ?? '').replace(/0+$/, '');
}

function isNumeric(element: HTMLElement): boolean {
  return /^(spinbutton|slider)$/.test(roleOf(element));
}

function fillField(element: HTMLElement, value: string): void {
  const field = element as Field;
  const picked = isPicked(field);
  if (!picked && field.type !== 'email' && field.type !== 'number') field.select();
  key(field, 'keydown');
  const inputType = value === '' ? 'deleteContentBackward' : 'insertText';
  const data = value === '' ? null : value;
  const before = new InputEvent('beforeinput', { bubbles: true, cancelable: true, composed: true, inputType, data });
  // An editor that prevents it does the insertion itself; whether it did shows when the value is read back.
  if (field.dispatchEvent(before)) {
    setValue(field, value);
    field.dispatchEvent(
      picked
        ? new Event('input', { bubbles: true, composed: true })
        : new InputEvent('input', { bubbles: true, composed: true, inputType, data }),
    );
  }
  key(field, 'keyup');
  field.dispatchEvent(new Event('change', { bubbles: true }));
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
