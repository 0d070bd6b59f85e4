// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import { press } from '../../src/actions/page/act/events.ts';
import { findOne } from '../../src/actions/page/find/resolve.ts';
import { fakePage, hear, put } from './page-env.ts';

beforeEach(() => {
  fakePage();
  // Nothing is laid out here: what lies at any point is the first button of the page.
  Object.assign(document, {
    elementFromPoint: () => document.querySelector('button') ?? document.body,
    caretPositionFromPoint: () => null,
  });
  Object.assign(Element.prototype, {
    checkVisibility(this: HTMLElement, options?: { opacityProperty?: boolean }) {
      return !options?.opacityProperty || this.style?.opacity !== '0';
    },
    getBoundingClientRect: () => ({ x: 0, y: 0, left: 0, top: 0, right: 9, bottom: 9, width: 9, height: 9 }),
    hasPointerCapture: () => false,
  });
});

const LEFT = { button: 'left', count: 1, modifiers: [] } as const;

/** Presses a button; `on` is what the page does meanwhile. @returns whether it was used, and what was clicked */
async function pressed(on: (button: HTMLButtonElement) => void): Promise<[boolean, string[]]> {
  const button = put<HTMLButtonElement>(
    '<input id="field"><button id="one">One</button><button id="two">Two</button>',
    '#one',
  );
  const heard = hear('click');
  (document.querySelector('#field') as HTMLElement).focus();
  on(button);
  const used = await press({ x: 1, y: 1, hit: button }, { ...LEFT, modifiers: [] });
  return [used, heard];
}

describe('a press', () => {
  it('clicks once', async () => {
    expect(await pressed(() => undefined)).toEqual([true, ['click one']]);
  });

  it('is used by a page that takes the element away as it is pressed, or as it is let go; what comes to lie there gets nothing', async () => {
    for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup'])
      expect(await pressed((button) => button.addEventListener(type, () => button.remove())), type).toEqual([true, []]);
  });

  it('is not used where the element goes away over something else: the field before is left', async () => {
    const leave = (then: (button: HTMLButtonElement) => void) =>
      pressed((button) =>
        document.querySelector('#field')?.addEventListener('blur', () => then(button), { once: true }),
      );
    expect(await leave((button) => button.remove())).toEqual([false, []]);
  });

  it('goes to the same element drawn anew, and never to a neighbour', async () => {
    const leave = (then: (button: HTMLButtonElement) => void) =>
      pressed((button) =>
        document.querySelector('#field')?.addEventListener('blur', () => then(button), { once: true }),
      );
    const again = (text: string) => (button: HTMLButtonElement) => {
      const other = document.createElement('button');
      other.id = 'again';
      other.textContent = text;
      button.replaceWith(other);
    };
    expect(await leave(again('One'))).toEqual([true, ['click again']]);
    expect(await leave(again('Other'))).toEqual([false, []]);
  });
});

describe('of several elements that fit', () => {
  const GHOST = 'style="opacity: 0; pointer-events: none"';

  it('one that is unseen and out of the reach of the pointer is passed over, if one is left', () => {
    put(`<div role="combobox" aria-label="Country" id="drawn"></div><select aria-label="Country" ${GHOST}></select>`);
    expect(findOne({ role: 'combobox', name: 'Country' }).element.id).toBe('drawn');
    expect(findOne({ label: 'Country' }).element.id).toBe('drawn');
    expect(findOne({ label: 'Country', nth: 1 }).element.localName).toBe('select');
  });

  it('else they are ambiguous; alone it is meant itself', () => {
    put(`<select aria-label="Country" ${GHOST}></select><select aria-label="Country" ${GHOST}></select>`);
    expect(() => findOne({ label: 'Country' })).toThrow('2 elements fit');
    put('<select aria-label="Country" style="opacity: 0"></select><select aria-label="Country"></select>');
    expect(() => findOne({ label: 'Country' })).toThrow('2 elements fit');
    put(`<input type="checkbox" aria-label="Agree" id="box" ${GHOST}>`);
    expect(findOne({ label: 'Agree' }).element.id).toBe('box');
  });
});
