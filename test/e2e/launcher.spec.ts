import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CdpError } from '../../src/cli/browser/cdp.ts';
import { EXTENSION_ID, extensionUrl } from '../../src/cli/browser/extension-id.ts';
import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { LaunchError } from '../../src/cli/browser/launch.ts';
import { PageEvaluationError } from '../../src/cli/browser/page.ts';
import { openPopup } from '../../src/cli/browser/popup.ts';
import { test as playwrightTest } from '../support/extension.ts';
import { expect, test } from '../support/extension-launch.ts';
import { launchFirefox } from '../support/firefox.ts';

/** Processes of a group that are not just waiting to be reaped. */
function livingInGroup(group: number | undefined): string[] {
  const lines = execFileSync('ps', ['-eo', 'pgid=,stat=,comm=']).toString().split('\n');
  return lines.filter((line) => line.trim().startsWith(`${group} `) && !/ Z/.test(line));
}

test('starts the extension headless, with its fixed id, and ends without a trace', async ({ launcher }) => {
  const browser = await launcher.launch();
  const page = await openExtensionPage(browser.cdp);
  expect(await page.evaluate('chrome.runtime.id')).toBe(EXTENSION_ID);
  expect(await page.evaluate('chrome.runtime.getManifest().manifest_version')).toBe(3);
  await browser.close();
  expect(browser.process.exitCode).toBe(0);
  await expect.poll(() => livingInGroup(browser.process.pid)).toEqual([]);
});

test('drives pages and refuses to attach to the worker', async ({ launcher }) => {
  const { cdp } = await launcher.launch();
  const worker = (await cdp.targets()).find(({ type }) => type === 'service_worker');
  await expect(cdp.attach(worker?.targetId ?? '')).rejects.toThrow('never attaches to a worker');
  const page = await openExtensionPage(cdp);
  await expect(page.evaluate('Promise.reject(new TypeError("no"))')).rejects.toThrow(PageEvaluationError);
  const hanging = page.evaluate('new Promise(() => {})', { timeoutMs: 200 });
  await expect(hanging).rejects.toMatchObject({ name: 'CdpError', failure: 'timeout' });
  await expect(cdp.send('No.such')).rejects.toMatchObject({ failure: 'protocol', method: 'No.such' });
});

test('a call that is open when the browser is killed fails with a typed error', async ({ launcher }) => {
  const browser = await launcher.launch();
  const page = await openExtensionPage(browser.cdp);
  const open = page.evaluate('new Promise(() => {})').catch((error: unknown) => error);
  await browser.kill();
  const error = await open;
  expect(error).toBeInstanceOf(CdpError);
  expect(error).toMatchObject({ failure: 'closed' });
  await expect(browser.cdp.targets()).rejects.toMatchObject({ failure: 'closed' });
});

test('what pages store survives a kill and a relaunch on the same profile', async ({ launcher }) => {
  const first = await launcher.launch();
  const page = await openExtensionPage(first.cdp);
  await page.evaluate('chrome.storage.local.set({ mark: 42 })');
  await sleep(500); // chrome.storage is written behind; IndexedDB would not need this.
  await first.kill();
  const second = await launcher.launch();
  const again = await openExtensionPage(second.cdp);
  expect(await again.evaluate('chrome.storage.local.get("mark")')).toEqual({ mark: 42 });
});

test('says in one sentence what to do when the profile is in use or the browser is none', async ({ launcher }) => {
  await launcher.launch();
  await expect(launcher.launch()).rejects.toThrow(/ended before it was ready; close any other browser that uses/);
  await expect(launcher.launch({ executablePath: '/nonexistent' })).rejects.toThrow(LaunchError);
});

test('the real popup opens headless and is clicked as a target of its own', async ({ launcher }) => {
  const { cdp } = await launcher.launch();
  const page = await openExtensionPage(cdp);
  const popup = await openPopup(page);
  expect(
    await popup.evaluate('chrome.runtime.getContexts({ contextTypes: ["POPUP"] }).then((all) => all.length)'),
  ).toBe(1);
  await popup.evaluate(`(() => {
    const button = document.body.appendChild(document.createElement('button'));
    button.id = 'probe';
    button.textContent = 'Probe';
    button.addEventListener('click', ({ isTrusted }) => button.setAttribute('data-trusted', String(isTrusted)));
  })()`);
  await popup.click('#probe');
  expect(await popup.evaluate('document.querySelector("#probe").dataset.trusted')).toBe('true');
  const png = await popup.screenshot();
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  await popup.close();
  const reopened = await openPopup(page);
  await page.close();
  await expect
    .poll(async () => (await cdp.targets()).some(({ url }) => url === extensionUrl('popup.html')))
    .toBe(false);
  await expect(reopened.evaluate('1')).rejects.toThrow(CdpError);
});

playwrightTest('under Playwright the worker can be stopped and answers again', async ({ extension }) => {
  const page = await extension.open('app.html');
  const running = () =>
    page.evaluate(() =>
      chrome.runtime.getContexts({ contextTypes: ['BACKGROUND' as never] }).then((all) => all.length),
    );
  expect(await running()).toBe(1);
  await extension.stopWorker();
  await expect.poll(running).toBe(0);
  await extension.relaunch();
  expect(extension.context.serviceWorkers()).toHaveLength(1);
});

test('the Firefox build installs and its popup page opens', async ({ browserName: _ }) => {
  test.setTimeout(120_000);
  const firefox = await launchFirefox();
  try {
    const popup = await firefox.bidi.openTab(firefox.url('popup.html'));
    expect(await firefox.bidi.evaluate(popup, 'browser.runtime.getManifest().name')).toBe('Tabloom');
    expect(await firefox.bidi.evaluate(popup, 'document.body.innerText.length > 0')).toBe(true);
    const background = 'browser.runtime.getBackgroundPage().then((page) => page.location.protocol)';
    expect(await firefox.bidi.evaluate(popup, background)).toBe('moz-extension:');
  } finally {
    await firefox.close();
  }
});
