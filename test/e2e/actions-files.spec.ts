import { type BrowserContext, expect, type Page } from '@playwright/test';
import type { JsonObject } from '../../src/model/json.ts';
import { type Picture, readPng } from '../support/pages/png.ts';
import { type Run, test } from '../support/pages/run.ts';

/** Actions that carry bytes, in a real Chromium, without the engine. */

test.use({ granted: { hosts: ['<all_urls>'], permissions: ['downloads'] } });

const RED: [number, number, number] = [200, 0, 0];
const BLUE: [number, number, number] = [0, 0, 200];
const YELLOW: [number, number, number] = [250, 200, 0];

/** The page of the run's current tab. */
async function pageOf(context: BrowserContext, end: string): Promise<Page> {
  const found = () => context.pages().find((one) => one.url().includes(end));
  await expect.poll(found).toBeTruthy();
  return found() as Page;
}

/** The file that an action gives. */
async function fileOf(run: Run, action: string, args: JsonObject, more: object = {}) {
  const answer = await run.try(action, args, more);
  if (!answer.ok) throw new Error(`${action}: ${answer.error.code} ${answer.error.message}`);
  const { artifact, output } = answer.result;
  if (!artifact) throw new Error('no file');
  const bytes = new Uint8Array(artifact.bytes);
  return { ...artifact, bytes, text: new TextDecoder().decode(bytes), output };
}

test.describe('upload_file', () => {
  const into = (css: string, ...artifacts: string[]) => ({ target: { css }, artifacts });

  test.beforeEach(async ({ run }) => {
    run.files = {
      csv: { name: 'rows.csv', mediaType: 'text/csv', text: 'a,b' },
      note: { name: 'note.txt', mediaType: 'text/plain', text: 'hello' },
    };
    await run.open('/files');
  });

  test('a file field, one that is hidden, a label, a button that opens one in the page or out of it, a place to drop', async ({
    run,
  }) => {
    const note = [{ name: 'note.txt', size: 5 }];
    for (const css of ['#one', '#hidden', '#styled', '#opens', '#detached', '#zone'])
      expect(await run.do('upload_file', into(css, 'note')), css).toEqual({ files: note });
    await run.do('wait_for', { text: 'dropped note.txt 5 hello' });
    const told = ['one', 'hidden', 'styled-input', 'hidden', 'detached', 'dropped'];
    expect((await run.text('#out')).split('\n')).toEqual(told.map((what) => `${what} note.txt 5 hello`));
    // As browsers tell of it: the button that they draw.
    const button = { role: 'button', name: 'One file' };
    expect(await run.do('upload_file', { target: button, artifacts: ['csv'] })).toMatchObject({ files: [{ size: 3 }] });
    expect((await run.do('snapshot', { find: 'role:button One file' })).text).toMatch(
      /- button "One file" \[ref=e\d+\]: "rows.csv"/,
    );
  });

  test('several, where the field takes several and accepts them; a large one comes whole', async ({ run }) => {
    expect(await run.fail('upload_file', into('#one', 'csv', 'note'))).toMatchObject({
      code: 'element_not_actionable',
      details: { reason: 'not multiple' },
    });
    expect(await run.fail('upload_file', into('#pictures', 'csv', 'note'))).toMatchObject({
      code: 'element_not_actionable',
      details: { reason: 'accept', name: 'note.txt' },
    });
    expect((await run.do('upload_file', into('#pictures', 'csv', 'csv'))).files).toHaveLength(2);
    run.files = { long: { name: 'long.txt', mediaType: 'text/plain', text: 'x'.repeat(7 * 1024 * 1024) } };
    expect(await run.do('upload_file', into('#one', 'long'))).toEqual({
      files: [{ name: 'long.txt', size: 7 * 1024 * 1024 }],
    });
  });

  test('what takes no file says so', async ({ run }) => {
    expect(await run.fail('upload_file', into('#no-zone', 'note'))).toMatchObject({ code: 'element_not_actionable' });
    const opened = await run.fail('upload_file', into('#nothing', 'note'), { timeoutMs: 8000 });
    expect(opened).toMatchObject({ code: 'element_not_actionable', acted: true });
  });

  test('only files of this run: anything else is refused before the page sees it', async ({ run, harness }) => {
    const page = await pageOf(harness.context, '/files');
    for (const id of ['../../etc/passwd', '/etc/passwd', `${run.site}/file/report.csv`, 'a-of-another-run'])
      expect(await run.fail('upload_file', into('#one', 'note', id)), id).toMatchObject({
        code: 'artifact_missing',
        acted: false,
      });
    expect(await page.evaluate("document.querySelector('#one').files.length")).toBe(0);
  });
});

