import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffPart, textDiff } from '../../src/view/text-diff.ts';
import { topLevelEdits, valueDiff } from '../../src/view/value-diff.ts';

const joined = (parts: DiffPart[], not: DiffPart['kind']) =>
  parts
    .filter((part) => part.kind !== not)
    .map((part) => part.text)
    .join('');

describe('textDiff', () => {
  it('one word changed: only that word', () => {
    expect(textDiff('Train to Hamburg today', 'Train to Köln today')).toEqual([
      { kind: 'same', text: 'Train to ' },
      { kind: 'removed', text: 'Hamburg' },
      { kind: 'added', text: 'Köln' },
      { kind: 'same', text: ' today' },
    ]);
  });

  it('any two texts: both can be read back out of the difference', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n', 'word', 'é'), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = textDiff(before, after);
        return joined(parts, 'added') === before && joined(parts, 'removed') === after;
      }),
    );
  });

  it('two long texts with nothing in common: come whole instead of taking for ever', () => {
    const before = Array.from({ length: 1500 }, (_, i) => `a${i}\n`).join('');
    const after = Array.from({ length: 1500 }, (_, i) => `b${i}\n`).join('');
    expect(textDiff(before, after)).toEqual([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]);
  });
});

describe('valueDiff', () => {
  it('a changed cell and a removed row: two changes, each at its place', () => {
    const before = { lines: [{ n: 1 }, { n: 2 }, { n: 3 }] };
    expect(valueDiff(before, { lines: [{ n: 9 }, { n: 3 }] })).toEqual([
      { place: ['lines', 1, 'n'], before: 1, after: 9 },
      { place: ['lines', 2], before: { n: 2 } },
    ]);
  });

  it('a row added at the end: one addition', () => {
    expect(valueDiff([1], [1, 2])).toEqual([{ place: [2], after: 2 }]);
  });

  it('equal values: no change, also with keys in another order', () => {
    expect(valueDiff({ a: 1, b: [2] }, { b: [2], a: 1 })).toEqual([]);
  });
});

describe('topLevelEdits', () => {
  it('an inner change: the whole top-level value is sent, the others are not', () => {
    expect(topLevelEdits({ to: 'a', lines: [1, 2] }, { to: 'a', lines: [1] })).toEqual({ lines: [1] });
  });
});
