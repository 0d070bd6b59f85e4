import { expect, test } from '@playwright/test';
import { launchFirefox } from '../support/firefox.ts';

test.setTimeout(240_000);

test('Firefox: Diagnostics looks at an event page and finds everything in order but the model that nobody has set up', async () => {
  const firefox = await launchFirefox();
  try {
    const tab = await firefox.bidi.openTab(firefox.url('app.html#/settings/diagnostics'));
    const lines = () =>
      firefox.bidi.evaluate<Record<string, string>>(
        tab,
        `Object.fromEntries([...document.querySelectorAll('li[data-testid^="check-"]')]
          .map((line) => [line.dataset.testid.slice(6), line.dataset.state + ' ' + line.innerText.replace(/\\s+/g, ' ')]))`,
      );
    await expect.poll(async () => Object.keys(await lines()).length, { timeout: 90_000 }).toBeGreaterThan(12);
    const found = await lines();
    expect(Object.entries(found).filter(([, text]) => !text.startsWith('ok '))).toEqual([
      ['model', expect.stringMatching(/^warn .*No model is set up/)],
    ]);
    expect(found.browser).toMatch(/Firefox \d+.* \(needs 140\.0\)/);
    expect(found.lock).toContain('alone drives the runs');
    expect(found.store).toContain('a test row was written, read and removed');
  } finally {
    await firefox.close();
  }
});
