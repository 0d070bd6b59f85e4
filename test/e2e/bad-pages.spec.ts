import {
  atWork,
  eventually,
  expect,
  expectAtTerminal,
  expectSentence,
  failureInPopup,
  fileOf,
  tabs,
  test,
} from '../support/bad-input.ts';
import { type Badness, type BadSite, findSilentPort, startNoTls } from '../support/bad-site.ts';
import { sampleOf } from '../support/matrix.ts';
import type { Product } from '../support/product.ts';

/**
 * Pages that are not as a workflow needs them, and tabs that a person's hand takes away. Each ends the run with one sentence that says what to do,
 * the same in the run, in the popup and at the terminal; once the cause is mended, *retry* completes it, and the site has got one message.
 */

test.setTimeout(240_000);
// It comes last, with the other files of its kind: no worker shall be left alone with it.
test.describe.configure({ mode: 'parallel' });

const open = (url: string, timeout = '30s') =>
  `{ id: open, type: browser_action, action: navigate, timeout: ${timeout}, arguments: { url: "${url}" } }`;
const FILL =
  '{ id: fill, type: browser_action, action: fill, timeout: 20s, arguments: { target: { label: Note }, value: hello } }';
const click = (timeout = '8s') =>
  `{ id: send, type: browser_action, action: click, timeout: ${timeout}, arguments: { target: { role: button, name: Send } } }`;

interface Case {
  /** Path on the site; part of the test's name. */
  id: string;
  situation: string;
  page: Badness;
  steps?(url: string): string[];
  /** What happens while a step is at work, in the run's tab. */
  during?: { step: string; tab(tabId: number, site: BadSite): string };
  code: string;
  step: string;
  says: RegExp;
  /** What the person does in the tab before the retry, beside mending the page. */
  before?: 'reload' | 'back';
}

const CASES: Case[] = [
  {
    id: 'absent',
    situation: 'the button is not there',
    page: 'empty',
    code: 'element_not_found',
    step: 'send',
    says: /Check the target: button "Send" is not on the page/,
    before: 'reload',
  },
  {
    id: 'double',
    situation: 'two buttons fit',
    page: 'twice',
    code: 'target_ambiguous',
    step: 'send',
    says: /Say which .*nth 0: button "Send"; nth 1: button "Send it later"/,
    before: 'reload',
  },
  {
    id: 'covered',
    situation: 'something lies over the button',
    page: 'covered',
    code: 'element_not_actionable',
    step: 'send',
    says: /Move what covers .* first: dialog "Accept our cookies"/,
    before: 'reload',
  },
  {
    id: 'disabled',
    situation: 'the button is disabled',
    page: 'disabled',
    code: 'element_not_actionable',
    step: 'send',
    says: /disabled/,
    before: 'reload',
  },
  {
    id: 'error',
    situation: 'the server answers with an error',
    page: 'status500',
    code: 'navigation_failed',
    step: 'open',
    says: /Retry later: .* \(HTTP 500\)/,
  },
  {
    id: 'file',
    situation: 'a file comes instead of a page',
    page: 'download',
    steps: (url) => [open(url, '4s'), click()],
    code: 'navigation_failed',
    step: 'open',
    says: /gives a file instead/,
  },
  {
    id: 'paper',
    situation: 'a PDF comes instead of a page',
    page: 'pdf',
    steps: (url) => [open(url, '5s'), click()],
    code: 'navigation_failed',
    step: 'open',
    says: /gives a file instead|could not open/,
  },
  {
    id: 'redirect',
    situation: 'the page leads to a site that is none of the workflow’s',
    page: 'elsewhere',
    code: 'site_not_allowed',
    step: 'open',
    says: /Add http:\/\/localhost:\d+ to the workflow's sites if it should work there/,
  },
  {
    id: 'closed',
    situation: 'the tab is closed while a click waits',
    page: 'empty',
    during: { step: 'send', tab: (tab) => `remove(${tab})` },
    code: 'tab_closed',
    step: 'send',
    says: /Retry the run, and its page is opened again/,
  },
  {
    id: 'closed-early',
    situation: 'the tab is closed while its page is awaited',
    page: 'hang',
    during: { step: 'open', tab: (tab) => `remove(${tab})` },
    code: 'tab_closed',
    step: 'open',
    says: /Retry the run, and its page is opened again/,
  },
  {
    id: 'left',
    situation: 'the tab goes to another page of the site while a click waits',
    page: 'empty',
    during: { step: 'send', tab: (tab, site) => `update(${tab}, { url: '${site.url('left', 'empty')}?other' })` },
    code: 'element_not_found',
    step: 'send',
    says: /Check the target/,
    before: 'back',
  },
  {
    id: 'astray',
    situation: 'the tab goes to another site while a click waits',
    page: 'empty',
    during: { step: 'send', tab: (tab, site) => `update(${tab}, { url: '${site.foreign}/astray/plain' })` },
    code: 'site_not_allowed',
    step: 'send',
    says: /Add http:\/\/localhost:\d+ to the workflow's sites/,
    before: 'back',
  },
  {
    id: 'inside',
    situation: 'the tab goes to a page of the browser itself while a click waits',
    page: 'empty',
    during: { step: 'send', tab: (tab) => `update(${tab}, { url: 'chrome://version/' })` },
    code: 'site_not_allowed',
    step: 'send',
    says: /Bring the tab back, then retry|Use an http or https page/,
    before: 'back',
  },
];

