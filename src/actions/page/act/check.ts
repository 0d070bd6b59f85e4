import { env, PageError } from '../env.ts';
import type { Point } from '../find/actionable.ts';
import { describe } from '../find/resolve.ts';
import { roleOf } from '../role.ts';
import { press } from './events.ts';

const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'option']);

/** Whether a box is checked; `undefined` for what is none. Partly checked counts as not. */
export function checkedState(element: Element): boolean | undefined {
  if (element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio')) {
    return element.checked && !element.indeterminate;
  }
  if (!CHECKABLE.has(roleOf(element)) && !element.hasAttribute('aria-checked')) return undefined;
  return element.getAttribute('aria-checked') === 'true';
}

/** @throws PageError `element_not_actionable` for what is no box, and for a radio button that is to be unchecked. */
export function checkCheckable(element: Element, wanted: boolean): void {
  const state = checkedState(element);
  if (state === undefined) {
    throw new PageError(
      'element_not_actionable',
      `Use click for ${describe(element)}: it is no box, switch or radio button.`,
      {
        details: { reason: 'no box' },
      },
    );
  }
  if (state && !wanted && /radio/.test(roleOf(element))) {
    throw new PageError(
      'element_not_actionable',
      `Check another radio button instead: ${describe(element)} cannot be unchecked.`,
      {
        details: { reason: 'radio' },
      },
    );
  }
}

/** How long a page may take to show a box as it was clicked, milliseconds. */
const SETTLE = 1000;

/**
 * Clicks a box and waits until it is as wanted.
 * @throws PageError `operation_failed` when it stays as it was: a further click could undo one that the page is slow to take.
 */
export async function toggle(element: Element, wanted: boolean, point: Point): Promise<boolean> {
  await press(point, { button: 'left', count: 1, modifiers: [] });
  const end = env().now() + SETTLE;
  await env().frame();
  while (checkedState(element) !== wanted) {
    if (env().now() >= end || !element.isConnected) {
      throw new PageError(
        'operation_failed',
        `Look at ${describe(element)}: after a click it is still ${wanted ? 'not checked' : 'checked'}.`,
        { details: { reason: 'value' } },
      );
    }
    await env().sleep(20);
  }
  return wanted;
}
