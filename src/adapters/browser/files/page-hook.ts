import { FORM_SENT } from '../../../actions/page/act/links.ts';
import type { Driver } from '../acting.ts';
import type { Place } from '../page-scripts.ts';

/**
 * Pages open file dialogs and hand out files by clicks of their scripts on elements that are not in the page. Such a click is not seen from
 * outside. For the time of one act they are put into the page, unseen, for the moment of their click, where the page script stops it.
 * @returns takes it back; never throws
 */
export async function showHiddenClicks(driver: Driver, { tabId, frameId }: Place): Promise<() => Promise<void>> {
  const run = async (on: boolean): Promise<void> => {
    await driver.browser.scripting
      .executeScript({
        target: { tabId, frameIds: [frameId] },
        injectImmediately: true,
        world: 'MAIN',
        func: hook,
        args: [on, FORM_SENT],
      })
      .catch(() => undefined);
  };
  await run(true);
  return () => run(false);
}

/** Runs in the page's own world; may use nothing but its arguments. */
function hook(on: boolean, sent: string): void {
  const name = Symbol.for('tabloom clicks');
  const world = globalThis as unknown as Record<symbol, (() => void) | undefined>;
  world[name]?.();
  if (!on) return;
  const undo: (() => void)[] = [];
  const replace = (prototype: object, key: string, value: (this: HTMLElement, ...args: never[]) => unknown): void => {
    const before = Object.getOwnPropertyDescriptor(prototype, key);
    Object.defineProperty(prototype, key, { value, configurable: true, enumerable: true, writable: true });
    undo.push(() => {
      if (Object.getOwnPropertyDescriptor(prototype, key)?.value !== value) return;
      if (before) Object.defineProperty(prototype, key, before);
      else delete (prototype as Record<string, unknown>)[key];
    });
  };
  const shown = <T>(element: HTMLElement, work: () => T): T => {
    const file = element instanceof HTMLInputElement && element.type === 'file';
    if (element.isConnected || !(file || (element instanceof HTMLAnchorElement && element.href))) return work();
    const { parentNode: parent, nextSibling: next } = element;
    const display = element.style.display;
    element.style.display = 'none';
    document.documentElement.append(element);
    try {
      return work();
    } finally {
      if (parent) parent.insertBefore(element, next);
      else element.remove();
      element.style.display = display;
      if (element.getAttribute('style') === '') element.removeAttribute('style');
    }
  };
  const { click } = HTMLElement.prototype;
  const { dispatchEvent } = EventTarget.prototype;
  for (const prototype of [HTMLAnchorElement.prototype, HTMLInputElement.prototype]) {
    replace(prototype, 'click', function () {
      shown(this, () => click.call(this));
    });
    replace(prototype, 'dispatchEvent', function (event: Event) {
      return event?.type === 'click'
        ? shown(this, () => dispatchEvent.call(this, event))
        : dispatchEvent.call(this, event);
    });
  }
  const { showPicker } = HTMLInputElement.prototype;
  replace(HTMLInputElement.prototype, 'showPicker', function () {
    const input = this as HTMLInputElement;
    if (input.type === 'file') shown(this, () => click.call(this));
    else showPicker.call(input);
  });
  const { submit } = HTMLFormElement.prototype;
  replace(HTMLFormElement.prototype, 'submit', function () {
    dispatchEvent.call(this, new Event(sent));
    submit.call(this as HTMLFormElement);
  });
  const end = (): void => {
    clearTimeout(timer);
    for (const one of undo) one();
    delete world[name];
  };
  // Whoever put it here may have died since.
  const timer = setTimeout(end, 60_000);
  world[name] = end;
}