for (const one of sampleOf('pages that go wrong', CASES, 6, ({ situation }) => situation)) {
  test(`${one.situation}: ${one.code} in one sentence everywhere; mended and retried it completes, sent once`, async ({
    shared,
    site,
  }) => {
    const url = site.url(one.id, one.page);
    const steps = one.steps?.(url) ?? [open(url), click(one.during ? '12s' : undefined)];
    const runId = await shared.start(fileOf(one.id, [`${site.origin}/*`], steps));
    if (one.during) {
      await atWork(shared, runId, one.during.step);
      await eventually('a visit', () => site.visits(one.id) > 0);
      await tabs(shared, one.during.tab(await tabNumber(shared, one.id), site));
    }
    const failed = await shared.ended(runId);
    const { error, status } = failed.run;
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: one.code, step: one.step, message: expect.stringMatching(one.says) });
    expectSentence(error?.message ?? '');
    expectAtTerminal(failed);
    const shown = await failureInPopup(shared, runId);
    expect(shown).toContain(error?.message);
    expect(shown).toContain(`Code ${one.code}`);
    expect(site.sent(one.id)).toEqual([]);

    site.mend(one.id);
    const tabId = failed.run.tabs?.list[0]?.browserTabId;
    if (one.before === 'reload') await tabs(shared, `reload(${tabId})`);
    if (one.before === 'back') {
      await tabs(shared, `update(${tabId}, { url: '${site.url(one.id, 'plain')}' })`);
      // The person sees it come; a retry before that would meet the page it went astray to.
      await eventually('the page', () =>
        shared.page.evaluate(
          `chrome.tabs.get(${tabId}).then(({ url, status }) => status === 'complete' && url === '${site.url(one.id, 'plain')}')`,
        ),
      );
    }
    expect(await shared.command({ type: 'retry', runId })).toMatchObject({ ok: true });
    const ended = await shared.ended(runId);
    expect(ended.run.error).toBeUndefined();
    expect(ended.run.status).toBe('completed');
    expect(site.sent(one.id)).toHaveLength(1);
    // What was done stays done.
    if (one.step === 'send') expect(ended.steps.find(({ path }) => path === 'open')).toMatchObject({ attempt: 1 });
  });
}

/** The browser's number of the tab that is at, or on its way to, a case's page. */
function tabNumber(product: Product, id: string): Promise<number> {
  return product.page.evaluate(
    `chrome.tabs.query({}).then((all) => all.find(({ url, pendingUrl }) => (pendingUrl || url || '').includes('/${id}/')).id)`,
  );
}

