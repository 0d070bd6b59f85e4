import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { evaluate } from '../../src/cli/browser/page.ts';
import { callTabloom, resultLine } from '../cli/tabloom.ts';
import { eventually, fileOf } from '../support/bad-input.ts';
import { type BadSite, startBadSite } from '../support/bad-site.ts';
import { test as base, expect, see } from '../support/product.ts';

/** Grants that are not there, at the start and in mid-run, as popup, side panel and terminal say it. The app page and the prompt: permission-wait.spec.ts */

const test = base.extend<{ site: BadSite }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
  site: async ({}, use) => {
    const site = await startBadSite();
    await use(site);
    await site.close();
  },
});
test.setTimeout(300_000);

const HOST = 'http://127.0.0.1/*';
const flow = (site: BadSite): string =>
  fileOf(
    'lost-grant',
    [`${site.origin}/*`],
    [
      `{ id: open, type: browser_action, action: navigate, arguments: { url: "${site.url('lost-grant', 'empty')}" } }`,
      '{ id: send, type: browser_action, action: click, timeout: 60s, arguments: { target: { role: button, name: Send } } }',
    ],
  );

test('not granted at the start: the popup names the site beside the button that grants it, a start is refused, and nothing is visited', async ({
  product,
  site,
}) => {
  await product.launch();
  await product.ask('workflow.import', { source: flow(site), enable: true });
  await product.inPopup(async (popup) => {
    await popup.click('[data-testid="start-lost-grant"]');
    await see(popup, '[data-testid="missing-grants"] [data-testid="grant"]');
    const text = await popup.evaluate<string>('document.querySelector(\'[data-testid="missing-grants"]\').innerText');
    expect(text).toContain(site.origin);
  });
  const answer = await product.ask('run.start', { workflowId: 'lost-grant', input: {} });
  expect(answer).toMatchObject({
    refused: {
      problems: [
        {
          code: 'site_not_granted',
          message: expect.stringMatching(/may not work on .* yet; grant it access first\.$/),
        },
      ],
    },
  });
  expect((await product.ask('state.get', {})).live).toEqual([]);
  expect(site.visits('lost-grant')).toBe(0);
});

test('taken away while a click waits: popup and side panel offer the way back, the terminal ends with 4 and says how; granted there it sends once', async ({
  product,
  site,
}) => {
  await product.grant(HOST);
  await product.launch();
  const runId = await product.start(flow(site));
  await eventually('a visit', () => site.visits('lost-grant') > 0);
  await product.look(runId, 'the click at work', ({ steps }) =>
    steps.some(({ path, status }) => path === 'send' && status === 'running'),
  );
  expect(await product.page.evaluate(`chrome.permissions.remove({ origins: ['${HOST}'] })`)).toBe(true);
  await product.look(runId, 'a wait for the grant', ({ run }) => run.waitingFor.includes('permission'));

  const card = '[data-testid="wait-permission"][data-path="send"]';
  const says = new RegExp(`goes on by itself once you grant access to ${site.origin}`);
  await product.inPopup(async (popup) => {
    await see(popup, `${card} [data-testid="grant"]`);
    expect(await popup.evaluate<string>(`document.querySelector('${card}').innerText`)).toMatch(says);
  });
  const panel = await openExtensionPage(product.browser.cdp, 'sidepanel.html');
  await see({ evaluate: (expression) => evaluate(panel.session, expression) }, `${card} [data-testid="grant"]`);
  expect(await panel.evaluate<string>(`document.querySelector('${card}').innerText`)).toMatch(says);
  await panel.close();
  await product.close();

  const resume = ['run', '--resume', runId, '--profile', product.profileDir, '--headless', '--json'];
  const left = await callTabloom(resume).ended;
  expect(left.status, left.stderr).toBe(4);
  expect(resultLine(left)).toMatchObject({ runId, status: 'waiting' });
  expect(left.stderr).toContain(`waits for access to ${site.origin} (step send)`);
  expect(left.stderr).toContain(`--grant ${site.origin}`);
  expect(site.sent('lost-grant')).toEqual([]);

  site.mend('lost-grant');
  const ended = await callTabloom([...resume, '--grant', site.origin]).ended;
  // The tab went with the browser: the click says so, and a retry of the run opens its page again.
  expect([0, 1], ended.stderr).toContain(ended.status);
  const result = resultLine(ended);
  if (ended.status === 1) expect(result.error).toMatchObject({ code: 'tab_lost', step: 'send' });
  expect(result.steps.open).toMatchObject({ status: 'completed', attempts: 1 });
  expect(site.sent('lost-grant')).toHaveLength(ended.status === 0 ? 1 : 0);
});
