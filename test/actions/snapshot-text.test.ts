import { describe, expect, it } from 'vitest';
import { cutLines, FOLD_AT, line, printTree, readFold, type SnapNode } from '../../src/actions/page/snapshot/node.ts';

function node(role: string, name = '', children: SnapNode[] = [], more: Partial<SnapNode> = {}): SnapNode {
  return { role, name, states: [], children, ...more };
}

/** A snapshot as it is given out; a cursor stands at a line, or at a fold. */
function print(nodes: SnapNode[], { maxChars, cursor }: { maxChars: number; cursor?: string }) {
  const from = readFold(cursor);
  const lines = printTree(nodes, from ? { from } : {});
  const cut = cutLines(lines, Number(/^L(\d+)$/.exec(cursor ?? '')?.[1] ?? 0), maxChars, (at) => `L${at}`);
  return { text: cut.shown.join('\n'), cursor: cut.cursor };
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
    expect(print(tree, { maxChars: 1000 })).toEqual({
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
      const part = print(tree, { maxChars: 90, cursor });
      expect(part.text.length).toBeLessThanOrEqual(90);
      lines.push(...part.text.split('\n').filter((one) => !one.includes('[cursor=')));
      cursor = part.cursor ?? undefined;
    } while (cursor);
    expect(lines).toEqual(tree.map(({ name }) => `- text: ${name}`));
  });

  it('one line longer than all the room: cut, and the cursor still moves on', () => {
    const { text: shown, cursor } = print([text('x'.repeat(100)), text('y')], { maxChars: 50 });
    expect(shown.length).toBeLessThanOrEqual(50);
    expect(shown).toMatch(/^- text: x+…\n- … 1 more line \[cursor=L1\]$/);
    expect(cursor).toBe('L1');
  });

  it('long lists: folded with a cursor that shows the rest', () => {
    const items = Array.from({ length: FOLD_AT + 12 }, (_, i) =>
      node('listitem', '', [], { ref: `e${i + 10}`, value: `item ${i}` }),
    );
    const tree = [node('list', '', [...items, node('link', 'More', [], { ref: 'e9' })], { ref: 'e1' })];
    const folded = print(tree, { maxChars: 10_000 });
    expect(folded.text.split('\n')).toHaveLength(1 + FOLD_AT + 1 + 1);
    expect(folded.text).toContain(`- … 12 more listitem [cursor=e1+${FOLD_AT}]`);
    expect(folded.text).toContain('- link "More"');
    const rest = print(tree, { maxChars: 10_000, cursor: `e1+${FOLD_AT}` });
    expect(rest.text.split('\n')[0]).toBe(`- listitem [ref=e${FOLD_AT + 10}]: "item ${FOLD_AT}"`);
    expect(rest.text.split('\n')).toHaveLength(13);
  });

  it('find: only lines with it, what they sit in, and what is in them', () => {
    const tree = [
      node('list', 'Rows', [node('listitem', 'One', [text('a')]), node('listitem', 'Two', [text('b')])]),
      node('button', 'Other'),
    ];
    expect(printTree(tree, { find: (one) => line(one).includes('Two') })).toEqual([
      '- list "Rows"',
      '  - listitem "Two"',
      '    - text: b',
    ]);
  });

  it('refs and cursors of a frame say which', () => {
    const items = Array.from({ length: FOLD_AT + 1 }, () => node('listitem', '', [], { ref: 'e2' }));
    const lines = printTree([node('list', '', items, { ref: 'e1' })], { prefix: 'f7' });
    expect(lines[0]).toBe('- list [ref=f7e1]');
    expect(lines.at(-1)).toBe(`  - … 1 more listitem [cursor=f7:e1+${FOLD_AT}]`);
  });
});
