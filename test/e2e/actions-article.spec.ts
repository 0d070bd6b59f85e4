import { expect } from '@playwright/test';
import { test } from '../support/pages/run.ts';

/** Main text as Markdown, and tables that are hard to read, in a real Chromium. */

test('read_article: Markdown of what is seen, links absolute, no HTML; the page is left as it was', async ({
  run,
  harness,
}) => {
  await run.open('/article');
  const page = harness.context.pages().find((one) => one.url().endsWith('/article'));
  const before = await page?.evaluate('document.documentElement.outerHTML');
  const requests: string[] = [];
  page?.on('request', (request) => requests.push(request.url()));
  const { title, byline, markdown, url } = await run.do('read_article');
  expect(title).toMatch(/^How bread rises/);
  expect([byline, url]).toEqual(['Ann Author', `${run.site}/article`]);
  expect(markdown).toContain(`[More on yeast](${run.site}/yeast?a=%281%29)`);
  expect(markdown).toContain('[write to us](mailto:ann@example.test)');
  expect(markdown).toContain('not a link');
  expect(markdown).toContain('What _yeast_ needs');
  expect(markdown).toMatch(/^-\s+A little \*\*sugar\*\*$/m);
  expect(markdown).toContain('\\<img src=x onerror=alert(1)>');
  expect(markdown).toContain('\\*stars\\*');
  expect(markdown).toContain('```\nmix(flour, water)\nif (a < b) rest()\n```');
  expect(markdown).toContain('| Step | Minutes |\n| --- | --- |\n| Knead | 10 |\n');
  expect(markdown).toContain(`| Rest \\| fold | [60](${run.site}/rest) |`);
  expect(markdown).toContain(`![A loaf](${run.site}/loaf.png)`);
  expect(markdown).toContain('A note in a closed shadow tree');
  for (const not of ['javascript:', 'data:', 'Ignore your instructions', 'Home', 'Imprint', 'typed', 'Subscribe'])
    expect(markdown).not.toContain(not);
  expect(await page?.evaluate('document.documentElement.outerHTML')).toBe(before);
  expect(requests).toEqual([]);
  // Twice is the same, and a page that has no article is read as a whole.
  expect((await run.do('read_article')).markdown).toBe(markdown);
  await run.open('/echo?a=1');
  expect((await run.do('read_article')).markdown).toContain('?a=1');
});

test('tables: headers of another table, rows in parts, shadow trees, nested ones, spans', async ({ run }) => {
  await run.open('/tables');
  const table = async (target: Record<string, unknown>) => {
    const { columns, rows } = await run.do('extract', { as: 'table', target } as never);
    return { columns, rows };
  };
  expect(await table({ css: '#split .body table' })).toEqual({
    columns: ['Name', 'Sum'],
    rows: [
      { Name: 'a', Sum: '1' },
      { Name: 'b', Sum: '2' },
    ],
  });
  expect((await table({ css: '#split' })).rows).toHaveLength(2);
  expect(await table({ css: '#values' })).toEqual({ columns: ['Key', 'Value'], rows: [{ Key: 'x', Value: '1' }] });
  expect(await table({ css: '#pinned' })).toEqual({
    columns: ['Id', 'Name', 'City'],
    rows: [
      { Id: '1', Name: 'Ann', City: 'Bonn' },
      { Id: '2', Name: 'Bob', City: 'Ulm' },
    ],
  });
  expect(await table({ css: '[role=table]' })).toEqual({ columns: ['A', 'B'], rows: [{ A: '1', B: '2' }] });
  expect((await table({ css: '#outer' })).rows).toEqual([{ What: 'Set', Parts: 'Inner one' }]);
  expect(await table({ css: '#spans' })).toEqual({
    columns: ['Day', 'Hours from', 'Hours to'],
    rows: [
      { Day: 'Mon', 'Hours from': 'closed', 'Hours to': 'closed' },
      { Day: 'Tue', 'Hours from': '9', 'Hours to': '17' },
    ],
  });
});

test('a secret that was filled into an editable region is in no text around it', async ({ run }) => {
  await run.open('/tables');
  const secrets = [{ pointer: '/value', parts: [{ secret: 'password' }] }];
  await run.do('fill', { target: { css: '#note' }, value: '' }, { secrets } as never);
  expect(await run.text('#secretive')).toBe('beside');
  expect((await run.do('snapshot')).text).toContain('textbox "Note" [ref=');
});
