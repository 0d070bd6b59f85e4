import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CdpSession } from '../../src/cli/browser/cdp.ts';
import { evaluate, until, waitForLoad } from '../../src/cli/browser/page.ts';
import { openPopup } from '../../src/cli/browser/popup.ts';
import type { RunRow } from '../../src/model/run.ts';
import { expect, type Product, see, test } from '../support/product.ts';

/** Triggers in the real browser: pages that change their address by themselves, alarms, the context menu. Nothing is attached to the worker. */

test.setTimeout(240_000);

const HOST = 'http://127.0.0.1/*';
const SITE = `<!doctype html><title>Shop</title><main id="main">Home</main><script>
function show(path) {
  history.pushState(null, '', path);
  draw();
}
function draw() {
  const list = location.pathname === '/list';
  document.title = list ? 'List' : 'Home';
  main.innerHTML = '';
  if (list) setTimeout(() => { main.innerHTML = '<table class="open"><tr><td>Three open lines</td></tr></table>'; }, 300);
}
draw();
</script>`;
const STEPS = `steps:
  - { id: a, type: deterministic_command, operation: identity, arguments: { value: "{{workflow_input}}" } }
output: "{{step.a}}"
`;

/** A trigger that is on. */
async function switchOn(product: Product, source: string, triggerId: string, origin?: string): Promise<string> {
  const saved = await product.ask('workflow.import', { source, enable: true });
  if ('refused' in saved) throw new Error(JSON.stringify(saved.refused));
  const { workflowId } = saved;
  for (const more of [{}, ...(origin === undefined ? [] : [{ origin }])]) {
    const answer = await product.ask('trigger.switch', { workflowId, triggerId, on: true, ...more });
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
  }
  return workflowId;
}

/** All runs of the workflow, oldest first. */
async function runsOf(product: Product, workflowId: string): Promise<RunRow[]> {
  const { live, history } = await product.ask('state.get', {});
  return [...history, ...live].filter((run) => run.workflowId === workflowId).sort((a, b) => a.createdAt - b.createdAt);
}

const untilRuns = (product: Product, workflowId: string, count: number) =>
  until(
    async () => {
      const runs = await runsOf(product, workflowId);
      return runs.length >= count && runs.every(({ status }) => status === 'completed') && runs;
    },
    () => new Error(`There are not ${count} runs of ${workflowId}.`),
  );