test.describe('download', () => {
  test.beforeEach(async ({ run }) => {
    await run.open('/files');
  });

  test('an address: at once, with name, type and the bytes, and with the cookies of the person', async ({
    run,
    harness,
  }) => {
    const url = (path: string) => ({ url: run.site + path });
    const report = await fileOf(run, 'download', url('/file/report.csv'));
    expect(report).toMatchObject({ name: 'report.csv', mediaType: 'text/csv', text: 'a,b\n1,2\n' });
    await harness.context.addCookies([{ name: 'who', value: 'me', url: run.site, sameSite: 'Strict' }]);
    expect((await fileOf(run, 'download', url('/file/cookie'))).text).toBe('who=me');
    expect(await fileOf(run, 'download', { ...url('/file/plain.csv'), name: 'a/b/own.csv' })).toMatchObject({
      name: 'own.csv',
    });
  });

  test('a path in the suggested name: a bare file name is kept', async ({ run }) => {
    for (const [given, kept] of [
      ['../../etc/passwd', 'passwd'],
      ['C:\\Windows\\evil.exe', 'evil.exe'],
      ['..', 'report.csv'],
    ] as const) {
      const url = `${run.site}/file/report.csv?name=${encodeURIComponent(given.replaceAll('\\', '\\\\'))}`;
      expect((await fileOf(run, 'download', { url })).name).toBe(kept);
    }
  });

  test('one that never ends, one that is too large, one that is not there, one of another site', async ({
    run,
    server,
  }) => {
    const fail = (path: string, more = {}) => run.fail('download', { url: run.site + path }, more);
    expect(await fail('/file/endless')).toMatchObject({ code: 'timeout', acted: false });
    expect(await fail('/file/huge')).toMatchObject({ code: 'output_too_large', acted: false });
    expect(await fail('/file/none')).toMatchObject({ code: 'download_failed', details: { status: 404 } });
    const to = encodeURIComponent(`${server.other}/file/report.csv`);
    expect(await fail(`/redirect?to=${to}`)).toMatchObject({ code: 'site_not_allowed', acted: false });
    expect(await run.fail('download', { url: `${server.other}/file/report.csv` })).toMatchObject({
      code: 'site_not_allowed',
    });
    expect(await run.fail('download', { url: 'file:///etc/passwd' })).toMatchObject({ code: 'site_not_allowed' });
  });

  test('links: of the server, with a name of their own, to data of the page', async ({ run }) => {
    const from = (css: string) => fileOf(run, 'download', { target: { css } });
    expect(await from('#link')).toMatchObject({ name: 'report.csv', text: 'a,b\n1,2\n' });
    expect(await from('#named')).toMatchObject({ name: 'mine.csv', mediaType: 'text/csv', text: 'plain' });
    expect(await from('#blob')).toMatchObject({ name: 'made.txt', mediaType: 'text/plain', text: 'made by the page' });
    expect(await from('#data')).toMatchObject({ name: 'data.txt', text: 'hello' });
  });

  test('what a script hands out after a click, also from a link that is not in the page, and later', async ({
    run,
    harness,
  }) => {
    const from = (css: string) => fileOf(run, 'download', { target: { css } });
    expect(await from('#make')).toMatchObject({ name: 'handed.txt', mediaType: 'text/plain', text: 'handed out' });
    expect(await from('#later')).toMatchObject({ name: 'later.txt', text: 'handed out' });
    const page = await pageOf(harness.context, '/files');
    expect(await page.evaluate("Object.hasOwn(HTMLAnchorElement.prototype, 'click')")).toBe(false);
    expect(await run.text('#out')).toBe('handed ../../secret/handed.txt\nhanded later.txt');
  });

  test("what the browser begins to download: its own download is called off, and the file is the run's", async ({
    run,
    harness,
  }) => {
    const file = await fileOf(run, 'download', { target: { css: '#server' } });
    expect(file).toMatchObject({ name: 'from-server.csv', text: 'a,b\n1,2\n' });
    await expect.poll(() => harness.worker.evaluate(async () => (await chrome.downloads.search({})).length)).toBe(0);
  });

  test('the answer to a form that is sent is refused, once sent, rather than another file; that to one that asks is kept', async ({
    run,
    harness,
  }) => {
    await run.open('/files');
    for (const name of ['Ask', 'Ask by script']) {
      const target = { role: 'button', name, exact: true };
      expect(await run.fail('download', { target }, { timeoutMs: 15_000 }), name).toMatchObject({
        code: 'download_failed',
        acted: true,
        details: { reason: 'not_at_address' },
      });
    }
    const file = await fileOf(run, 'download', { target: { role: 'button', name: 'Get' } });
    expect(file).toMatchObject({ name: 'of.csv', text: 'GET\n' });
    await expect.poll(() => harness.worker.evaluate(async () => (await chrome.downloads.search({})).length)).toBe(0);
  });

  test('navigate to a file names download', async ({ run }) => {
    const error = await run.fail('navigate', { url: `${run.site}/file/report.csv` }, { timeoutMs: 15_000 });
    expect(error).toMatchObject({ code: 'navigation_failed' });
    expect(error.message).toContain('download');
  });
});

