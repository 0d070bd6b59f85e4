import { setEnv } from '../../src/actions/page/env.ts';
import { nameOf } from '../../src/actions/page/name.ts';
import { roleOf } from '../../src/actions/page/role.ts';

/** Part of the accname benchmark that runs in the page: the product's own names and roles, under one global. */
setEnv({
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  stirred: () => undefined,
  turn: async () => undefined,
  frame: async () => true,
  shadowRoot: (element) => element.shadowRoot,
  frameNumber: () => undefined,
  hint: async () => true,
  read: async (url) => (await fetch(url)).blob(),
  transfer: () => new DataTransfer(),
  clipboardEvent: (type) => new ClipboardEvent(type),
  random: () => 0,
  browser: {
    mouseId: 1,
    noButton: -1,
    pointerMovesFirst: false,
    commandAsks: false,
    blocksNewTabs: false,
    selectionMovesInFields: true,
  },
});

Object.assign(globalThis, { tabloomNames: { nameOf, roleOf } });
