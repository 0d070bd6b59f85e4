import { elementsIn, focusedElement } from '../dom.ts';
import { isVisible } from '../visibility.ts';
import { isTextField } from './caret.ts';
import { focus, isFocusable, unfocus } from './focus.ts';

/** Moves the focus as Tab does. From the last element it goes to the first one, as it does once round the browser's own buttons. */
export function moveFocus(backward: boolean, start: Element | undefined): void {
  const stops = tabStops();
  const from = focusedElement();
  const here = from && from !== document.body ? from : start;
  const at = here ? stops.indexOf(here as HTMLElement) : -1;
  const next = at >= 0 || !here?.isConnected ? at + 1 : stops.findIndex((stop) => follows(stop, here));
  const split = at >= 0 ? at : next < 0 ? stops.length : next;
  const order = backward
    ? [...stops.slice(0, split).reverse(), ...stops.slice(at >= 0 ? at + 1 : split).reverse()]
    : [...stops.slice(at >= 0 ? at + 1 : split), ...stops.slice(0, split)];
  for (const stop of order) {
    focus(stop);
    // What is inert, or has left the page over the last blur, does not take it.
    if (focusedElement() !== stop) continue;
    if (stop instanceof HTMLInputElement && isTextField(stop)) stop.select();
    return;
  }
  if (order.length > 0) unfocus();
}

function follows(stop: Element, here: Element): boolean {
  return (here.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** What Tab stops at, in its order. */
function tabStops(): HTMLElement[] {
  const all = [...elementsIn(document)].filter(isStop);
  const ordered = all.filter((element) => element.tabIndex > 0).sort((a, b) => a.tabIndex - b.tabIndex);
  return [...ordered, ...all.filter((element) => element.tabIndex <= 0)];
}

function isStop(element: Element): element is HTMLElement {
  if (!isFocusable(element)) return false;
  const index = element.hasAttribute('tabindex') ? element.tabIndex : 0;
  if (index < 0 || !isVisible(element)) return false;
  if (element.localName === 'summary' && element.parentElement?.localName !== 'details') return false;
  return !(element instanceof HTMLInputElement && element.type === 'radio') || isGroupStop(element);
}

/** Of a group of radio buttons Tab stops at the one that is checked, else at each. */
function isGroupStop(radio: HTMLInputElement): boolean {
  return radio.checked || !radioGroup(radio).some((one) => one.checked);
}

/** The radio buttons of a group that can be chosen, in their order. */
export function radioGroup(radio: HTMLInputElement): HTMLInputElement[] {
  if (radio.name === '') return [radio];
  const root = radio.getRootNode() as ParentNode;
  return [...root.querySelectorAll<HTMLInputElement>('input[type="radio"]')].filter(
    (one) => one.name === radio.name && one.form === radio.form && !one.matches(':disabled'),
  );
}
