const { apply, defineProperty } = Reflect;
const { getOwnPropertyDescriptor } = Object;

/** Later than this after an act nobody waits for what comes of it, milliseconds. */
const SOON = 200;

/** Functions by which a page begins what is not over with the event that it answers, each with what holds it. */
function beginnings(): [holder: object, names: readonly string[]][] {
  return [
    [window, ['fetch', 'setTimeout', 'setInterval', 'requestIdleCallback', 'postMessage']],
    [XMLHttpRequest.prototype, ['send']],
    [WebSocket.prototype, ['send']],
    [Worker.prototype, ['postMessage']],
    [IDBDatabase.prototype, ['transaction']],
    [IDBFactory.prototype, ['open']],
    [History.prototype, ['go', 'back', 'forward']],
    // The browser does on them what they are for in a task of its own, and an element that is in no document tells nobody of its click.
    [HTMLFormElement.prototype, ['submit', 'requestSubmit']],
    [HTMLElement.prototype, ['click']],
  ];
}

/**
 * Hears when a page begins something that goes on by itself: a request, a timer that is due soon, a message, a way back. To be called
 * before the page's own scripts run: what they have kept of the browser's functions by then is not heard.
 * @returns undoes it; `undefined` where the page cannot be heard
 */
export function watchStirring(stirred: () => void): (() => void) | undefined {
  const undo: (() => void)[] = [];
  const end = (): void => {
    for (const one of undo) one();
    undo.length = 0;
  };
  try {
    for (const [holder, names] of beginnings())
      for (const name of names) undo[undo.length] = listen(holder, name, stirred);
    return end;
  } catch {
    end();
    return undefined;
  }
}

/** @throws Error where the function cannot be listened to */
function listen(holder: object, name: string, stirred: () => void): () => void {
  const before = getOwnPropertyDescriptor(holder, name);
  const native: unknown = before?.value;
  if (!before?.configurable || typeof native !== 'function') throw new Error(`${name} is not the browser's`);
  const timed = name === 'setTimeout' || name === 'setInterval';
  let active = true;
  const stand = new Proxy(native, {
    apply(target, self, args: unknown[]) {
      // A delay that is no number counts as none.
      if (active && !(timed && (args[1] as number) > SOON)) stirred();
      return apply(target, self, args) as unknown;
    },
  });
  defineProperty(holder, name, { ...before, value: stand });
  return () => {
    active = false;
    if (getOwnPropertyDescriptor(holder, name)?.value === stand) defineProperty(holder, name, before);
  };
}
