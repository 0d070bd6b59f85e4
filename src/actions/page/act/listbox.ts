import { parseKey } from '../../keys.ts';
import { elementsIn, flatChildren, flatParent } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { pointOf } from '../find/actionable.ts';
import { describe } from '../find/resolve.ts';
import { roleOf } from '../role.ts';
import { fold, textOf, tidy } from '../text.ts';
import { isDisabled, isVisible } from '../visibility.ts';
import { isTextField } from './caret.ts';
import type { Choice } from './choose.ts';
import { press } from './events.ts';
import { byKeys } from './fill-ways.ts';
import { focus } from './focus.ts';
import { pressChord } from './keyboard.ts';

/** Lists that a page makes itself (ARIA `listbox`), open or behind a `combobox` that opens them. */

/** How long a list may take to open, to fetch what was asked for, and to show what was chosen, milliseconds. */
const OPENING = 1500;
const FETCHING = 3000;
const SETTLING = 1000;
const LEFT = { button: 'left', count: 1, modifiers: [] } as const;

/** Whether an element is such a list, or opens one. */
export function isAriaList(element: Element): element is HTMLElement {
  if (!(element instanceof HTMLElement) || element instanceof HTMLSelectElement) return false;
  return /^(listbox|combobox)$/.test(roleOf(element)) || element.getAttribute('aria-haspopup') === 'listbox';
}

/**
 * Chooses options of such a list. Does nothing where they are chosen already; of a list that takes several, others are taken back.
 * @param begin called right before the page is changed
 * @returns values of what was chosen: `data-value` or `value` where the options have one, else their labels
 * @throws PageError `element_not_found` when there is no such option, `element_not_actionable` when it is not shown as chosen afterwards
 */
export async function chooseInAria(element: HTMLElement, choice: Choice, begin: () => void): Promise<string[]> {
  const wanted = choice.values ?? [choice.value ?? choice.label ?? ''];
  if (roleOf(element) !== 'listbox') {
    const [only] = wanted;
    if (wanted.length === 1 && choice.value === undefined && only !== undefined && fold(shown(element)) === fold(only))
      return [only];
  }
  begin();
  const list = roleOf(element) === 'listbox' ? element : await openList(element);
  const several = list.getAttribute('aria-multiselectable') === 'true';
  if (wanted.length > 1 && !several) {
    throw new PageError('element_not_actionable', `Choose one option only: ${describe(element)} takes no more.`, {
      details: { reason: 'not multiple' },
    });
  }
  const values: string[] = [];
  for (const text of wanted) {
    const option = await seek(element, list, text, choice);
    values.push(optionValue(option));
    if (!isChosen(option)) await choose(element, option);
  }
  if (several && choice.values) {
    const others = optionsOf(list).filter((one) => isChosen(one) && !values.includes(optionValue(one)));
    for (const option of others) await press(pointOf(option), { ...LEFT, modifiers: [] });
  }
  if (list !== element && element.getAttribute('aria-expanded') === 'true') await closeList(element);
  return values;
}

function isChosen(option: Element): boolean {
  return option.getAttribute('aria-selected') === 'true' || option.getAttribute('aria-checked') === 'true';
}

function labelOf(option: Element): string {
  return tidy(option.getAttribute('aria-label') ?? textOf(option));
}

function optionValue(option: Element): string {
  return option.getAttribute('data-value') ?? option.getAttribute('value') ?? labelOf(option);
}

/** What a combobox shows as chosen. */
function shown(element: HTMLElement): string {
  return isTextField(element) ? element.value : tidy(textOf(element));
}

function optionsOf(list: Element): HTMLElement[] {
  const inside = [...drawnIn(list)].filter((one) => roleOf(one) === 'option' && isVisible(one));
  return inside as HTMLElement[];
}

/** All elements as they are drawn: a list in a shadow tree holds the options that are put into its slot. */
function* drawnIn(list: Element): Generator<Element> {
  for (const child of flatChildren(list)) {
    if (!(child instanceof Element)) continue;
    yield child;
    yield* drawnIn(child);
  }
}

function visibleLists(): HTMLElement[] {
  const all = [...elementsIn(document)].filter((one) => roleOf(one) === 'listbox' && isVisible(one));
  return all.filter((one): one is HTMLElement => one instanceof HTMLElement && !(one instanceof HTMLSelectElement));
}

/** The list that a combobox says is its own. */
function ownList(element: HTMLElement): HTMLElement | undefined {
  const holder = element.querySelector<HTMLElement>('[aria-controls], [aria-owns]');
  for (const one of [element, holder, flatParent(element)]) {
    const ids = `${one?.getAttribute('aria-controls') ?? ''} ${one?.getAttribute('aria-owns') ?? ''}`
      .trim()
      .split(/\s+/);
    for (const id of ids) {
      if (id === '') continue;
      // What is not in the page any more sits under no root that looks for ids.
      const found = (element.getRootNode() as Partial<Document>).getElementById?.(id) ?? document.getElementById(id);
      if (!found || !isVisible(found)) continue;
      const list =
        roleOf(found) === 'listbox' ? found : [...elementsIn(found)].find((inner) => roleOf(inner) === 'listbox');
      if (list instanceof HTMLElement) return list;
    }
  }
  return undefined;
}

