import { afterEach, expect, it, vi } from 'vitest';
import { setEnv } from '../../src/actions/page/env.ts';
import { checkStable } from '../../src/actions/page/find/actionable.ts';

/** An element in a box, as far as standing still is about them. */
function inBox(animated: 'box' | 'element' | 'none', places: number[]): Element {
  const part = (own: boolean, parentElement: unknown) => ({
    nodeType: 1,
    tagName: 'BUTTON',
    parentElement,
    parentNode: parentElement,
    assignedSlot: null,
    getAttribute: () => null,
    getRootNode: () => null,
    getAnimations: () => (own ? [{ playState: 'running' }] : [{ playState: 'finished' }]),
    getBoundingClientRect: () => ({ x: places.length > 1 ? places.shift() : places[0], y: 0, width: 10, height: 10 }),
  });
  return part(animated === 'element', part(animated === 'box', null)) as unknown as Element;
}

function frames(drawn: boolean, visibilityState = 'visible'): void {
  vi.stubGlobal('document', { visibilityState });
  setEnv({ frame: async () => drawn } as never);
}

afterEach(() => vi.unstubAllGlobals());

vi.mock('../../src/actions/page/find/resolve.ts', () => ({ describe: () => 'button "Late"' }));
vi.mock('../../src/actions/page/dom.ts', () => ({
  flatParent: (node: { parentElement: unknown }) => node.parentElement,
}));

it('what is drawn in one place twice stands still, animated or not', async () => {
  frames(true);
  await expect(checkStable(inBox('element', [5]))).resolves.toBeUndefined();
  await expect(checkStable(inBox('none', [5]))).resolves.toBeUndefined();
});

it('what is drawn elsewhere moves', async () => {
  frames(true);
  await expect(checkStable(inBox('none', [5, 5, 6]))).rejects.toMatchObject({
    info: { details: { reason: 'moving' } },
  });
});

it('no frame was drawn: of what is animated, itself or around it, it is not known', async () => {
  frames(false);
  await expect(checkStable(inBox('element', [5]))).rejects.toMatchObject({
    info: { details: { reason: 'moving' } },
    wait: true,
  });
  await expect(checkStable(inBox('box', [5]))).rejects.toMatchObject({ wait: true });
  await expect(checkStable(inBox('none', [5]))).resolves.toBeUndefined();
});

it('a hidden tab draws nothing, and is worked in all the same', async () => {
  frames(false, 'hidden');
  await expect(checkStable(inBox('element', [5]))).resolves.toBeUndefined();
});