for (const [id, situation] of [
  ['strict', 'strict CSP, Trusted Types and a sandbox without scripts'],
  ['isolated', 'COOP, COEP and X-Frame-Options'],
] as const) {
  test(`a page with ${situation}: filled in and sent, once`, async ({ shared, site }) => {
    const runId = await shared.start(fileOf(id, [`${site.origin}/*`], [open(site.url(id, id)), FILL, click('20s')]));
    expect((await shared.ended(runId)).run.error).toBeUndefined();
    expect(site.sent(id)).toEqual(['hello']);
  });
}

test('a page that draws its button anew all the time: sent once, or said that it does not stand still', async ({
  shared,
  site,
}) => {
  const runId = await shared.start(
    fileOf('restless', [`${site.origin}/*`], [open(site.url('restless', 'restless')), click('12s')]),
  );
  const { run } = await shared.ended(runId);
  expect(site.sent('restless')).toHaveLength(run.status === 'completed' ? 1 : 0);
  if (run.error) expectSentence(run.error.message);
});

test('the tab is loaded anew while a click waits: it goes on in the new page, and sends once', async ({
  shared,
  site,
}) => {
  const runId = await shared.start(
    fileOf('again', [`${site.origin}/*`], [open(site.url('again', 'empty')), click('30s')]),
  );
  await atWork(shared, runId, 'send');
  site.mend('again');
  await tabs(shared, `reload(${await tabNumber(shared, 'again')})`);
  expect((await shared.ended(runId)).run.status).toBe('completed');
  expect(site.sent('again')).toHaveLength(1);
});

test('nobody listens, no such name, no TLS: the connection is named; once somebody listens, a retry completes', async ({
  shared,
}) => {
  const silent = await findSilentPort();
  const noTls = await startNoTls();
  const cases = { silent: silent.origin, nameless: 'http://nowhere.invalid', insecure: noTls.origin };
  try {
    for (const [id, origin] of Object.entries(cases)) {
      const runId = await shared.start(
        fileOf(id, [`${new URL(origin).protocol}//${new URL(origin).hostname}/*`], [open(`${origin}/`)]),
      );
      const failed = await shared.ended(runId);
      expect(failed.run.error).toMatchObject({ code: 'navigation_failed', step: 'open' });
      expect(failed.run.error?.message).toBe(
        `Check the address and the connection, then retry: the browser could not open ${origin}.`,
      );
      expectAtTerminal(failed);
      expect(await failureInPopup(shared, runId)).toContain(origin);
      if (id !== 'silent') continue;
      const end = await silent.open('<!doctype html><title>Here</title><h1>Here</h1>');
      await shared.command({ type: 'retry', runId });
      expect((await shared.ended(runId)).run.status).toBe('completed');
      await end();
    }
  } finally {
    await noTls.close();
  }
});

test('a server that never answers: said with what to look at; the next attempt, once it answers, completes', async ({
  shared,
  site,
}) => {
  const runId = await shared.start(
    fileOf('hang', [`${site.origin}/*`], [open(site.url('hang', 'hang'), '4s'), click('20s')]),
  );
  const failed = await shared.ended(runId);
  expect(failed.run.error).toMatchObject({
    code: 'navigation_failed',
    message: expect.stringContaining('can be reached, then retry'),
  });
  expectSentence(failed.run.error?.message ?? '');
  site.mend('hang');
  // The browser itself may still hold the question that was never answered; the person ends that by closing the tab.
  await tabs(shared, `remove(${failed.run.tabs?.list[0]?.browserTabId ?? (await tabNumber(shared, 'hang'))})`);
  await eventually('the end', async () => {
    const { run } = await shared.detail(runId);
    if (run.status === 'failed') await shared.command({ type: 'retry', runId });
    return run.status === 'completed';
  });
  expect(site.sent('hang')).toHaveLength(1);
});
