import { describe, expect, it } from 'vitest';
import { FOLD_AT, printTree, type SnapNode } from '../../src/actions/page/snapshot/node.ts';

function node(role: string, name = '', children: SnapNode[] = [], more: Partial<SnapNode> = {}): SnapNode {
  return { role, name, states: [], children, ...more };
}

const text = (words: string): SnapNode => node('text', words);

describe('a snapshot as text', () => {
  it('lines say role, name, states, ref and value, indented by depth', () => {
    const tree = [
      node('form', 'Expense', [
        node('textbox', 'Why', [], { ref: 'e2', value: 'a "b"', states: ['required'] }),
        node('button', 'Send "now"', [], { ref: 'e3', states: ['disabled'] }),
        text('Done.'),
      ]),
    ];
    expect(printTree(tree, { maxChars: 1000 })).toEqual({
      text: [
        '- form "Expense"',
        '  - textbox "Why" [required] [ref=e2]: "a \\"b\\""',
        '  - button "Send \\"now\\"" [disabled] [ref=e3]',
        '  - text: Done.',
      ].join('\n'),
      cursor: null,
    });
  });

  it('too long: whole lines only, and the cursor goes on where it stopped', () => {
    const tree = Array.from({ length: 20 }, (_, i) => text(`line ${i}`));
    const lines: string[] = [];
    let cursor: string | undefined;
    do {
      const part = printTree(tree, { maxChars: 60, cursor });
      expect(part.text.length).toBeLessThanOrEqual(60);
      lines.push(...part.text.split('\n'));
      cursor = part.cursor ?? undefined;
    } while (cursor);
    expect(lines).toEqual(tree.map(({ name }) => `- text: ${name}`));
  });

  it('one line longer than all the room: cut, and the cursor still moves on', () => {
    const { text: shown, cursor } = printTree([text('x'.repeat(100)), text('y')], { maxChars: 50 });
    expect(shown).toHaveLength(49);
    expect(shown.endsWith('…')).toBe(true);
    expect(cursor).toBe('L1');
  });

  it('long lists: folded with a cursor that shows the rest', () => {
    const items = Array.from({ length: FOLD_AT + 12 }, (_, i) =>
      node('listitem', '', [], { ref: `e${i + 10}`, value: `item ${i}` }),
    );
    const tree = [node('list', '', [...items, node('link', 'More', [], { ref: 'e9' })], { ref: 'e1' })];
    const folded = printTree(tree, { maxChars: 10_000 });
    expect(folded.text.split('\n')).toHaveLength(1 + FOLD_AT + 1 + 1);
    expect(folded.text).toContain(`- … 12 more listitem [cursor=e1+${FOLD_AT}]`);
    expect(folded.text).toContain('- link "More"');
    const rest = printTree(tree, { maxChars: 10_000, cursor: `e1+${FOLD_AT}` });
    expect(rest.text.split('\n')[0]).toBe(`- listitem [ref=e${FOLD_AT + 10}]: "item ${FOLD_AT}"`);
    expect(rest.text.split('\n')).toHaveLength(13);
  });

  it('find: only lines with it, what they sit in, and what is in them', () => {
    const tree = [
      node('list', 'Rows', [node('listitem', 'One', [text('a')]), node('listitem', 'Two', [text('b')])]),
      node('button', 'Other'),
    ];
    expect(printTree(tree, { maxChars: 1000, find: (line) => line.includes('Two') }).text).toBe(
      '- list "Rows"\n  - listitem "Two"\n    - text: b',
    );
  });
});
