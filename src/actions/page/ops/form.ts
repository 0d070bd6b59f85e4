import type { Target } from '../../describe.ts';
import { checkCheckable, checkedState } from '../act/check.ts';
import { isFillable } from '../act/fill.ts';
import { PageError } from '../env.ts';
import { checkEditable } from '../find/actionable.ts';
import { describe } from '../find/resolve.ts';
import type { PageOpRun } from './define.ts';
import { ready } from './ready.ts';

/**
 * Finds a field of a form, and says how it is set: the request for it and, for a select field, whether it takes several. Changes nothing.
 * `type` is what is to be put in: `text`, `true`, `false` or `list`.
 */
export const field: PageOpRun = async ({ target, type }) => {
  const { element, matched } = await ready(target as Target, true);
  if (element instanceof HTMLSelectElement) {
    if (type === 'true' || type === 'false') throw unfit(element, 'a value or a label');
    if (type === 'list' && !element.multiple) throw unfit(element, 'one value or label, not a list');
    return { value: { op: 'select_option', multiple: element.multiple }, matched };
  }
  if (isFillable(element)) {
    if (type !== 'text') throw unfit(element, 'a text');
    checkEditable(element);
    return { value: { op: 'fill', multiple: false }, matched };
  }
  if (checkedState(element) !== undefined) {
    if (type !== 'true' && type !== 'false') throw unfit(element, 'true or false');
    checkCheckable(element, type === 'true');
    return { value: { op: 'check', multiple: false }, matched };
  }
  throw new PageError('element_not_actionable', `Name a field: ${describe(element)} cannot be filled in.`, {
    details: { reason: 'no field' },
  });
};

function unfit(element: Element, what: string): PageError {
  return new PageError('element_not_actionable', `Give ${describe(element)} ${what}.`, {
    details: { reason: 'value' },
  });
}
