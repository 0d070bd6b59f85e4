import { parseKey } from '../../keys.ts';
import { env, PageError } from '../env.ts';
import { describe } from '../find/resolve.ts';
import { roleOf } from '../role.ts';
import { focus } from './focus.ts';
import { pressChord } from './keyboard.ts';

/** Sliders and spin buttons that a page makes itself: told by ARIA, moved by keys. */

const MOST_STEPS = 1000;

export function isDial(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    !(element instanceof HTMLInputElement) &&
    !element.isContentEditable &&
    /^(slider|spinbutton)$/.test(roleOf(element)) &&
    element.hasAttribute('aria-valuenow')
  );
}

/** @throws PageError `element_not_actionable` for what no dial can be turned to */
export function checkDial(element: HTMLElement, value: string): void {
  if (!isDial(element)) return;
  const wanted = Number(value);
  const bound = (name: string): number | undefined => {
    const text = element.getAttribute(name);
    return text === null || text === '' ? undefined : Number(text);
  };
  const [least, most] = [bound('aria-valuemin'), bound('aria-valuemax')];
  const outside = (least !== undefined && wanted < least) || (most !== undefined && wanted > most);
  if (value.trim() !== '' && Number.isFinite(wanted) && !outside) return;
  const range = least === undefined || most === undefined ? '' : ` from ${least} to ${most}`;
  throw new PageError(
    'element_not_actionable',
    `Give ${describe(element)} a number${range}: it cannot hold "${value}".`,
    { details: { reason: 'value' } },
  );
}

function now(element: HTMLElement): number {
  return Number(element.getAttribute('aria-valuenow'));
}

/** Turns a dial by arrow keys until it shows the value, or does not come nearer. */
export async function turnTo(element: HTMLElement, value: string): Promise<void> {
  const wanted = Number(value);
  focus(element);
  for (let step = 0; step < MOST_STEPS && now(element) !== wanted; step++) {
    const before = now(element);
    const chord = parseKey(before < wanted ? 'ArrowUp' : 'ArrowDown');
    if (chord) await pressChord(chord);
    if (now(element) === before) await env().frame();
    if (now(element) === before) await env().sleep(50);
    if (Math.abs(now(element) - wanted) >= Math.abs(before - wanted)) return;
  }
}
