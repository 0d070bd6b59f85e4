import { expect } from '@playwright/test';
import type { PageCall } from '../../src/ports/pages.ts';
import { type Run, test } from '../support/pages/run.ts';

/** A page that was filled in and then lost with the browser: what brings it back, and what does not. */

const SECRET = 'hunter-42-secret';
const SEND = { target: { role: 'button', name: 'Send' } };
const RESTORE: Partial<PageCall> = { attempt: 2, restore: true, timeoutMs: 20_000 };

let lives = 0;

/** As after a death of the browser. */
async function relaunch(run: Run): Promise<void> {
  lives += 1;
  await run.restart(`restore-${lives}`);
}

async function fillIn(run: Run): Promise<void> {
  await run.do('fill', { target: { label: 'Amount' }, value: 12.5 });
  await run.do('fill', { target: { css: '#why' }, value: 'draft' });
  await run.do('select_option', { target: { label: 'Kind' }, label: 'Meals' });
  await run.do('check', { target: { label: 'I agree' } });
  const secrets = [{ pointer: '/value', parts: ['my ', { secret: 'password' }] }];
  await run.do('fill', { target: { css: '#why' }, value: 'my [secret:password]' }, { secrets });
}

/** What the form sent, as the address of the page that it led to says. */
function sent(pages: { url(): string }[]): string[][] {
  return pages
    .filter((page) => page.url().includes('/echo'))
    .map((page) => {
      const { searchParams } = new URL(page.url());
      return ['amount', 'why', 'kind', 'terms'].map((name) => searchParams.get(name) ?? '');
    });
}

test.afterEach(async ({ run, server }) => {
  server.instead.clear();
  await run.restart('life-1');
});

test('the first act that must not be done twice is tab_lost; an attempt after it fills the page in again and acts', async ({
  run,
  harness: { context },
}) => {
  await run.open('/form');
  await fillIn(run);
  expect(JSON.stringify(run.tabs)).not.toContain(SECRET);
  await relaunch(run);
  const lost = await run.fail('click', SEND);
  expect(lost).toMatchObject({ code: 'tab_lost', details: { reason: 'fields_lost' } });
  expect(lost.message).toContain('Retry');
  // Nothing was opened by that.
  expect((await run.fail('click', SEND)).code).toBe('tab_lost');

  await run.do('click', SEND, RESTORE);
  await expect.poll(() => sent(context.pages())).toEqual([['12.5', `my ${SECRET}`, 'm', 'on']]);
  const [tab] = run.tabs.list;
  expect(tab).toMatchObject({ tab: 't1', session: `restore-${lives}` });
  expect(tab?.fields).toBeUndefined();
  expect(JSON.stringify(run.tabs)).not.toContain(SECRET);
});

test('a read has opened the page again: the fields are not there, and an attempt after tab_lost sets them all', async ({
  run,
  harness: { context },
}) => {
  await run.open('/form');
  await fillIn(run);
  await relaunch(run);
  expect(await run.text('h1')).toBe('Expense');
  await run.do('check', { target: { label: 'Card' } });
  expect((await run.fail('click', SEND)).code).toBe('tab_lost');
  await run.do('click', SEND, RESTORE);
  await expect.poll(() => sent(context.pages())).toEqual([['12.5', `my ${SECRET}`, 'm', 'on']]);
  expect(
    context
      .pages()
      .find((page) => page.url().includes('/echo'))
      ?.url(),
  ).toContain('pay=card');
});

test('the worker died too: what is kept of the tab is enough', async ({ run, harness: { context } }) => {
  await run.open('/form');
  await fillIn(run);
  // Through JSON, as the journal keeps it.
  run.tabs = JSON.parse(JSON.stringify(run.tabs));
  await relaunch(run);
  await run.do('click', SEND, RESTORE);
  await expect.poll(() => sent(context.pages())).toEqual([['12.5', `my ${SECRET}`, 'm', 'on']]);
});

test('a click has changed the page since: it stays tab_lost, says what to do, and opens nothing', async ({ run }) => {
  await run.open('/form');
  await fillIn(run);
  await run.do('click', { target: { css: '#log' } });
  await relaunch(run);
  const { tabs } = run;
  const error = await run.fail('click', SEND, RESTORE);
  expect(error).toMatchObject({ code: 'tab_lost', details: { reason: 'acted' } });
  expect(error.message).toContain('Run again from the step that opens the page');
  expect(run.tabs).toEqual(tabs);
});

