import { describe, expect, it } from 'vitest';
import { changesOf, type Live } from '../../src/actions/page/snapshot/diff.ts';
import { printTree, type SnapNode } from '../../src/actions/page/snapshot/node.ts';

function node(role: string, name = '', children: SnapNode[] = [], more: Partial<SnapNode> = {}): SnapNode {
  return { role, name, states: [], children, ...more };
}

const text = (words: string): SnapNode => node('text', words);
const LIVE: Live = {
  unfold: (one) => (one.folded === undefined ? one : { ...one, folded: undefined, value: one.folded }),
  markOf: (one) => one.value ?? '',
};
const changes = (before: SnapNode[], now: SnapNode[]): string[] => printTree(changesOf(before, now, LIVE));

describe('what has changed since a snapshot', () => {
  const list = (...items: SnapNode[]): SnapNode[] => [
    node('main', '', [node('list', 'Rows', items, { ref: 'e2' }), node('button', 'Add', [], { ref: 'e3' })], {
      ref: 'e1',
    }),
  ];
  const item = (ref: string, words: string): SnapNode => node('listitem', '', [text(words)], { ref });

  it('nothing', () => {
    expect(changes(list(item('e5', 'a')), list(item('e5', 'a')))).toEqual([]);
  });

  it('a line more: with what it sits in, and nothing of the rest', () => {
    expect(changes(list(item('e5', 'a')), list(item('e5', 'a'), item('e6', 'b')))).toEqual([
      '- main [ref=e1]',
      '  - list "Rows" [ref=e2]',
      '    - listitem [new] [ref=e6]',
      '      - text: b',
    ]);
  });

  it('a line less, a value other, a state other', () => {
    expect(changes(list(item('e5', 'a'), item('e6', 'b')), list(item('e6', 'b')))).toEqual([
      '- main [ref=e1]',
      '  - list "Rows" [ref=e2]',
      '    - listitem [gone] [ref=e5]',
    ]);
    const box = (states: string[], value: string): SnapNode[] => [
      node('checkbox', 'Yes', [], { ref: 'e1', states, value }),
    ];
    expect(changes(box([], ''), box(['checked'], 'on'))).toEqual([
      '- checkbox "Yes" [checked] [changed] [ref=e1]: "on"',
    ]);
  });

  it('a text other, among texts that stay', () => {
    expect(changes([text('a'), text('b'), text('c')], [text('a'), text('x'), text('c')])).toEqual([
      '- text: x [changed]',
    ]);
  });

  it('an element that has moved is not new', () => {
    const a = node('button', 'A', [], { ref: 'e1' });
    const b = node('button', 'B', [], { ref: 'e2' });
    expect(changes([a, b], [b, a])).toEqual([]);
  });

  it('what is folded: told where its content is other, in full', () => {
    const folded = (ref: string, mark: string): SnapNode => node('row', '', [], { ref, folded: mark });
    expect(changes([folded('e1', 'x'), folded('e2', 'y')], [folded('e1', 'x'), folded('e2', 'z')])).toEqual([
      '- row [changed] [ref=e2]: "z"',
    ]);
    expect(changes([node('row', '', [], { ref: 'e1', value: 'x' })], [folded('e1', 'x')])).toEqual([]);
    expect(changes([folded('e1', 'x')], [node('row', '', [], { ref: 'e1', value: 'x' })])).toEqual([]);
  });
});
