// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { richText, sameLines } from '../../src/actions/page/act/rich-text.ts';

/** What is read of an editable region; `pre` keeps white space, as most editors have it. */
function read(html: string, pre = false): string {
  document.body.innerHTML = `<div id="region" style="white-space: ${pre ? 'pre-wrap' : 'normal'}">${html}</div>`;
  const region = document.querySelector('#region') as Element;
  for (const inner of region.querySelectorAll<HTMLElement>('*')) if (pre) inner.style.whiteSpace = 'pre-wrap';
  return richText(region);
}

beforeEach(() => document.body.replaceChildren());

it('a line for each paragraph, and for each break in one', () => {
  expect(read('<p>one</p><p>two</p>')).toBe('one\ntwo');
  expect(read('<div>one<br>two</div><div>three</div>')).toBe('one\ntwo\nthree');
  expect(read('one<div>two</div>three')).toBe('one\ntwo\nthree');
  expect(read('<ul><li><p>one</p></li><li>two</li></ul>')).toBe('one\ntwo');
});

it('an empty paragraph is an empty line; a break at the end of one only holds it open', () => {
  expect(read('<p>one</p><p><br></p><p>three</p>')).toBe('one\n\nthree');
  expect(read('<p>one<br></p><p>two</p>')).toBe('one\ntwo');
  expect(read('<div>one<br><br>three</div>')).toBe('one\n\nthree');
  expect(read('<div>one<br><br></div>')).toBe('one\n');
  expect(read('<p><br></p>')).toBe('');
  expect(read('')).toBe('');
});

it('white space as it is drawn', () => {
  expect(read('\n  <p> one <span style="display: inline"> two </span></p>\n  <p>three&nbsp; four</p>\n')).toBe(
    'one two\nthree  four',
  );
  expect(read('<p>one  two</p><p>  three\nfour</p>', true)).toBe('one  two\n  three\nfour');
  expect(read('one\n\nthree\n', true)).toBe('one\n\nthree');
});

it('nothing of what is not drawn, nor of marks that editors keep for themselves', () => {
  expect(read('<p>one<span style="display: none">hidden</span></p><p>\ufefftwo\u200b</p>')).toBe('one\ntwo');
  expect(read('<!--block-->one<script>two</script>')).toBe('one');
});

it('texts are the same line by line, as they are drawn', () => {
  expect(sameLines('one  two\nthree', 'one two\r\n three ')).toBe(true);
  expect(sameLines('one\n\n', 'one')).toBe(true);
  expect(sameLines('one\n\ntwo', 'one\ntwo')).toBe(false);
  expect(sameLines('onetwo', 'one two')).toBe(false);
  expect(sameLines('One', 'one')).toBe(false);
  expect(sameLines('one', '')).toBe(false);
});
