import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { moveToFront } from '../../src/engine/source/reorder.ts';

const FILE = `# what it is for
steps:
  - id: pay # the last one
    arguments:
      target:
        # as the page was in May
        - { testId: pay } # first
        - role: button
          name: "Pay, now"
        - css: '#pay' # last
      count: 1
  - { id: other, arguments: { target: [{ css: a }, {css: b}, { css: c }] } }
`;
type File = { steps: { arguments: { target: unknown[] } }[] };
const targets = (text: string | undefined, step: number) => (parse(text ?? '') as File).steps[step]?.arguments.target;

describe('an item of a list in a file', () => {
  it('comes first, and nothing else changes: comments, quotes and layout stay', () => {
    const text = moveToFront(FILE, '/steps/0/arguments/target', 1) as string;
    expect(targets(text, 0)).toEqual([{ role: 'button', name: 'Pay, now' }, { testId: 'pay' }, { css: '#pay' }]);
    expect(text).toBe(
      FILE.replace(
        `- { testId: pay } # first
        - role: button
          name: "Pay, now"
`,
        `- role: button
          name: "Pay, now" # first
        - { testId: pay }
`,
      ),
    );
    const last = moveToFront(FILE, '/steps/0/arguments/target', 2);
    expect(targets(last, 0)).toEqual([{ css: '#pay' }, { testId: 'pay' }, { role: 'button', name: 'Pay, now' }]);
  });

  it('also in one line, and in JSON', () => {
    const text = moveToFront(FILE, '/steps/1/arguments/target', 2) as string;
    expect(text.endsWith('target: [{ css: c }, { css: a }, {css: b}] } }\n')).toBe(true);
    const json = JSON.stringify({ steps: [{ arguments: { target: [{ css: 'a' }, { css: 'b' }] } }] }, null, 2);
    expect(targets(moveToFront(json, '/steps/0/arguments/target', 1), 0)).toEqual([{ css: 'b' }, { css: 'a' }]);
  });

  it('the first one is there already; what is not there gives nothing', () => {
    expect(moveToFront(FILE, '/steps/1/arguments/target', 0)).toBe(FILE);
    expect(moveToFront(FILE, '/steps/1/arguments/target', 3)).toBeUndefined();
    expect(moveToFront(FILE, '/steps/1/arguments', 0)).toBeUndefined();
    expect(moveToFront(FILE, '/steps/7/arguments/target', 0)).toBeUndefined();
    expect(moveToFront('', '/steps', 0)).toBeUndefined();
  });
});
