import { setTimeout as sleep } from 'node:timers/promises';
import type { ExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import type { VirtualDisplay } from './xvfb.ts';

/**
 * Chromium ignores an answer to a dialog that has just been painted, and one that follows another too closely, so that nobody agrees by
 * accident. When it was painted cannot be seen from outside, so the answer is given again, this far apart, until it counts.
 */
const DIALOG_PROTECTION_MS = 1000;
const MAX_PRESSES = 20;

/**
 * Answers the browser's own permission prompt over a page, by the keyboard. *Deny* has the focus, *Allow* is next.
 * Call it after the click that asks.
 * @throws Error when no prompt takes the focus from the page, or none gives it back.
 */
export async function answerPermissionPrompt(
  display: VirtualDisplay,
  page: ExtensionPage,
  answer: 'allow' | 'deny',
): Promise<void> {
  await until(
    async () => !(await page.evaluate<boolean>('document.hasFocus()')),
    () => new Error('No permission prompt appeared.'),
  );
  await sleep(DIALOG_PROTECTION_MS);
  // Moving the focus is not an answer, so it counts at once.
  if (answer === 'allow') await display.press('Tab');
  for (let press = 0; press < MAX_PRESSES; press++) {
    await display.press('Return');
    const until = Date.now() + DIALOG_PROTECTION_MS;
    while (Date.now() < until) {
      if (await page.evaluate<boolean>('document.hasFocus()')) return;
      await sleep(50);
    }
  }
  throw new Error('The permission prompt did not close.');
}
