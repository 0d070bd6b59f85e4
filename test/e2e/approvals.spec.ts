import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Requests } from '../../src/app/protocol.ts';
import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import type { Popup } from '../../src/cli/browser/popup.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { type CountingSite, startCountingSite } from '../support/counting-server.ts';
import { sampleOf } from '../support/matrix.ts';
import { test as base, expect, type Product, see } from '../support/product.ts';

/** Scenarios about approvals, over the whole product: the real popup, a worker that nobody watches, a site that counts. */

const test = base.extend<{ site: CountingSite }>({
  site: async ({ browserName: _ }, use) => {
    const site = await startCountingSite();
    await use(site);
    site.close();
  },
});
test.setTimeout(240_000);

const CARD = '[data-testid="approval-card"]';
const FREE = '[data-testid="decision"]:not([data-inert])';

async function begin(product: Product, site: CountingSite): Promise<void> {
  await product.grant(site.origin);
  await product.launch();
}

/** What the toolbar button says. */
const badge = (product: Product) => product.page.evaluate<string>('chrome.action.getBadgeText({})');

/** What a surface of ours would send; the product's own `command` speaks as the terminal. */
const said = (product: Product, command: Requests['command.send']['in']['command']) =>
  product.ask('command.send', { commandId: randomUUID(), command, surface: 'sidepanel' });

/** How often a path was asked for. */
const count = (site: CountingSite, path: string) => site.got.filter((one) => one.path.startsWith(path)).length;

const sent = (site: CountingSite) =>
  site.got
    .map(({ path }) => path)
    .filter((path) => path.startsWith('/send/'))
    .sort();

const press = (id: string, n: string | number) =>
  `{ id: ${id}, type: browser_action, action: click, arguments: { target: { role: button, name: "Send ${n}", exact: true } } }`;

const saving = (origin: string, risk: string, id = 'saving') => `format: tabloom/v1
id: ${id}
name: Saving
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${origin}/" } }
  - { id: gate, type: approval, title: "Save the draft?", covers: [save], risk: ${risk} }
  - ${press('save', 0)}
`;

async function startAgain(product: Product, workflowId: string): Promise<string> {
  const started = await product.ask('run.start', { workflowId, input: {} });
  if ('refused' in started) throw new Error(started.refused.message);
  return started.runId;
}

test('approval-7: always for a reversible act, then the browser is killed and started: no prompt, listed with its use and end; an irreversible act still asks; withdrawn, it asks again', async ({
  product,
  site,
}) => {
  await begin(product, site);
  const first = await product.start(saving(site.origin, 'reversible'));
  const asked = await product.pending(first, 'gate');
  await product.inPopup(async (popup) => {
    await see(popup, `${CARD}[data-hash="${asked.hash}"] [data-testid="always-box"]`);
    await popup.click('[data-testid="always-box"]');
    await see(popup, '[data-testid="always-covers"]');
    await see(popup, FREE);
    await popup.click('[data-testid="approve"]');
    await product.ended(first);
  });
  expect(count(site, '/send/0')).toBe(1);

  await product.kill();
  await product.launch();

  const second = await startAgain(product, 'saving');
  const { run, approvals } = await product.ended(second);
  expect(run.status).toBe('completed');
  expect(count(site, '/send/0')).toBe(2);
  const [rule] = (await product.ask('rules.list', {})).rules;
  expect(rule).toMatchObject({ workflowId: 'saving', stepId: 'gate', uses: 1, by: 'person' });
  expect((rule?.expiresAt ?? 0) - (rule?.createdAt ?? 0)).toBe(30 * 86_400_000);
  expect(approvals).toMatchObject([{ status: 'approved', decision: { by: `rule:${rule?.ruleId}` } }]);
  expect(await badge(product)).toBe('');

  // The same act as something that cannot be undone, in the same workflow: a rule is no answer to that.
  const third = await product.start(saving(site.origin, 'irreversible'));
  const severe = await product.pending(third, 'gate');
  expect(severe.standing).toBeUndefined();
  expect(await badge(product)).toBe('1');
  await product.decide(severe, 'reject');
  await product.ended(third);

  // As it was, it needs no prompt again; until it is withdrawn in Settings.
  const fourth = await product.start(saving(site.origin, 'reversible'));
  expect((await product.ended(fourth)).run.status).toBe('completed');
  const settings = await openExtensionPage(product.browser.cdp, 'app.html#/settings');
  const shown = (text: string) =>
    `document.querySelector('[data-testid="rules"]')?.innerText.includes(${JSON.stringify(text)})`;
  await until(
    () => settings.evaluate<boolean>(shown('Used 2 times')),
    () => new Error('The rule is not listed with its uses.'),
    30_000,
  );
  await settings.evaluate(`document.querySelector('[data-testid="withdraw-rule"]').click()`);
  await until(
    () => settings.evaluate<boolean>(shown('Nothing is always allowed')),
    () => new Error('The rule is still listed.'),
    30_000,
  );
  await settings.close();
  const fifth = await startAgain(product, 'saving');
  expect((await product.pending(fifth, 'gate')).status).toBe('pending');
  expect(count(site, '/send/0')).toBe(3);
});

