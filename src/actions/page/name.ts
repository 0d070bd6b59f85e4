import { accessibleName, referredBy } from './accname.ts';
import { tidy } from './text.ts';

/**
 * Accessible name (accname 1.2), white space collapsed.
 * @param skip parts of the content that do not count
 */
export function nameOf(element: Element, skip?: (part: Element | Text) => boolean): string {
  return tidy(accessibleName(element, skip));
}

/** What labels an element by text that is shown or told: label elements, `aria-labelledby`, `aria-label`. No placeholder, no content. */
export function labelsOf(element: Element): string[] {
  const texts: string[] = [];
  // One that is not in the page any more sits under no root that looks for ids.
  const by = referredBy(element, 'aria-labelledby').map((part) => part.textContent ?? '');
  texts.push(by.join(' '));
  const own = element.getAttribute('aria-label');
  if (own) texts.push(own);
  const labels = (element as Partial<HTMLInputElement>).labels;
  for (const label of labels ?? []) texts.push(labelText(label, element));
  return texts.map(tidy).filter((text) => text !== '');
}

/** Text of a label without that of the control inside it (a select's options are no part of its label). */
function labelText(label: Element, control: Element): string {
  let text = '';
  for (const child of label.childNodes) {
    if (child === control) continue;
    text += child instanceof Element && child.contains(control) ? labelText(child, control) : (child.textContent ?? '');
  }
  return text;
}
