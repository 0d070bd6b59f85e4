// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { select, selectionOf, wordEnd, wordStart } from '../../src/actions/page/act/caret.ts';
import { moveCaret } from '../../src/actions/page/act/caret-moves.ts';
import { fakePage, put } from './page-env.ts';

beforeEach(fakePage);

it('words: before and after a place, and the one around it', () => {
  const text = 'one, two-three';
  expect([wordStart(text, 8), wordStart(text, 5), wordStart(text, 3), wordStart(text, 0)]).toEqual([5, 0, 0, 0]);
  expect([wordEnd(text, 0), wordEnd(text, 3), wordEnd(text, 14)]).toEqual([3, 8, 14]);
  expect([wordStart(text, 6, true), wordEnd(text, 6, true)]).toEqual([5, 8]);
  expect([wordStart('für_1 x', 5), wordEnd('für_1 x', 0)]).toEqual([0, 5]);
});

/** Where the caret is, or what is selected, after keys from a place on. */
function after(start: number, keys: string[], how: { extend?: boolean; words?: boolean } = {}): number[] {
  const area = put<HTMLTextAreaElement>('<textarea></textarea>');
  area.value = 'one two\n\nlonger line';
  select(area, start, start);
  for (const key of keys) moveCaret(area, key, { extend: false, words: false, ...how });
  const at = selectionOf(area);
  return at ? [at.start, at.end] : [];
}

it('keys move the caret by characters, lines and to their ends', () => {
  expect(after(3, ['ArrowLeft'])).toEqual([2, 2]);
  expect(after(0, ['ArrowLeft'])).toEqual([0, 0]);
  expect(after(20, ['ArrowRight'])).toEqual([20, 20]);
  expect(after(3, ['ArrowDown'])).toEqual([8, 8]);
  expect(after(3, ['ArrowDown', 'ArrowDown'])).toEqual([9, 9]);
  expect(after(14, ['ArrowUp', 'ArrowUp'])).toEqual([0, 0]);
  expect(after(12, ['Home'])).toEqual([9, 9]);
  expect(after(12, ['End'])).toEqual([20, 20]);
  expect(after(3, ['ArrowUp'])).toEqual([0, 0]);
  expect(after(12, ['ArrowDown'])).toEqual([20, 20]);
});

it('with Control by words and to the ends of all, with Shift what is selected goes along', () => {
  expect(after(0, ['ArrowRight', 'ArrowRight'], { words: true })).toEqual([7, 7]);
  expect(after(12, ['Home'], { words: true })).toEqual([0, 0]);
  expect(after(2, ['End'], { words: true })).toEqual([20, 20]);
  expect(after(4, ['ArrowRight', 'ArrowRight'], { extend: true })).toEqual([4, 6]);
  expect(after(4, ['ArrowLeft', 'ArrowLeft', 'ArrowRight'], { extend: true })).toEqual([3, 4]);
  expect(after(7, ['ArrowLeft'], { extend: true, words: true })).toEqual([4, 7]);
});

it('an arrow without Shift leaves what was selected at its end', () => {
  const field = put<HTMLInputElement>('<input>');
  field.value = 'selected';
  select(field, 2, 5);
  moveCaret(field, 'ArrowLeft', { extend: false, words: false });
  expect(selectionOf(field)).toEqual({ start: 2, end: 2 });
});
