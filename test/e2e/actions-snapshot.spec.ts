import { expect } from '@playwright/test';
import { type Run, test } from '../support/pages/run.ts';

/** Snapshots of pages in a real Chromium: what is in them, how large they are, what has changed, and frames. */

/** All lines of a page, by the cursors that snapshots and their folds name. */
async function everything(run: Run, args: Record<string, unknown> = {}): Promise<{ text: string; calls: number }> {
  const first = await run.do('snapshot', args as never);
  const seen: string[] = [first.text];
  const cursorsOf = (text: string): string[] =>
    [...text.matchAll(/\[cursor=(\S+)\]/g)].map((match) => match[1] as string);
  const open = cursorsOf(first.text);
  let calls = 1;
  for (let cursor = open.shift(); cursor; cursor = open.shift()) {
    const next = await run.do('snapshot', { ...args, cursor } as never);
    calls += 1;
    seen.push(next.text);
    open.push(...cursorsOf(next.text));
  }
  return { text: seen.join('\n'), calls };
}

test('what no person sees is not in it, nor the ways to hide it; what is seen is', async ({ run }) => {
  await run.open('/hidden');
  const { text } = await run.do('snapshot');
  expect(text.match(/^.*trick.*$/gm) ?? []).toEqual([]);
  for (const shown of [
    'heading "Shown heading"',
    'shown again',
    'button "More"',
    'Zerowidth and tags end, می‌خواهم stays',
    'Part of a text',
    'heading "Title"',
    'button "Close"',
    'button "Save"',
    'link "Company"',
    'checkbox "Own box"',
    'Caption on a picture',
    'Placed elsewhere',
    'Scrolled out',
    'Right end',
    'Below the fold',
    'On a gradient',
  ])
    expect(text).toContain(shown);
  expect(text).toContain('Page "Hidden text" of');
  // The text of a page cannot look like lines of the snapshot.
  expect(
    text
      .split('\n')
      .slice(1)
      .every((one: string) => /^ *- /.test(one)),
  ).toBe(true);
});