/** What closes or hides the popup without a word. */
const LEAVINGS: [how: string, leave: (product: Product, popup: Popup) => Promise<void>][] = [
  [
    'closed by Escape',
    async (_, popup) => {
      // Typing Escape into a popup closes it; the answer may not come any more.
      const key = { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 };
      await popup.session.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key }).catch(() => undefined);
      await popup.session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key }).catch(() => undefined);
    },
  ],
  [
    'left for another window, which takes the focus',
    async (product) => {
      await openExtensionPage(product.browser.cdp, 'app.html#/workflows', { newWindow: true });
    },
  ],
  [
    'left by minimising its window',
    async (product) => {
      const { cdp } = product.browser;
      const { targetId } = product.page;
      const { windowId } = await cdp.send<{ windowId: number }>('Browser.getWindowForTarget', { targetId });
      await cdp.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'minimized' } });
      await sleep(500);
      await cdp.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'normal' } });
    },
  ],
];

for (const [how, leave] of sampleOf('the popup is left', LEAVINGS, 1, ([one]) => one)) {
  test(`approval-8: the popup with a typed comment is ${how}: still pending, the badge shows it, the comment is kept and goes with the decision`, async ({
    product,
    site,
  }) => {
    await begin(product, site);
    const runId = await product.start(saving(site.origin, 'irreversible'));
    const before = await product.pending(runId, 'gate');
    const comment = 'Looks right — “ümläuts” too';
    await product.inPopup(async (popup) => {
      await see(popup, `${CARD} [data-testid="comment"]`);
      await popup.click(`${CARD} [data-testid="comment"]`);
      await popup.session.send('Input.insertText', { text: comment });
      await leave(product, popup);
    });
    expect(await product.pending(runId, 'gate')).toEqual(before);
    expect(await badge(product)).toBe('1');
    expect(sent(site)).toEqual([]);

    await product.inPopup(async (popup) => {
      await until(
        async () =>
          (await popup.evaluate<string>(`document.querySelector('[data-testid="comment"]')?.value`)) === comment,
        () => new Error('The comment was not kept.'),
        30_000,
      );
      await see(popup, FREE);
      await popup.click('[data-testid="approve"]');
      await product.ended(runId);
    });
    const { approvals } = await product.detail(runId);
    expect(approvals[0]?.decision).toMatchObject({ decision: 'approved', comment });
    expect(sent(site)).toEqual(['/send/0']);
  });
}