test.describe('on pages', () => {
  let server: Server;
  let origin: string;

  test.beforeEach(async () => {
    server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(SITE));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  test.afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const openTab = async (product: Product, url: string): Promise<CdpSession> => {
    const { cdp } = product.browser;
    const { targetId } = await cdp.send<{ targetId: string }>('Target.createTarget', { url });
    const tab = await cdp.attach(targetId);
    await waitForLoad(tab);
    return tab;
  };
  const badge = (product: Product, url: string) =>
    product.page.evaluate<string>(
      `chrome.tabs.query({}).then((tabs) => chrome.action.getBadgeText({ tabId: tabs.find((tab) => tab.url === ${JSON.stringify(url)})?.id }))`,
    );
  const source = (more: string) => `format: tabloom/v1
id: shop
name: Shop list
sites: ["${HOST}"]
inputs:
  type: object
  required: [url, text, note]
  properties: { url: { type: string }, text: { type: string }, note: { type: string, default: none } }
triggers:
  - id: on-list
    type: page
    match: ["http://127.0.0.1/list*"]
    selector: table.open
    input: { url: "{{trigger.url}}", text: "{{trigger.matched}}" }${more}
${STEPS}`;

  test('offered by badge and popup after the page has changed its own address, and started there with what is known', async ({
    product,
  }) => {
    await product.grant(HOST);
    await product.launch();
    await switchOn(product, source(''), 'on-list');
    const tab = await openTab(product, `${origin}/`);
    await sleep(1500);
    expect(await badge(product, `${origin}/`)).toBe('');

    await evaluate(tab, "show('/list')");
    await until(
      async () => (await badge(product, `${origin}/list`)) === '▸',
      () => new Error('The badge says nothing.'),
    );
    // The popup of the window in which the page is shown.
    const popup = await openPopup({ ...product.page, session: tab });
    await see(popup, 'section[aria-label="Run on this page"] [data-testid="start-shop"]');
    await popup.click('section[aria-label="Run on this page"] [data-testid="start-shop"]');
    await until(
      () => popup.evaluate<boolean>(`document.querySelector('[data-testid="field-url"]')?.value === '${origin}/list'`),
      () => new Error('The form does not know the address.'),
    );
    await popup.click('[data-testid="submit-shop"]');
    const [run] = await untilRuns(product, 'shop', 1);
    await popup.close().catch(() => undefined);
    const { run: whole } = await product.detail(run?.runId ?? '');
    expect(whole.trigger).toEqual({
      type: 'page',
      id: 'on-list',
      url: `${origin}/list`,
      title: 'List',
      matched: 'Three open lines',
    });
    expect(whole.output).toEqual({ url: `${origin}/list`, text: 'Three open lines', note: 'none' });
    expect(whole.tabs?.list).toMatchObject([{ tab: 't1', url: `${origin}/list` }]);

    await evaluate(tab, "show('/')");
    await until(
      async () => (await badge(product, `${origin}/`)) === '',
      () => new Error('The badge stays.'),
    );
  });

  test('starts by itself where the person has allowed it, once for each visit, also over the death of the worker', async ({
    product,
  }) => {
    await product.grant(HOST);
    await product.launch();
    await switchOn(product, source('\n    auto: true'), 'on-list');
    const tab = await openTab(product, `${origin}/list`);
    await sleep(4000);
    // On, but not allowed to start by itself.
    expect(await runsOf(product, 'shop')).toEqual([]);

    const { triggers } = await product.ask('triggers.list', { workflowId: 'shop' });
    expect(triggers[0]?.origins).toEqual([{ origin: HOST, on: false }]);
    await product.ask('trigger.switch', { workflowId: 'shop', triggerId: 'on-list', on: true, origin: HOST });
    await evaluate(tab, "show('/')");
    await evaluate(tab, "show('/list')");
    await untilRuns(product, 'shop', 1);
    for (const move of ["location.hash = '#part'", "history.replaceState(null, '', '/list#other')"]) {
      await product.stopWorker();
      await evaluate(tab, move);
      await sleep(2500);
    }
    expect(await runsOf(product, 'shop')).toHaveLength(1);

    await tab.send('Page.reload');
    const runs = await untilRuns(product, 'shop', 2);
    await sleep(2500);
    expect(await runsOf(product, 'shop')).toHaveLength(2);
    const details = await Promise.all(runs.map(({ runId }) => product.detail(runId)));
    expect(details.map(({ run }) => run.trigger.matched)).toEqual(['Three open lines', 'Three open lines']);
  });
});

test('a schedule: its alarm wakes the worker, and each time is one run, though the worker is stopped again and again', async ({
  product,
}) => {
  await product.launch();
  const workflowId = await switchOn(
    product,
    `format: tabloom/v1
id: clockwork
name: Clockwork
inputs: { type: object, required: [at], properties: { at: { type: string } } }
triggers: [{ id: minutely, type: schedule, cron: "* * * * *", timezone: Europe/Berlin, input: { at: "{{trigger.scheduledAt}}" } }]
${STEPS}`,
    'minutely',
  );
  const alarmAt = () =>
    product.page.evaluate<number>(
      "chrome.alarms.getAll().then((all) => all.find(({ name }) => name === 'tabloom.due')?.scheduledTime ?? 0)",
    );
  const due = await until(
    async () => (await alarmAt()) || undefined,
    () => new Error('No alarm is set.'),
  );
  await product.stopWorker();
  // Nobody asks the background for anything meanwhile: only the alarm can wake it.
  await sleep(due - Date.now() + 3000);
  await product.stopWorker();
  const after = Date.now();
  const runs = await untilRuns(product, workflowId, 1);
  expect(runs[0]?.createdAt).toBeLessThan(after);
  for (let turn = 0; turn < 3; turn++) {
    await product.stopWorker();
    await product.ask('state.get', {});
  }
  const all = await runsOf(product, workflowId);
  expect(new Set(all.map(({ startKey }) => startKey)).size).toBe(all.length);
  expect(all[0]?.trigger).toMatchObject({ type: 'schedule', id: 'minutely' });
  expect(Date.parse(String(all[0]?.trigger.scheduledAt)) % 60_000).toBe(0);

  // The browser loses its alarms when it ends; a new one sets them again.
  await product.close();
  await product.launch();
  await until(
    async () => (await alarmAt()) > Date.now(),
    () => new Error('No alarm is set after the browser has come back.'),
  );
});

test('the context menu has an entry for a trigger that is on, and none once it is off', async ({ product }) => {
  await product.launch();
  const workflowId = await switchOn(
    product,
    `format: tabloom/v1
id: shelf
name: Save & keep 100%
triggers: [{ id: menu, type: context_menu, on: [link, selection] }]
${STEPS}`,
    'menu',
  );
  // There is no way to list entries; one that is not there cannot be changed.
  const there = (id: string) =>
    product.page.evaluate<boolean>(
      `chrome.contextMenus.update(${JSON.stringify(id)}, {}).then(() => true, () => false)`,
    );
  const becomes = (wanted: boolean) =>
    until(
      async () => (await there('trigger/shelf/menu')) === wanted,
      () => new Error(`The entry is ${wanted ? 'not ' : 'still '}there.`),
    );
  await becomes(true);
  expect(await there('tabloom')).toBe(true);
  await product.stopWorker();
  await product.ask('state.get', {});
  await becomes(true);
  await product.ask('trigger.switch', { workflowId, triggerId: 'menu', on: false });
  await becomes(false);
  expect(await there('tabloom')).toBe(false);
});
