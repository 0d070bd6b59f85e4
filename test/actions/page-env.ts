import { type BrowserWays, type PageEnv, setEnv } from '../../src/actions/page/env.ts';

const CHROMIUM: BrowserWays = {
  mouseId: 1,
  noButton: -1,
  pointerMovesFirst: false,
  commandAsks: false,
  blocksNewTabs: false,
  selectionMovesInFields: true,
};

/** What the page script needs beside a DOM, for tests under Node: time that moves on by itself as it is waited for. */
export function fakePage(): void {
  let now = 0;
  const env: Partial<PageEnv> = {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    turn: async () => undefined,
    frame: async () => {
      now += 16;
      return true;
    },
    shadowRoot: (element) => element.shadowRoot,
    frameNumber: () => undefined,
    transfer: () => new DataTransfer(),
    clipboardEvent: (type, data = new Map()) => {
      const clipboardData = new DataTransfer();
      for (const [kind, text] of data) clipboardData.setData(kind, text);
      return new ClipboardEvent(type, { bubbles: true, cancelable: true, composed: true, clipboardData });
    },
    browser: { ...CHROMIUM },
  };
  setEnv(env as PageEnv);
  // What the DOM of these tests does not have.
  if ('label' in HTMLOptionElement.prototype) return;
  Object.defineProperty(HTMLOptionElement.prototype, 'label', {
    get(this: HTMLOptionElement) {
      return this.getAttribute('label') ?? this.text;
    },
  });
}

/** Puts markup in place of all. @returns the first element of a selector */
export function put<E extends HTMLElement = HTMLElement>(html: string, selector = 'body > *'): E {
  document.body.innerHTML = html;
  return document.querySelector(selector) as E;
}

/** The types of events that come up to the document from now on. */
export function hear(...types: string[]): string[] {
  const heard: string[] = [];
  for (const type of types)
    document.addEventListener(type, (event) => heard.push(`${type} ${(event.target as Element).id}`.trim()), true);
  return heard;
}
