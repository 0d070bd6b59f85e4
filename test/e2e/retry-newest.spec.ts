import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import { expect, fileOf, test } from '../support/bad-input.ts';
import { see } from '../support/product.ts';

/** A run that failed for its workflow's own fault goes on in place, once the workflow is mended. */

test.setTimeout(120_000);

const steps = (url: string, button: string): string[] => [
  `{ id: open, type: browser_action, action: navigate, timeout: 30s, arguments: { url: "${url}" } }`,
  '{ id: fill, type: browser_action, action: fill, timeout: 20s, arguments: { target: { label: Note }, value: hello } }',
  `{ id: send, type: browser_action, action: click, timeout: 4s, arguments: { target: { role: button, name: ${button} } } }`,
];

test('the wrong button is named: mended in the file, the run goes on under the new revision from its own page, and sends once', async ({
  shared,
  site,
}) => {
  const file = (button: string): string =>
    fileOf('mended', [`${site.origin}/*`], steps(site.url('mended', 'plain'), button));
  const runId = await shared.start(file('Transmit'));
  const failed = await shared.ended(runId);
  expect(failed.run.error).toMatchObject({ code: 'element_not_found', step: 'send' });
  expect(failed.newer).toBeUndefined();

  const saved = await shared.ask('workflow.import', { source: file('Send'), enable: true });
  if ('refused' in saved) throw new Error(JSON.stringify(saved.refused));
  const page = await openExtensionPage(shared.browser.cdp, `app.html#/runs/${runId}`);
  await see(page, '[data-testid="retry-newest"]');
  await page.evaluate('document.querySelector(\'[data-testid="retry-newest"]\').click()', { gesture: true });

  const left = until(
    async () => (await shared.detail(runId)).run.status !== 'failed',
    () => new Error('the click did nothing'),
    20_000,
  );
  await left.catch(async (error: Error) => {
    throw new Error(`${error.message}: ${await page.evaluate<string>('document.body.innerText')}`);
  });
  const ended = await shared.look(runId, 'its end', (detail) =>
    detail.run.status === 'completed' ? detail : undefined,
  );
  expect(site.sent('mended')).toEqual(['hello']);
  expect(ended.run.revision).not.toBe(failed.run.revision);
  // What was done stays done.
  for (const path of ['open', 'fill'])
    expect(ended.steps.find((row) => row.path === path)).toMatchObject({ status: 'completed', attempt: 1 });
});
