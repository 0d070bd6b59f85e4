import { setTimeout as sleep } from 'node:timers/promises';
import type { ExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import type { VirtualDisplay } from './xvfb.ts';

/** Chromium ignores keys in a dialog that has just appeared, so that nobody agrees by accident. */
const DIALOG_PROTECTION_MS = 700;

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
  if (answer === 'allow') await display.press('Tab');
  await display.press('Return');
  await until(
    () => page.evaluate<boolean>('document.hasFocus()'),
    () => new Error('The permission prompt did not close.'),
  );
}