async function until<T>(ms: number, look: () => T | undefined): Promise<T | undefined> {
  const end = env().now() + ms;
  for (;;) {
    const found = look();
    if (found !== undefined || env().now() >= end) return found;
    await env().sleep(30);
  }
}

async function openList(element: HTMLElement): Promise<HTMLElement> {
  const before = ownList(element);
  if (before) return before;
  const others = visibleLists();
  const look = (): HTMLElement | undefined =>
    ownList(element) ?? visibleLists().find((list) => !others.includes(list)) ?? undefined;
  await press(pointOf(element), { ...LEFT, modifiers: [] });
  let list = await until(OPENING, look);
  if (!list) {
    focus(element);
    await key('ArrowDown');
    list = await until(OPENING, look);
  }
  if (list) return list;
  throw new PageError('element_not_actionable', `Use click to choose in ${describe(element)}: it opens no list.`, {
    details: { reason: 'no list' },
  });
}

async function key(name: string): Promise<void> {
  const chord = parseKey(name);
  if (chord) await pressChord(chord);
}

async function closeList(element: HTMLElement): Promise<void> {
  focus(element);
  await key('Escape');
}

/** The option that is meant; a list that fetches or filters gets its label typed, a long one is scrolled through. */
async function seek(element: HTMLElement, list: HTMLElement, text: string, choice: Choice): Promise<HTMLElement> {
  const look = (): HTMLElement | undefined => optionFor(current(element, list), text, choice);
  const typed = isTextField(element) && !element.readOnly;
  let option = look() ?? (await until(typed ? 300 : SETTLING, look));
  if (!option && typed) {
    await byKeys(element, text);
    option = await until(FETCHING, look);
  }
  if (!option) option = await seekByScrolling(current(element, list), look);
  const there = optionsOf(current(element, list)).slice(0, 20).map(labelOf);
  if (!option) {
    if (list !== element) await closeList(element);
    throw new PageError(
      'element_not_found',
      `Choose another option: ${describe(element)} has no "${text}" (it has ${there.join(', ')}).`,
      { details: { options: there } },
    );
  }
  if (isDisabled(option)) {
    if (list !== element) await closeList(element);
    throw new PageError('element_not_actionable', `Choose another option: "${text}" is disabled.`, {
      details: { reason: 'disabled' },
    });
  }
  return option;
}

/** A framework may have drawn the list anew. */
function current(element: HTMLElement, list: HTMLElement): HTMLElement {
  return list.isConnected ? list : (ownList(element) ?? visibleLists()[0] ?? list);
}

async function seekByScrolling(
  list: HTMLElement,
  look: () => HTMLElement | undefined,
): Promise<HTMLElement | undefined> {
  let holder: Element | null = list;
  while (holder && holder.scrollHeight <= holder.clientHeight) holder = holder.firstElementChild;
  if (!holder) return undefined;
  holder.scrollTo({ top: 0, behavior: 'instant' });
  for (let step = 0; step < 200; step++) {
    await env().frame();
    await env().turn();
    const found = look();
    if (found) return found;
    const before = holder.scrollTop;
    holder.scrollBy({ top: holder.clientHeight * 0.8, behavior: 'instant' });
    if (holder.scrollTop === before) return undefined;
  }
  return undefined;
}

function optionFor(list: HTMLElement, text: string, choice: Choice): HTMLElement | undefined {
  const options = optionsOf(list);
  const byValue = choice.label === undefined ? options.find((one) => optionValue(one) === text) : undefined;
  const byLabel = (same: (label: string) => boolean): HTMLElement | undefined =>
    choice.value === undefined ? options.find((one) => same(labelOf(one))) : undefined;
  return byValue ?? byLabel((label) => label === tidy(text)) ?? byLabel((label) => fold(label) === fold(text));
}

/** Clicks an option and waits until it is shown as chosen. */
async function choose(element: HTMLElement, option: HTMLElement): Promise<void> {
  const label = labelOf(option);
  const showed = shows(element, label);
  await press(pointOf(option), { ...LEFT, modifiers: [] });
  await env().frame();
  const done = (): true | undefined =>
    (option.isConnected && isChosen(option)) || (!showed && shows(element, label)) || undefined;
  if (await until(SETTLING, done)) return;
  // What was shown before tells nothing, unless the list is closed again over it.
  if (showed && element.getAttribute('aria-expanded') !== 'true' && roleOf(element) !== 'listbox') return;
  throw new PageError(
    'operation_failed',
    `Look at ${describe(element)}: after a click on "${label}" it does not show it as chosen.`,
    { details: { reason: 'value' } },
  );
}

/** Whether a combobox shows a label: in its own text, or beside it as fields for several do. */
function shows(element: HTMLElement, label: string): boolean {
  if (roleOf(element) === 'listbox') return false;
  if (fold(shown(element)).includes(fold(label))) return true;
  // A field for the search of a list has what is chosen beside it, or beside the box that it sits in.
  let around = isTextField(element) ? flatParent(element) : null;
  for (let level = 0; level < 2 && around; level++) {
    if (around.querySelector('[role="listbox"]') || around.querySelectorAll('input, select, textarea').length > 1)
      break;
    if (fold(textOf(around)).includes(fold(label))) return true;
    around = flatParent(around);
  }
  return false;
}
