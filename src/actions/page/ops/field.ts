import type { Target } from '../../describe.ts';
import { checkCheckable, checkedState, toggle } from '../act/check.ts';
import { type Choice, chooseIn } from '../act/choose.ts';
import { checkLength, fillElement, isFillable } from '../act/fill.ts';
import { PageError } from '../env.ts';
import { checkEditable, pointOf } from '../find/actionable.ts';
import { describe } from '../find/resolve.ts';
import { seal } from '../sealed.ts';
import type { PageOpRun } from './define.ts';
import { ready } from './ready.ts';

/** Requests that set a field, and look and act in one go. */

export const fill: PageOpRun = async (args, begin) => {
  const { element, matched } = await ready(args.target as Target, true);
  if (!isFillable(element)) {
    throw new PageError('element_not_actionable', `Name a field: ${describe(element)} cannot be filled.`, {
      details: { reason: 'no field' },
    });
  }
  checkEditable(element);
  // On their way to a page Chromium drops what is null in objects.
  const value = String(args.value ?? '');
  checkLength(element, value);
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  begin();
  seal(element, args.sealed === true);
  return { value: { value: await fillElement(element, value) }, matched };
};

export const selectOption: PageOpRun = async (args, begin) => {
  const { element, matched } = await ready(args.target as Target, true);
  return { value: { values: chooseIn(element, args as Choice, begin) }, matched };
};

export const check: PageOpRun = async (args, begin) => {
  const wanted = args.checked !== false;
  const { element, matched } = await ready(args.target as Target, true);
  checkCheckable(element, wanted);
  if (checkedState(element) === wanted) return { value: { checked: wanted }, matched };
  const point = pointOf(element);
  begin();
  return { value: { checked: await toggle(element, wanted, point) }, matched };
};
