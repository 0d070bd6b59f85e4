import { expect, it } from 'vitest';
import { showsText } from '../../src/actions/page/act/code-editor.ts';

it('the lines that a code editor draws show a text: all of it, with the empty ones, or a run of its lines', () => {
  expect(showsText(['if (a) {', '  b();', '}'], 'if (a) {\r\n  b();\n}')).toBe(true);
  expect(showsText(['a', ''], 'a')).toBe(true);
  expect(showsText([''], '')).toBe(true);
  expect(showsText([], '')).toBe(true);
  expect(showsText(['b', 'c'], 'a\nb\nc\nd')).toBe(true);
  expect(showsText(['a'], 'a\u00a0 \nb')).toBe(true);
});

it('and do not show another one', () => {
  expect(showsText(['a', 'b'], 'a')).toBe(false);
  expect(showsText(['b', 'd'], 'a\nb\nc\nd')).toBe(false);
  expect(showsText(['b();'], '  b();')).toBe(false);
  expect(showsText(['old'], '')).toBe(false);
});
