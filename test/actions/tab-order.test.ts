// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { moveFocus, radioGroup } from '../../src/actions/page/act/tab-order.ts';
import { fakePage, put } from './page-env.ts';

beforeEach(() => {
  fakePage();
  Object.assign(Element.prototype, {
    checkVisibility(this: HTMLElement) {
      return !this.hidden;
    },
    getBoundingClientRect: () => ({ width: 9, height: 9 }),
  });
});

/** Where the focus is after each of so many steps. */
function stops(count: number, backward = false): string[] {
  return Array.from({ length: count }, () => {
    moveFocus(backward, undefined);
    return document.activeElement?.id ?? '';
  });
}

it('Tab stops at what can have the focus, in the order of the page, and goes round', () => {
  put(
    '<a href="#" id="a"></a><a id="no"></a><input id="b"><input type="hidden" id="no"><button id="no" disabled></button>' +
      '<button id="no" hidden></button><div id="no" tabindex="-1"></div><div id="c" tabindex="0"></div>',
  );
  expect(stops(4)).toEqual(['a', 'b', 'c', 'a']);
  expect(stops(3, true)).toEqual(['c', 'b', 'a']);
});

it('what names its place comes first; of a group of radio buttons the one that is checked, else each', () => {
  put(
    '<input id="c"><input id="b" tabindex="2"><input id="a" tabindex="1"><input type="radio" name="x" id="no"><input type="radio" name="x" id="d" checked>' +
      '<input type="radio" name="y" id="e"><input type="radio" name="y" id="f">',
  );
  expect(stops(6)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

it('from where the page was pressed, while nothing has the focus', () => {
  put('<input id="a"><p></p><input id="b">');
  moveFocus(false, document.querySelector('p') as Element);
  expect(document.activeElement?.id).toBe('b');
});

it('a group of radio buttons is those of one name and one form that can be chosen', () => {
  put(
    '<form><input type="radio" name="x" id="a"><input type="radio" name="x" id="b" disabled><input type="radio" name="y"></form><input type="radio" name="x">',
  );
  const group = radioGroup(document.querySelector('#a') as HTMLInputElement);
  expect(group.map(({ id }) => id)).toEqual(['a']);
  const nameless = put<HTMLInputElement>('<input type="radio"><input type="radio">');
  expect(radioGroup(nameless)).toEqual([nameless]);
});
