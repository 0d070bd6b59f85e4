import type { Target } from '../../describe.ts';
import { fieldIn, isFillable } from '../act/fill.ts';
import { controlOf } from '../dom.ts';
import { checkStable, checkState } from '../find/actionable.ts';
import { type Found, findOne } from '../find/resolve.ts';

/** Finds the element and waits for a still moment of it. `control`: a label's text stands for the control that it names. */
export async function ready(target: Target, control: boolean): Promise<Found> {
  const found = findOne(target);
  if (control) found.element = (isFillable(found.element) ? null : controlOf(found.element)) ?? found.element;
  checkState(found.element);
  await checkStable(found.element);
  return found;
}

/** The same for what is filled: what holds one field (an editor, an element of the page's own) stands for it, as its label does. */
export async function readyField(target: Target): Promise<Found> {
  const found = await ready(target, true);
  const element = fieldIn(found.element);
  if (element !== found.element) checkState(element);
  return { ...found, element };
}
