import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { OriginInvalidError, seedGrants } from '../../src/cli/browser/grants.ts';
import type { LaunchedBrowser } from '../../src/cli/browser/launch.ts';
import { CHROMIUM_BUILD, test as playwrightTest } from '../support/extension.ts';
import { expect, test } from '../support/extension-launch.ts';

const build = { extensionDir: CHROMIUM_BUILD };

async function grantedTo(browser: LaunchedBrowser): Promise<string[]> {
  const page = await openExtensionPage(browser.cdp);
  return page.evaluate('chrome.permissions.getAll().then(({ origins }) => origins.sort())');
}

test('a seeded site is granted to the unmodified build, survives a relaunch and can be revoked', async ({
  launcher,
}) => {
  await seedGrants(launcher.profileDir, ['https://example.com', 'http://127.0.0.1:8123'], build);

  const first = await launcher.launch();
  const page = await openExtensionPage(first.cdp);
  const contains = (origin: string) => page.evaluate(`chrome.permissions.contains({ origins: ['${origin}/*'] })`);
  expect(await page.evaluate('chrome.runtime.getManifest().host_permissions ?? []')).toEqual([]);
  expect(await contains('https://example.com')).toBe(true);
  expect(await contains('http://127.0.0.1:8123')).toBe(true);
  expect(await contains('http://127.0.0.1:8124')).toBe(false);
  expect(await contains('https://sub.example.com')).toBe(false);
  await first.close();

  const second = await launcher.launch();
  expect(await grantedTo(second)).toEqual(['http://127.0.0.1:8123/*', 'https://example.com/*']);
  const revoker = await openExtensionPage(second.cdp);
  expect(await revoker.evaluate("chrome.permissions.remove({ origins: ['https://example.com/*'] })")).toBe(true);
  await second.close();

  expect(await grantedTo(await launcher.launch())).toEqual(['http://127.0.0.1:8123/*']);
});

test('seeding adds to what was granted, and gives a revoked site back', async ({ launcher }) => {
  await seedGrants(launcher.profileDir, ['https://one.example'], build);
  const first = await launcher.launch();
  const page = await openExtensionPage(first.cdp);
  await page.evaluate("chrome.permissions.remove({ origins: ['https://one.example/*'] })");
  await first.close();
  await seedGrants(launcher.profileDir, ['https://two.example'], build);
  await seedGrants(launcher.profileDir, ['https://one.example'], build);
  expect(await grantedTo(await launcher.launch())).toEqual(['https://one.example/*', 'https://two.example/*']);
});

test('what is no site is refused before anything starts', async ({ launcher }) => {
  for (const origin of ['example.com', 'file:///etc', 'chrome://settings', 'https://', '']) {
    await expect(seedGrants(launcher.profileDir, [origin], build)).rejects.toThrow(OriginInvalidError);
  }
});

playwrightTest.describe('under Playwright', () => {
  playwrightTest.use({ seededOrigins: ['https://example.com'] });

  playwrightTest('the fixture seeds sites and can grant more later', async ({ extension }) => {
    const granted = async () => {
      const page = await extension.open('app.html');
      return page.evaluate(() => chrome.permissions.getAll().then(({ origins }) => [...(origins ?? [])].sort()));
    };
    expect(await granted()).toEqual(['https://example.com/*']);
    await extension.grant('https://later.example');
    expect(await granted()).toEqual(['https://example.com/*', 'https://later.example/*']);
  });
});
