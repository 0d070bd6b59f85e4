import { afterEach, describe, expect, it, vi } from 'vitest';
import { watchStirring } from '../../../src/adapters/browser/dialogs/stirring.ts';

/** A page's world as far as it is heard. */
function world() {
  const called: string[] = [];
  const tell = (name: string) =>
    function (this: unknown, ...args: unknown[]) {
      called.push(`${name} ${args.join(' ')}`.trim());
      return name;
    };
  const own = Object.fromEntries(
    ['fetch', 'setTimeout', 'setInterval', 'requestIdleCallback', 'postMessage'].map((name) => [name, tell(name)]),
  );
  const withMethods = (...names: string[]) => ({
    prototype: Object.fromEntries(names.map((name) => [name, tell(name)])),
  });
  const types = {
    XMLHttpRequest: withMethods('send'),
    WebSocket: withMethods('send'),
    Worker: withMethods('postMessage'),
    IDBDatabase: withMethods('transaction'),
    IDBFactory: withMethods('open'),
    History: withMethods('go', 'back', 'forward'),
    HTMLFormElement: withMethods('submit', 'requestSubmit'),
    HTMLElement: withMethods('click'),
  };
  vi.stubGlobal('window', own);
  for (const [name, type] of Object.entries(types)) vi.stubGlobal(name, type);
  return { window: own as Record<string, (...args: unknown[]) => unknown>, types, called };
}

describe('what a page begins', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('is heard, and goes on as before', () => {
    const { window, types, called } = world();
    let heard = 0;
    watchStirring(() => {
      heard += 1;
    });
    expect(window.fetch?.('/a')).toBe('fetch');
    types.XMLHttpRequest.prototype.send?.call({});
    types.History.prototype.back?.call({});
    expect(called).toEqual(['fetch /a', 'send', 'back']);
    expect(heard).toBe(3);
  });

  it('a timer that is due later than anybody waits does not count', () => {
    const { window } = world();
    const heard: string[] = [];
    watchStirring(() => heard.push('stirred'));
    window.setTimeout?.('', 5000);
    expect(heard).toEqual([]);
    window.setTimeout?.('', 20);
    window.setTimeout?.('');
    window.setInterval?.('', Number.NaN);
    expect(heard).toHaveLength(3);
  });

  it('is not heard any more at the end, and what another script has put over it stays', () => {
    const { window } = world();
    const before = window.fetch;
    let heard = 0;
    const end = watchStirring(() => {
      heard += 1;
    });
    const kept = window.setTimeout;
    const theirs = () => 'theirs';
    window.setInterval = theirs;
    end?.();
    expect(window.fetch).toBe(before);
    expect(window.setInterval).toBe(theirs);
    expect(kept?.('', 1)).toBe('setTimeout');
    expect(heard).toBe(0);
  });

  it('a page whose functions cannot be listened to is not known, and is left as it was', () => {
    const { window } = world();
    const before = window.fetch;
    Object.defineProperty(window, 'setInterval', { value: window.setInterval, configurable: false });
    expect(watchStirring(() => undefined)).toBeUndefined();
    expect(window.fetch).toBe(before);
  });
});
