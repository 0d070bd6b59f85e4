import { extensionUrl } from '../../src/cli/browser/extension-id.ts';
import { type ExtensionPage, openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { waitForTarget } from '../../src/cli/browser/page.ts';
import { click } from '../../src/cli/browser/popup.ts';
import { expect, test } from '../support/extension-launch.ts';
import { answerPermissionPrompt } from '../support/extension-prompt.ts';
import { startXvfb } from '../support/xvfb.ts';

/** Puts a button into the page that asks for a site when it is clicked, and clicks it. */
async function ask(page: ExtensionPage, origin: string): Promise<void> {
  await page.evaluate(`(() => {
    const button = document.createElement('button');
    button.id = 'ask';
    button.textContent = 'Ask';
    button.onclick = () => {
      chrome.permissions.request({ origins: ['${origin}/*'] }).then((answer) => { globalThis.answer = answer; });
    };
    document.body.replaceChildren(button);
  })()`);
  await click(page.session, '#ask');
}

test('the real permission prompt grants or denies a site as it is answered', async ({ launcher }) => {
  const display = await startXvfb();
  try {
    const browser = await launcher.launch({ headless: false, env: display.env });
    // A fresh profile gets the welcome tab, at its own time; it would take the focus from the page that asks.
    const welcome = await waitForTarget(browser.cdp, extensionUrl('app.html#/welcome'), new Set());
    await browser.cdp.send('Target.closeTarget', { targetId: welcome.targetId });
    const page = await openExtensionPage(browser.cdp);
    await page.session.send('Page.bringToFront');
    const answer = () => page.evaluate('globalThis.answer');
    const granted = () => page.evaluate('chrome.permissions.getAll().then(({ origins }) => origins)');

    await ask(page, 'https://denied.example');
    await answerPermissionPrompt(display, page, 'deny');
    await expect.poll(answer).toBe(false);
    expect(await granted()).toEqual([]);

    await ask(page, 'https://allowed.example');
    await answerPermissionPrompt(display, page, 'allow');
    await expect.poll(answer).toBe(true);
    expect(await granted()).toEqual(['https://allowed.example/*']);
    await browser.close();
  } finally {
    await display.stop();
  }
});
