import { matches } from '../dom.ts';
import { isSealed } from '../sealed.ts';
import { bare, clip, textOf, tidy } from '../text.ts';
import { isDisabled } from '../visibility.ts';
import type { SnapNode } from './node.ts';

/** The options of a select field. */
export function options(select: HTMLSelectElement): SnapNode[] {
  return [...select.options].map((option) => ({
    role: 'option',
    name: clip(tidy(bare(option.label)), LONGEST),
    states: [...(option.selected ? ['selected'] : []), ...(option.disabled ? ['disabled'] : [])],
    children: [],
  }));
}

/** What a field holds, a secret masked; nothing for what has no value. */
export function shownValue(element: Element, role: string): string | undefined {
  if (element instanceof HTMLInputElement) {
    if (/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(element.type)) return undefined;
    if (element.type === 'file') return bare([...(element.files ?? [])].map(({ name }) => name).join(', '));
    return isSealed(element) ? masked(element.value) : bare(element.value);
  }
  if (element instanceof HTMLTextAreaElement) return isSealed(element) ? masked(element.value) : bare(element.value);
  if (element instanceof HTMLSelectElement)
    return [...element.selectedOptions].map((option) => tidy(bare(option.label))).join(', ');
  if (role === 'textbox' || role === 'searchbox') {
    const text = tidy(bare(textOf(element)));
    return isSealed(element) ? masked(text) : text;
  }
  if (isSealed(element)) return masked(element.textContent ?? '');
  return element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow') ?? undefined;
}

function masked(text: string): string {
  return text === '' ? '' : '••••';
}

const LONGEST = 200;
const TRUE_STATES = [
  'checked',
  'selected',
  'expanded',
  'pressed',
  'current',
  'required',
  'invalid',
  'readonly',
  'busy',
];

/** States as a snapshot tells them: `checked`, `level=2`. */
export function statesOf(element: Element, role: string): string[] {
  const states: string[] = [];
  if (element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type)) {
    if (element.indeterminate) states.push('checked=mixed');
    else if (element.checked) states.push('checked');
  }
  for (const name of TRUE_STATES) {
    const value = element.getAttribute(`aria-${name}`);
    if (value === 'true' || (value && value !== 'false'))
      states.push(value === 'true' ? name : `${name}=${clip(tidy(bare(value)), 40)}`);
    else if (value === 'false' && name === 'expanded') states.push('collapsed');
  }
  if (matches(element, ':required') && !states.includes('required')) states.push('required');
  if ((element as Partial<HTMLInputElement>).readOnly === true && role !== 'checkbox') states.push('readonly');
  if (element.localName === 'summary')
    states.push((element.parentElement as HTMLDetailsElement | null)?.open ? 'expanded' : 'collapsed');
  if (isDisabled(element)) states.push('disabled');
  if (role === 'heading')
    states.push(`level=${element.getAttribute('aria-level') ?? /^h([1-6])$/.exec(element.localName)?.[1] ?? '2'}`);
  return [...new Set(states)];
}
