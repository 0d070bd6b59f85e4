import { expect, test } from '@playwright/test';
import type { RequestName, Requests, ResponseMessage, RunDetail } from '../../src/app/protocol.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { FINAL_RUN } from '../../src/model/run.ts';
import { type DialogSite, startDialogSite } from '../support/dialog-site.ts';
import { type FirefoxWithExtension, launchFirefox } from '../support/firefox.ts';

/** The same in Firefox: dialogs in a run's tab are answered by the step, the person's own tab keeps the browser's. */

test.setTimeout(240_000);

let firefox: FirefoxWithExtension;
let page: string;
let site: DialogSite;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  site = await startDialogSite();
  firefox = await launchFirefox();
  page = await firefox.bidi.openTab(firefox.url('app.html'));
});
test.afterAll(async () => {
  await firefox?.close();
  await site?.close();
});

async function ask<K extends RequestName>(name: K, payload: Requests[K]['in']): Promise<Requests[K]['out']> {
  const message = JSON.stringify({ tabloom: 1, name, payload });
  const answer = await firefox.bidi.evaluate<ResponseMessage<K> | null>(
    page,
    `browser.runtime.sendMessage(${message})`,
  );
  if (!answer?.ok) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer.value;
}

async function ended(runId: string): Promise<RunDetail> {
  await expect
    .poll(async () => FINAL_RUN.includes((await ask('run.get', { runId }))?.run.status as never), { timeout: 90_000 })
    .toBe(true);
  return (await ask('run.get', { runId })) as RunDetail;
}

async function shows(tab: string, selector: string): Promise<void> {
  const there = `document.querySelector(${JSON.stringify(selector)}) !== null`;
  await expect
    .poll(() => firefox.bidi.evaluate<boolean>(tab, there), { timeout: 30_000, message: selector })
    .toBe(true);
}

const step = (id: string, action: string, args: JsonObject): JsonObject => ({
  id,
  type: 'browser_action',
  action,
  arguments: args,
});

test('a confirm at a click, one by a timer, one while the page loads: the step answers; nothing hangs', async () => {
  const source = JSON.stringify({
    format: 'tabloom/v1',
    id: 'dialogs',
    name: 'Dialogs',
    sites: ['http://127.0.0.1/*'],
    steps: [
      step('open', 'navigate', { url: `${site.origin}/load`, dialog: { accept: true } }),
      step('buttons', 'navigate', { url: `${site.origin}/buttons` }),
      step('no', 'click', { target: { css: '#confirm' } }),
      step('yes', 'click', { target: { css: '#confirm' }, dialog: { accept: true } }),
      step('name', 'click', { target: { css: '#prompt' }, dialog: { accept: true, text: 'Ada' } }),
      step('later', 'click', { target: { css: '#later' }, dialog: { accept: true } }),
      step('seen', 'wait_for', { text: 'later true' }),
      step('go', 'click', { target: { css: '#go' }, dialog: { accept: true } }),
      step('there', 'wait_for', { text: 'Plain' }),
    ],
  });
  await ask('workflow.import', { source, enable: true });
  const popup = await firefox.bidi.openTab(firefox.url('popup.html'));
  await shows(popup, '[data-testid="start-dialogs"]');
  await firefox.bidi.click(popup, '[data-testid="start-dialogs"]');
  await shows(popup, '[data-testid="missing-grants"] [data-testid="grant"]');
  await firefox.bidi.click(popup, '[data-testid="missing-grants"] [data-testid="grant"]');
  await expect.poll(() => ask('grants.list', {})).toEqual({ origins: ['http://127.0.0.1/*'] });
  await firefox.bidi.send('browsingContext.close', { context: popup });

  const started = await ask('run.start', { workflowId: 'dialogs', input: {} });
  if ('refused' in started) throw new Error(JSON.stringify(started.refused));
  const { run, steps } = await ended(started.runId);
  expect(run.status, JSON.stringify(steps.map(({ path, error }) => [path, error]))).toBe('completed');
  expect(site.log).toEqual(['load true', 'confirm false', 'confirm true', 'prompt Ada', 'later true', 'go true']);
  const dialogs = (path: string) => (steps.find((one) => one.path === path)?.output as JsonObject | undefined)?.dialogs;
  expect(dialogs('open')).toEqual([{ type: 'confirm', message: 'While loading?', accepted: true }]);
  expect(dialogs('yes')).toEqual([{ type: 'confirm', message: 'Delete all rows?', accepted: true }]);
  expect(dialogs('name')).toEqual([{ type: 'prompt', message: 'Your name?', accepted: true, text: 'Ada' }]);
  expect(dialogs('go')).toEqual([{ type: 'confirm', message: 'Leave?', accepted: true }]);
});
