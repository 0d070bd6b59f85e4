import type { Key } from '../../keys.ts';
import { fold } from '../text.ts';
import { forgetEdit } from './focus.ts';

/** Keys on controls that hold one of several values. */

function tell(element: HTMLElement): void {
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  forgetEdit(element);
}

/** Steps a number field or a slider. @returns false for a key that does nothing there */
export function stepByKey(field: HTMLInputElement, key: string): boolean {
  if (field.readOnly || field.disabled) return false;
  const range = field.type === 'range';
  const before = field.value;
  const big = Math.max(1, Math.round(steps(field) / 10));
  if (key === 'ArrowUp' || (range && key === 'ArrowRight')) step(field, 1);
  else if (key === 'ArrowDown' || (range && key === 'ArrowLeft')) step(field, -1);
  else if (range && key === 'PageUp') step(field, big);
  else if (range && key === 'PageDown') step(field, -big);
  else if (range && key === 'Home') field.value = field.min || '0';
  else if (range && key === 'End') field.value = field.max || '100';
  else return false;
  if (field.value !== before) tell(field);
  return true;
}

/** How many steps a slider has from end to end. */
function steps(field: HTMLInputElement): number {
  const size = Number(field.step) || 1;
  return (Number(field.max || 100) - Number(field.min || 0)) / size;
}

function step(field: HTMLInputElement, by: number): void {
  try {
    if (by > 0) field.stepUp(by);
    else field.stepDown(-by);
  } catch {
    // `step="any"` has no steps; the browser moves by one then.
    field.value = String(Number(field.value) + by);
  }
}

/** Chooses in a select field by arrows, Home and End, or by the first letter of an option. */
export function byKeyInSelect(field: HTMLSelectElement, { key, text }: Key): void {
  if (field.disabled || field.multiple) return;
  const options = [...field.options].filter((one) => !one.disabled && !one.parentElement?.matches('optgroup:disabled'));
  const at = options.findIndex((one) => one.selected);
  const to = (index: number): void => {
    const option = options[Math.min(Math.max(index, 0), options.length - 1)];
    if (!option || option.selected) return;
    option.selected = true;
    tell(field);
  };
  if (key === 'ArrowDown' || key === 'ArrowRight') to(at + 1);
  else if (key === 'ArrowUp' || key === 'ArrowLeft') to(at - 1);
  else if (key === 'Home' || key === 'PageUp') to(0);
  else if (key === 'End' || key === 'PageDown') to(options.length - 1);
  else if (text !== undefined && key !== ' ' && key !== 'Enter') {
    const starts = (one: HTMLOptionElement): boolean => fold(one.label).startsWith(fold(key));
    const later = options.findIndex((one, index) => index > at && starts(one));
    const index = later >= 0 ? later : options.findIndex(starts);
    if (index >= 0) to(index);
  }
}