test('approval-9: five drafts are approved together in the popup, go out in the night, each once; the sixth, met later, waits and calls the person', async ({
  product,
  site,
}) => {
  await begin(product, site);
  // Time enough for a person's evening on a busy machine.
  const night = Date.now() + 90_000;
  const runId = await product.start(`format: tabloom/v1
id: night
name: Night
sites: ["http://127.0.0.1/*"]
timeout: 10m
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${site.origin}/" } }
  - id: each
    type: loop
    over: [0, 0, 0, 0, 0, ${night + 2000}]
    concurrency: 5
    steps:
      - { id: ready, type: wait, until: "{{loop_item}}" }
      - { id: ask, type: approval, title: "Send draft {{loop_index}}?", covers: [send], risk: message }
      - { id: dark, type: wait, until: ${night} }
      - ${press('send', '{{loop_index}}')}
`);
  const five = await product.look(runId, 'five approvals', ({ approvals }) => {
    const pending = approvals.filter(({ status }) => status === 'pending');
    return pending.length === 5 && pending;
  });
  expect(new Set(five.map(({ hash }) => hash)).size).toBe(5);
  expect(await badge(product)).toBe('5');
  await product.inPopup(async (popup) => {
    await see(popup, '[data-testid="together"]');
    await popup.click('[data-testid="together"]');
    for (const { hash } of five) {
      const item = `[data-testid="batch-item"][data-hash="${hash}"]`;
      await see(popup, item);
      await popup.evaluate(`document.querySelector('${item} .batch-end').scrollIntoView({ block: 'center' })`);
      await see(popup, `${item}[data-seen]`);
    }
    await see(popup, FREE);
    await popup.click('[data-testid="approve-these"]');
    await product.look(runId, 'their decisions', ({ approvals }) =>
      approvals.every(({ status }) => status === 'approved'),
    );
  });
  expect(Date.now(), 'the five were decided before the night began').toBeLessThan(night);
  expect(sent(site)).toEqual([]);
  expect(await badge(product)).toBe('');

  const sixth = await product.pending(runId, 'each[5]/ask');
  await product.look(runId, 'the night’s work', ({ run }) => run.status === 'waiting');
  const sends = [0, 1, 2, 3, 4].map((n) => `/send/${n}`);
  expect(sent(site)).toEqual(sends);
  expect(site.got.every(({ at }) => at >= night)).toBe(true);
  expect(await badge(product)).toBe('1');
  const { approvals, run } = await product.detail(runId);
  expect(run.waitingFor).toEqual(['approval']);
  expect(
    approvals
      .filter(({ status }) => status === 'approved')
      .map(({ hash }) => hash)
      .sort(),
  ).toEqual(five.map(({ hash }) => hash).sort());
  await product.decide(sixth, 'approve');
  expect((await product.ended(runId)).run.status).toBe('completed');
  expect(sent(site)).toEqual([...sends, '/send/5']);
});

test('approval-4: nobody decides in time: the events say expired, the fallback reminds with the code, and nothing is sent', async ({
  product,
  site,
}) => {
  await begin(product, site);
  const runId = await product.start(`format: tabloom/v1
id: late
name: Late
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${site.origin}/" } }
  - id: gate
    type: approval
    title: "Send it?"
    covers: [send]
    expiresAfter: 3s
    fallback:
      steps: [{ id: remind, type: browser_action, action: navigate, arguments: { url: "${site.origin}/remind?code={{error.code}}" } }]
  - ${press('send', 0)}
`);
  const asked = await product.pending(runId, 'gate');
  // Not approved, so what it covers is asked about by itself.
  await product.pending(runId, 'send');
  expect(site.got.map(({ path }) => path)).toEqual(['/remind?code=approval_expired']);
  const { events } = await product.ask('run.events', { runId });
  const about = events.filter(({ path, type }) => path === 'gate' && type.startsWith('approval.'));
  expect(about.map(({ type, data }) => [type, data.status])).toEqual([
    ['approval.requested', undefined],
    ['approval.closed', 'expired'],
  ]);
  expect(JSON.stringify(events)).not.toContain('rejected');
  const late = { type: 'decide', runId, path: 'gate', hash: asked.hash, decision: 'approved' } as const;
  expect(await said(product, late)).toMatchObject({ ok: false, code: 'approval_expired' });
  expect(sent(site)).toEqual([]);
});

