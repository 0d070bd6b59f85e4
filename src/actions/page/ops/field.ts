import type { Target } from '../../describe.ts';
import { checkCheckable, checkedState, toggle } from '../act/check.ts';
import { type Choice, chooseIn } from '../act/choose.ts';
import { checkDial } from '../act/dial.ts';
import { checkLength, fillElement, isFillable } from '../act/fill.ts';
import { chooseInAria, isAriaList } from '../act/listbox.ts';
import { checkFormat } from '../act/picker-values.ts';
import { controlOf } from '../dom.ts';
import { PageError } from '../env.ts';
import { checkEditable, checkState, pointOf } from '../find/actionable.ts';
import { describe, type Found, findOne } from '../find/resolve.ts';
import { seal } from '../sealed.ts';
import { isDisabled, isVisible } from '../visibility.ts';
import type { PageOpRun } from './define.ts';
import { ready, readyField } from './ready.ts';

/** Requests that set a field, and look and act in one go. */

export const fill: PageOpRun = async (args, begin) => {
  const { element, matched } = await readyField(args.target as Target);
  if (!isFillable(element)) {
    throw new PageError('element_not_actionable', `Name a field: ${describe(element)} cannot be filled.`, {
      details: { reason: 'no field' },
    });
  }
  checkEditable(element);
  // On their way to a page Chromium drops what is null in objects.
  const value = String(args.value ?? '');
  checkLength(element, value);
  checkFormat(element, value);
  checkDial(element, value);
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  begin();
  seal(element, args.sealed === true);
  return { value: { value: await fillElement(element, value) }, matched };
};

export const selectOption: PageOpRun = async (args, begin) => {
  const { element, matched } = await ready(args.target as Target, true);
  const choice = args as Choice;
  const choose = isAriaList(element) ? chooseInAria(element, choice, begin) : chooseIn(element, choice, begin);
  const values = await choose;
  return { value: { values }, matched };
};

export const check: PageOpRun = async (args, begin) => {
  const wanted = args.checked !== false;
  const { element, matched } = await readyBox(args.target as Target);
  const box = controlOf(element) ?? element;
  checkCheckable(box, wanted);
  if (checkedState(box) === wanted) return { value: { checked: wanted }, matched };
  const point = pointOf(element);
  begin();
  return { value: { checked: await toggle(box, wanted, point) }, matched };
};

/** A page may hide a box and draw its own: then the label, which is what a person clicks, is waited for and clicked instead. */
async function readyBox(target: Target): Promise<Found> {
  const found = findOne(target);
  const box = controlOf(found.element);
  if (box && box !== found.element && !isVisible(box)) {
    if (isDisabled(box)) checkState(box);
    return ready(target, false);
  }
  return ready(target, true);
}
