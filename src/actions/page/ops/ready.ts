import type { Target } from '../../describe.ts';
import { isFillable } from '../act/fill.ts';
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
