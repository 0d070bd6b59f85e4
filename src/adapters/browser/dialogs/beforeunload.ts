const { apply, defineProperty } = Reflect;
const { addEventListener, removeEventListener } = EventTarget.prototype;
const { setTimeout: later } = window;

/**
 * Hears whether the page asks not to be left, before the browser does, which would open a dialog where a person has touched the page. The
 * page's listeners run; what they say reaches the event only if it is not to be kept from the browser.
 * @param ask with the page's text; true where the wish has been answered
 * @returns undoes it
 */
export function watchUnload(ask: (message: string) => boolean): () => void {
  const listener = (event: Event): void => intercept(event as BeforeUnloadEvent, ask);
  apply(addEventListener, window, ['beforeunload', listener, true]);
  return () => apply(removeEventListener, window, ['beforeunload', listener, true]) as undefined;
}

function intercept(event: BeforeUnloadEvent, ask: (message: string) => boolean): void {
  let answered: boolean | undefined;
  let text: unknown = '';
  const prevent = event.preventDefault;
  /** The first wish counts; further ones are of the same dialog. */
  const wish = (message: unknown): boolean => {
    text = message;
    answered ??= ask(typeof message === 'string' ? message : '');
    return answered;
  };
  defineProperty(event, 'preventDefault', {
    configurable: true,
    writable: true,
    value: function preventDefault() {
      if (!wish('')) apply(prevent, event, []);
    },
  });
  const own = Object.getOwnPropertyDescriptor(BeforeUnloadEvent.prototype, 'returnValue');
  defineProperty(event, 'returnValue', {
    configurable: true,
    get: () => text,
    set: (value: unknown) => {
      if (value !== '' && !wish(value) && own?.set) apply(own.set, event, [value]);
    },
  });
  const handler = window.onbeforeunload;
  if (!handler) return;
  // What a handler gives back reaches the event without passing by what is put over it: it is run from here instead.
  window.onbeforeunload = null;
  later(() => {
    window.onbeforeunload ??= handler;
  }, 0);
  const said = apply(handler, window, [event]) as unknown;
  if (said !== undefined && said !== null && !wish(said)) apply(prevent, event, []);
}