test('approval-5: the same approving click three times in the popup, and three times by message: one decision, one effect, the second approval is pending', async ({
  product,
  site,
}) => {
  await begin(product, site);
  const runId = await product.start(`format: tabloom/v1
id: clicks
name: Clicks
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${site.origin}/" } }
  - { id: one, type: approval, title: "Send the first?", covers: [first] }
  - ${press('first', 1)}
  - { id: two, type: approval, title: "Send the second?", covers: [second] }
  - ${press('second', 2)}
`);
  const one = await product.pending(runId, 'one');
  const again = { type: 'decide', runId, path: 'one', hash: one.hash, decision: 'approved' } as const;
  const two = await product.inPopup(async (popup) => {
    await see(popup, `${CARD}[data-hash="${one.hash}"] ${FREE}`);
    // In one turn: no answer of the background can come between.
    await popup.evaluate(
      `(() => { const b = document.querySelector('[data-testid="approve"]'); for (const _ of [1, 2, 3]) b.click(); })()`,
    );
    return product.pending(runId, 'two');
  });
  const answers = await Promise.all([1, 2, 3].map(() => said(product, again)));
  expect(answers).toEqual([1, 2, 3].map(() => ({ ok: true, data: { repeated: true } })));
  expect(await product.pending(runId, 'two')).toEqual(two);
  expect(sent(site)).toEqual(['/send/1']);
  const { events } = await product.ask('run.events', { runId });
  expect(events.filter(({ type }) => type === 'approval.decided')).toHaveLength(1);
});

/** A surface of ours, open in a tab. */
async function surface(product: Product, page: string) {
  const opened = await openExtensionPage(product.browser.cdp, page, { background: true });
  await see(opened, CARD);
  return opened;
}

const shows = (page: Pick<Popup, 'evaluate'>, selector: string) =>
  page.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}) !== null`);

/** Resolves in a page with what it says of its card, once that has gone away. */
const WATCH = `new Promise((done) => {
  const look = () => {
    const said = document.querySelector('[data-testid="toast"]')?.innerText;
    if (document.querySelector('${CARD}') === null && said) done(said);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
})`;

for (const [how, outcome] of [
  ['answered in the popup', 'Approved by you on'],
  ['cancelled meanwhile', 'Cancelled by you on'],
] as const) {
  test(`approval-11: open in popup, side panel and app page, it is ${how}: gone in all by itself, each says what became of it, and a late answer is told who and when`, async ({
    product,
    site,
  }) => {
    await begin(product, site);
    const runId = await product.start(saving(site.origin, 'irreversible'));
    const asked: ApprovalRow = await product.pending(runId, 'gate');
    const others = [await surface(product, 'sidepanel.html'), await surface(product, 'app.html#/approvals')];
    const gone = others.map((page) => page.evaluate<string>(WATCH, { timeoutMs: 120_000 }));
    await product.inPopup(async (popup) => {
      await see(popup, `${CARD} ${FREE}`);
      if (how === 'cancelled meanwhile') {
        await said(product, { type: 'cancel', runId });
        await until(
          async () => !(await shows(popup, CARD)),
          () => new Error('The card is still in the popup.'),
        );
      } else {
        await popup.click('[data-testid="approve"]');
        await product.ended(runId);
      }
    });
    const { approvals } = await product.detail(runId);
    const at = approvals[0]?.decision?.at ?? approvals[0]?.closed?.at ?? 0;
    // Nobody touched those pages. How soon is not asserted here, where the machine may be busy.
    for (const words of await Promise.all(gone)) expect(words).toContain(outcome);
    const late = { type: 'decide', runId, path: 'gate', hash: asked.hash, decision: 'rejected' } as const;
    expect(await said(product, late)).toMatchObject({
      ok: false,
      details: { outcome: how === 'cancelled meanwhile' ? 'cancelled' : 'approved', by: 'person', at },
    });
    expect(sent(site)).toEqual(how === 'cancelled meanwhile' ? [] : ['/send/0']);
  });
}
