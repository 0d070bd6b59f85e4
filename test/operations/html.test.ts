import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainScope } from '../../src/model/roots.ts';
import { runOperation } from '../../src/operations/index.ts';

function markdown(html: string): string {
  return runOperation('html.to_markdown', { html }, { scope: plainScope({}) }) as string;
}

describe('html.to_markdown', () => {
  const cases: [string, string, string][] = [
    ['headings and paragraphs', '<h1>T &amp; x</h1><p>a<p>b', '# T & x\n\na\n\nb'],
    ['emphasis with spaces inside', '<p>x <b>bold </b>and <i> it</i>', 'x **bold** and *it*'],
    ['links', '<a href="https://x.test/a (b)">go</a>', '[go](https://x.test/a%20%28b%29)'],
    ['a link that runs a script', '<a href=" java\nscript:alert(1)">bad</a>', 'bad'],
    ['an image with embedded data', '<p>x<img src="data:image/png;base64,AA" alt="a]b"></p>', 'xa\\]b'],
    ['nested lists', '<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c'],
    ['a numbered list', '<ol start="3"><li>x</li><li>y</li></ol>', '3. x\n4. y'],
    ['a table', '<table><thead><tr><th>A<th>B|</thead><tr><td>1</table>', '| A | B\\| |\n| --- | --- |\n| 1 |  |'],
    [
      'code',
      '<pre><code class="language-js">let `x`;\n</code></pre><p>a <code>b`c</code>',
      '```js\nlet `x`;\n```\n\na ``b`c``',
    ],
    ['a quotation', '<blockquote>q<p>r</p></blockquote>', '> q\n>\n> r'],
    ['a break', 'a<br>b', 'a\\\nb'],
    [
      'scripts, styles and hidden elements',
      '<script>x</script><style>y</style><p hidden>z</p><p style="display: none">w</p>ok',
      'ok',
    ],
    [
      'text that looks like marks',
      '<p># no</p><p>- no</p><p>1. no</p><p>*a* [b] `c` snake_case _d_',
      '\\# no\n\n\\- no\n\n1\\. no\n\n\\*a\\* \\[b\\] \\`c\\` snake_case \\_d\\_',
    ],
    ['white space', '<p>  a \n\n b&nbsp;&nbsp;c </p>', 'a b c'],
  ];
  for (const [name, html, expected] of cases) it(`${name}: as Markdown`, () => expect(markdown(html)).toBe(expected));

  it('thousands of elements in each other: text is kept; a hundred thousand are refused at once', () => {
    expect(markdown(`${'<div>'.repeat(3000)}deep`)).toContain('deep');
    expect(markdown(`${'<b>'.repeat(3000)}deep`)).toContain('deep');
    expect(() => markdown(`${'<div>'.repeat(100_000)}deep`)).toThrow(/nested/);
  });

  it('arbitrary text: gives text', () => {
    const pieces = fc.constantFrom(
      '<p>',
      '</p>',
      '<ul>',
      '<li>',
      '<table>',
      '<tr>',
      '<td>',
      '<pre>',
      '<a href=x>',
      '</a>',
      '<b>',
      'x',
      ' ',
      '\n',
      '<',
      '&amp;',
      '<!--',
      '<br>',
      '<img src=',
      '"',
      '>',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
        ),
        (html) => {
          expect(markdown(html)).toBeTypeOf('string');
        },
      ),
      { numRuns: 500 },
    );
  });
});
