import { env, PageError } from '../env.ts';
import { describe } from '../find/resolve.ts';
import { fold, tidy } from '../text.ts';
import { focus } from './focus.ts';

export interface Choice {
  value?: string;
  label?: string;
  values?: string[];
}

/**
 * Chooses options of a select field, tells the page as a person's choice would, and waits until the page has settled.
 * @param begin called right before the field is changed
 * @returns values of the options that are chosen now.
 * @throws PageError `element_not_found` (worth waiting for) when there is no such option, `operation_failed` when the page has taken the
 *   choice back, `element_not_actionable` otherwise.
 */
export async function chooseIn(element: Element, choice: Choice, begin: () => void): Promise<string[]> {
  if (!(element instanceof HTMLSelectElement)) {
    throw new PageError(
      'element_not_actionable',
      `Use click to choose in ${describe(element)}: it is no select field.`,
      {
        details: { reason: 'no select field' },
      },
    );
  }
  const wanted = (choice.values ?? [choice.value ?? choice.label ?? '']).map((text) =>
    optionFor(element, text, choice),
  );
  if (wanted.length > 1 && !element.multiple) {
    throw new PageError('element_not_actionable', `Choose one option only: ${describe(element)} takes no more.`, {
      details: { reason: 'not multiple' },
    });
  }
  begin();
  focus(element);
  const before = chosen(element).join('\n');
  for (const option of element.options) option.selected = wanted.includes(option);
  const values = chosen(element);
  if (values.join('\n') === before) return values;
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  await env().frame();
  await env().sleep(0);
  // One that a framework has drawn anew, or that the page has left behind, says nothing.
  if (!element.isConnected || chosen(element).join('\n') === values.join('\n')) return values;
  // The page has heard the choice and may have acted on it: tried again, it would hear it again.
  throw new PageError(
    'operation_failed',
    `Look at ${describe(element)}: after the choice it does not hold what was chosen.`,
    { details: { reason: 'value' } },
  );
}

/** Values of the options chosen now. */
export function chosen(element: HTMLSelectElement): string[] {
  return [...element.selectedOptions].map((option) => option.value);
}

function optionFor(element: HTMLSelectElement, text: string, choice: Choice): HTMLOptionElement {
  const options = [...element.options];
  const byValue = choice.label === undefined ? options.find((option) => option.value === text) : undefined;
  const byLabel = (same: (label: string) => boolean): HTMLOptionElement | undefined =>
    choice.value === undefined ? options.find((option) => same(option.label)) : undefined;
  const option =
    byValue ?? byLabel((label) => tidy(label) === tidy(text)) ?? byLabel((label) => fold(label) === fold(text));
  if (!option) {
    const there = options.slice(0, 20).map(({ label, value }) => (label === value ? label : `${label} (${value})`));
    throw new PageError(
      'element_not_found',
      `Choose another option: ${describe(element)} has no "${text}" (it has ${there.join(', ')}).`,
      {
        wait: true,
        details: { options: there },
      },
    );
  }
  if (option.disabled || option.parentElement?.matches('optgroup:disabled')) {
    throw new PageError('element_not_actionable', `Choose another option: "${text}" is disabled.`, {
      wait: true,
      details: { reason: 'disabled' },
    });
  }
  return option;
}