test('a click led to another page: nothing of the form is kept, and the other page is opened again', async ({
  run,
}) => {
  await run.open('/form');
  await fillIn(run);
  await run.do('click', { target: { css: '#next' } });
  await run.do('wait_for', { url: '/echo?from=link' });
  expect(run.tabs.list[0]).not.toHaveProperty('fields');
  await relaunch(run);
  expect((await run.fail('click', { target: { css: 'h1' } })).code).toBe('tab_lost');
  expect(await run.do('click', { target: { css: 'h1' } }, RESTORE)).toMatchObject({
    url: `${run.site}/echo?from=link`,
  });
});

test('the page has moved on within itself since: it stays tab_lost', async ({ run, harness: { context } }) => {
  await run.open('/form');
  await fillIn(run);
  const page = context.pages().find((one) => one.url().endsWith('/form'));
  await page?.evaluate("history.pushState(null, '', '/form?step=2')");
  await run.do('check', { target: { label: 'Card' } });
  await relaunch(run);
  expect(await run.fail('click', SEND, RESTORE)).toMatchObject({ code: 'tab_lost', details: { reason: 'acted' } });
});

test('more was filled in than is remembered: it stays tab_lost', async ({ run }) => {
  await run.open('/form');
  await run.do('fill', { target: { css: '#why' }, value: 'x'.repeat(40_000) });
  expect(JSON.stringify(run.tabs).length).toBeLessThan(2000);
  await relaunch(run);
  expect(await run.fail('click', SEND, RESTORE)).toMatchObject({ code: 'tab_lost', details: { reason: 'too_much' } });
});

test('another page opens at the address (a sign-in): nothing is filled in there; once it is back, it is', async ({
  run,
  server,
  harness: { context },
}) => {
  await run.open('/form');
  await fillIn(run);
  await relaunch(run);
  server.instead.set('/form', () => ({ location: '/echo?signin=1' }));
  const error = await run.fail('click', SEND, { ...RESTORE, timeoutMs: 20_000 });
  server.instead.clear();
  expect(error).toMatchObject({ code: 'tab_lost', acted: false, details: { reason: 'elsewhere' } });
  await run.do('click', SEND, { ...RESTORE, attempt: 3 });
  await expect.poll(() => sent(context.pages())).toContainEqual(['12.5', `my ${SECRET}`, 'm', 'on']);
});

test('a field is not on the page any more: nothing is clicked, and it is known that nothing was', async ({
  run,
  server,
  harness: { context },
}) => {
  await run.open('/form');
  await fillIn(run);
  await relaunch(run);
  server.instead.set('/form', (text) => text.replace('name="terms"', 'hidden'));
  const error = await run.fail('click', SEND, { ...RESTORE, timeoutMs: 6000 });
  server.instead.clear();
  expect(error).toMatchObject({ code: 'element_not_found', acted: false });
  expect(error.message).toContain('filled in again');
  expect(sent(context.pages())).toEqual([]);
});

test('sites, the grant and what was approved are asked again: what they do not allow is not opened', async ({
  run,
  server,
}) => {
  await run.open('/form');
  await fillIn(run);
  await relaunch(run);
  const { tabs } = run;
  const none = { ...RESTORE, sites: ['https://elsewhere.example/*'] };
  expect((await run.fail('click', SEND, none)).code).toBe('site_not_allowed');
  const other = { ...RESTORE, approvedOrigin: server.other };
  expect((await run.fail('click', SEND, other)).code).toBe('approval_mismatch');
  expect(run.tabs).toEqual(tabs);
});

test('a tab that is to be closed is not opened for that', async ({ run, harness: { context } }) => {
  await run.open('/form');
  await relaunch(run);
  expect((await run.fail('close_tab')).code).toBe('tab_lost');
  const open = context.pages().length;
  await run.do('close_tab', {}, RESTORE);
  expect(run.tabs.list[0]?.closed).toBe('run');
  expect(context.pages().length).toBe(open);
});
