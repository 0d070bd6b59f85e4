import type { Target } from '../../describe.ts';
import { dragOnto, dragPoint } from '../act/drag.ts';
import { checkState } from '../find/actionable.ts';
import { describe, findOne } from '../find/resolve.ts';
import type { PageOpRun } from './define.ts';
import { ready } from './ready.ts';

/** `target` is what is dragged, `to` where, both of this frame. */
export const locateDrag: PageOpRun = async ({ target, to }) => {
  const { element, matched } = await ready(target as Target, false);
  const end = await ready(to as Target, false);
  dragPoint(element, end.element);
  return { value: { what: describe(element) }, matched };
};

export const drag: PageOpRun = async ({ target, to }, begin) => {
  const { element, matched } = findOne(target as Target);
  const end = findOne(to as Target).element;
  checkState(element);
  checkState(end);
  const point = dragPoint(element, end);
  begin();
  await dragOnto(element, point, end);
  return { value: null, matched };
};