test.describe('screenshot', () => {
  const picture = async (run: Run, args: JsonObject, more: object = {}): Promise<Picture> => {
    const { bytes, name, mediaType } = await fileOf(run, 'screenshot', args, more);
    expect([name, mediaType]).toEqual(['screenshot.png', 'image/png']);
    return readPng(bytes);
  };
  const pageState = (page: Page) =>
    page.evaluate(
      'JSON.stringify([scrollX, scrollY, [...document.querySelectorAll("[style]")].map((one) => one.outerHTML.length)])',
    );

  test('the window, an element, one that is larger than the window, the whole page; the page is as before', async ({
    run,
    harness,
  }) => {
    await run.open('/shots');
    const page = await pageOf(harness.context, '/shots');
    await page.evaluate('scrollTo(0, 300)');
    const before = await pageState(page);
    const inner = (await page.evaluate(
      '({ width: document.documentElement.clientWidth, height: innerHeight, all: document.documentElement.scrollHeight, scale: devicePixelRatio })',
    )) as { width: number; height: number; all: number; scale: number };
    const { scale } = inner;
    const pixels = (length: number) => Math.round(length * scale);

    const shown = await picture(run, {});
    expect([shown.width, shown.height]).toEqual([pixels(inner.width), pixels(inner.height)]);
    expect(shown.at(pixels(10), pixels(10))).toEqual(RED);

    const small = await picture(run, { target: { css: '#small' } });
    expect([small.width, small.height]).toEqual([pixels(120), pixels(80)]);
    expect([small.at(2, 2), small.at(pixels(117), pixels(77))]).toEqual([YELLOW, YELLOW]);

    const green = await picture(run, { target: { css: '#green' } });
    expect(green.height).toBe(pixels(2000));
    const x = pixels(700 < inner.width ? 700 : 100);
    for (let y = pixels(60); y < green.height; y += pixels(20)) expect(green.at(x, y), `row ${y}`).toEqual([0, 160, 0]);

    const whole = await picture(run, { fullPage: true });
    expect([whole.width, whole.height]).toEqual([pixels(inner.width), pixels(inner.all)]);
    // The bar that stays in its place is there once, at the top; the one that sticks is where it belongs.
    expect(whole.at(x, pixels(10))).toEqual(RED);
    expect(whole.at(x, pixels(510))).toEqual(BLUE);
    for (let y = pixels(720); y < pixels(2600); y += pixels(20))
      expect(whole.at(x, y), `row ${y}`).toEqual([0, 160, 0]);
    expect(whole.at(x, whole.height - 3)).toEqual([100, 100, 100]);
    expect(await pageState(page)).toBe(before);
  });

  test('password fields, and fields that hold a secret, are painted over, also in a frame', async ({
    run,
    harness,
  }) => {
    await run.open('/shots?secret');
    const secrets = [{ pointer: '/value', parts: [{ secret: 'password' }] }];
    await run.do('fill', { target: { css: '#pin' }, value: 'x' }, { secrets });
    const page = await pageOf(harness.context, '/shots?secret');
    const covered = async (css: string, frame?: string) => {
      const target: JsonObject = frame ? { css, frame: { css: frame } } : { css };
      const shot = await picture(run, { target }, { secretNames: ['password'] });
      const colours = new Set<string>();
      for (let y = 0; y < shot.height; y++) for (let x = 0; x < shot.width; x++) colours.add(shot.at(x, y).join());
      return [...colours];
    };
    expect(await covered('#pw')).toEqual(['91,91,91']);
    expect(await covered('#pin')).toEqual(['91,91,91']);
    // Nothing of that is left in the page.
    expect(await page.evaluate("document.querySelector('#pin').value")).toBe('hunter-42-secret');

    await page.evaluate(
      "document.body.insertAdjacentHTML('afterbegin', '<iframe name=inner src=\"/shots\"></iframe>')",
    );
    const inner = { css: '#pin', frame: { css: 'iframe' } };
    await run.do('fill', { target: inner, value: 'x' }, { secrets });
    expect(await covered('#pin', 'iframe')).toEqual(['91,91,91']);
    expect(await covered('iframe')).toEqual(['91,91,91']);
  });

  test("in another window's background tab: not visible, and nothing of the tab in front is in it", async ({
    run,
    harness,
  }) => {
    await run.open('/shots?behind');
    const { browserTabId, windowId } = run.tabs.list[0] as { browserTabId: number; windowId?: number };
    // In a window of the run's own the tab is brought forward.
    await harness.worker.evaluate((id) => chrome.tabs.create({ windowId: id, url: 'about:blank' }), windowId);
    const shot = await picture(run, { target: { css: '#small' } });
    expect(shot.at(5, 5)).toEqual(YELLOW);
    // In the person's it is not.
    await harness.worker.evaluate((id) => chrome.tabs.create({ windowId: id, url: 'about:blank' }), windowId);
    run.tabs = { ...run.tabs, windowId: undefined };
    await run.restart('life-1');
    expect(await run.fail('screenshot', {}, { timeoutMs: 8000 })).toMatchObject({ code: 'tab_not_visible' });
    expect((await harness.worker.evaluate((id) => chrome.tabs.get(id), browserTabId)).active).toBe(false);
  });
});