test('a table of 500 rows, an article, a form: small, and all of it by cursors', async ({ run }) => {
  await run.open('/rows');
  const { text } = await run.do('snapshot');
  expect(text.length).toBeLessThanOrEqual(20_000);
  expect(text).toContain('Customer 29"');
  const rows = await everything(run);
  for (let row = 1; row <= 500; row++) expect(rows.text).toContain(`link "Customer ${row}"`);
  expect(rows.calls).toBeLessThan(15);
  const found = await run.do('snapshot', { find: 'role:link customer 432' });
  expect(found.text).toMatch(/- table .*\n {2}- row .*\n {4}- cell\n {6}- link "Customer 432" \[ref=/);
  expect(found.text).not.toContain('Customer 43"');

  await run.open('/sections');
  const article = await run.do('snapshot');
  expect(article.text.length).toBeLessThanOrEqual(15_000);
  expect(article.cursor).not.toBeNull();
  expect(article.text.split('\n').at(-1)).toBe(
    `- … ${/… (\d+) more lines \[cursor=\S+\]$/.exec(article.text)?.[1]} more lines [cursor=${article.cursor}]`,
  );
  expect((await everything(run)).text).toContain('link "link 12.6"');

  await run.open('/contact');
  expect((await run.do('snapshot')).text.length).toBeLessThanOrEqual(800);
});

test('find: a text anywhere in a line, or role: with or without one', async ({ run }) => {
  await run.open('/form');
  const texts = async (find: string): Promise<string> => (await run.do('snapshot', { find })).text;
  expect(await texts('button')).toContain('button "Send"');
  const buttons = await texts('role:button');
  expect(buttons).toContain('button "Alert"');
  expect(buttons).not.toContain('link "');
  expect(await texts('role:button delete')).not.toContain('button "Send"');
  expect(await texts('role:checkbox agree')).toContain('checkbox "I agree"');
  expect(await texts('disabled')).toContain('button "Never" [disabled]');
  expect(await texts('nothing like this')).toContain('- (nothing to read)');
});

test('since: only what has changed, with its path; refs stay; another page is told whole', async ({ run }) => {
  await run.open('/form');
  const before = await run.do('snapshot');
  const id = /\[snapshot=(\S+)\]/.exec(before.text)?.[1] as string;
  expect((await run.do('snapshot', { since: id })).text).toContain('- (nothing has changed)');
  const ref = /checkbox "I agree" \[ref=(e\d+)\]/.exec(before.text)?.[1] as string;
  await run.do('check', { target: { ref } });
  await run.do('fill', { target: { label: 'Justification' }, value: 'because' });
  const { text, cursor } = await run.do('snapshot', { since: id });
  expect(cursor).toBeNull();
  expect(text).toContain(`- checkbox "I agree" [checked] [changed] [ref=${ref}]`);
  expect(text).toMatch(/textbox "Justification" \[changed\] \[ref=e\d+\]: "because"/);
  expect(text).not.toContain('Send');
  expect(text).not.toContain('Rows');
  await run.open('/echo');
  const other = await run.do('snapshot', { since: id });
  expect(other.text).toContain('here is the whole');
  expect(other.text).toContain('heading "Echo"');
  expect(await run.fail('click', { target: { ref } })).toMatchObject({ code: 'ref_stale' });
});

test('since: a row that a long list has folded', async ({ run, harness }) => {
  await run.open('/long');
  const id = /\[snapshot=(\S+)\]/.exec((await run.do('snapshot')).text)?.[1] as string;
  const page = harness.context.pages().find((one) => one.url().endsWith('/long'));
  await page?.evaluate("list.children[321].querySelector('button').textContent = 'Other'");
  const { text } = await run.do('snapshot', { since: id });
  expect(text).toMatch(/- list .*\n {2}- listitem \[changed\] .*\n {4}- text: Item 321\n {4}- button "Other"/);
  expect(text).not.toContain('Open 320');
});

test('frames: in their place, also nested and in a shadow tree; refs in them act; what is not granted is said', async ({
  run,
  server,
}) => {
  await run.open('/frames');
  await run.do('wait_for', { target: { css: 'button', frame: { css: 'iframe[title=Inline]' } } });
  await run.do('wait_for', { target: { css: '#inner', frame: { css: '#second' } } });
  const { text, cursor } = await run.do('snapshot');
  expect(cursor).toBeNull();
  expect(text).toMatch(/- iframe "First" \[ref=e\d+\]\n {2}- heading "Expense" \[level=1\] \[ref=f\d+e\d+\]/);
  expect(text).toMatch(/- iframe "Second" .*\n( {2}.*\n)* {2}- iframe .*\n {4}/);
  expect(text).toMatch(/- iframe "Shadow" .*\n {2}- heading "Echo"/);
  expect(text).toMatch(/- iframe "Foreign" .*\n {2}- \(not read: not allowed\)/);
  const ref = /button "In doc" \[ref=(f\d+e\d+)\]/.exec(text)?.[1] as string;
  await run.do('click', { target: { ref } });
  const done = await run.do('snapshot', { target: { css: 'body', frame: { css: 'iframe[title=Inline]' } } });
  expect(done.text).toContain(`button "Done" [ref=${ref}]`);
  const field = /textbox "Justification" \[ref=(f\d+e\d+)\]/.exec(text)?.[1] as string;
  await run.do('fill', { target: { ref: field }, value: 'in a frame' });
  const changed = await run.do('snapshot', { since: /\[snapshot=(\S+)\]/.exec(text)?.[1] as string });
  expect(changed.text).toContain(`textbox "Justification" [changed] [ref=${field}]: "in a frame"`);
  expect(changed.text).toContain('button "Done" [changed]');
  const found = await run.do('snapshot', { find: 'role:button delete' });
  expect(found.text.match(/button "Delete"/g)).toHaveLength(2);
  const small = await everything(run, { maxChars: 700 });
  expect(small.text).toContain('button "Far away"');
  // Another site's page within the run's sites, and not granted.
  const sites = [`${run.site}/*`, `${server.other}/*`];
  expect((await run.do('snapshot', {}, { sites })).text).toMatch(
    /iframe "Foreign" .*\n {2}- \(not read: not allowed\)/,
  );
  expect(await run.fail('click', { target: { ref: 'f99999999e1' } })).toMatchObject({ code: 'ref_stale' });
});

test('a secret in a field is shown nowhere, in whatever the page makes of it', async ({ run }) => {
  await run.open('/form');
  const secrets = [{ pointer: '/value', parts: [{ secret: 'password' }] }] as never;
  await run.do('fill', { target: { css: '#rich' }, value: '' }, { secrets }).catch(() => undefined);
  await run.do('fill', { target: { label: 'Password' }, value: 'typed by hand' });
  const { text } = await run.do('snapshot');
  expect(text).not.toContain('typed by hand');
  expect(text).not.toContain('topsecret');
  expect(text).toMatch(/textbox "Password" \[ref=e\d+\]: "••••"/);
});
