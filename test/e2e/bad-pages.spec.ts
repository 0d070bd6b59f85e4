import { atWork, eventually, expect, fileOf, tabOf, tabs, test } from '../support/bad-input.ts';
import type { BadSite } from '../support/bad-site.ts';
import type { Product } from '../support/product.ts';

const OPEN = (url: string, more = '') =>
  `{ id: open, type: browser_action, action: navigate, arguments: { url: "${url}" }${more} }`;
const FILL = `{ id: fill, type: browser_action, action: fill, timeout: 20s, arguments: { target: { label: Note }, value: hello } }`;
const SEND = (ms = '20s', target = '{ role: button, name: Send }') =>
  `{ id: send, type: browser_action, action: click, timeout: ${ms}, arguments: { target: ${target} } }`;

interface C {
  id: string;
  steps(site: BadSite): string[];
  sites?(site: BadSite): string[];
  during?(p: Product, runId: string, site: BadSite): Promise<void>;
  before?(p: Product, runId: string, site: BadSite): Promise<void>;
}
const away = (
  id: string,
  step: string,
  call: (tab: number, site: BadSite) => string,
  steps: (s: BadSite) => string[],
  before?: C['before'],
): C => ({
  id,
  steps,
  before,
  during: async (p, runId, site) => {
    await atWork(p, runId, step);
    if (step === 'open') await eventually('visit', () => site.visits(id) > 0);
    await new Promise((r) => setTimeout(r, 400));
    await tabs(
      p,
      call(
        await p.page.evaluate<number>(
          `chrome.tabs.query({}).then((all) => all.find((t) => (t.pendingUrl ?? t.url ?? '').includes('/${id}/'))?.id ?? 0)`,
        ),
        site,
      ),
    );
  },
});
const waits =
  (id: string, limit = '5s') =>
  (s: BadSite) => [OPEN(s.url(id, 'empty')), SEND(limit)];
const cases: C[] = [
  { id: 'not-found', steps: (s) => [OPEN(s.url('not-found', 'empty')), SEND('2s')] },
  { id: 'twice', steps: (s) => [OPEN(s.url('twice', 'twice')), FILL, SEND('2s')] },
  { id: 'covered', steps: (s) => [OPEN(s.url('covered', 'covered')), SEND('2s')] },
  { id: 'disabled', steps: (s) => [OPEN(s.url('disabled', 'disabled')), SEND('2s')] },
  { id: 'stale', steps: (s) => [OPEN(s.url('stale', 'plain')), SEND('2s', '{ ref: e99 }')] },
  { id: 'restless', steps: (s) => [OPEN(s.url('restless', 'restless')), SEND('5s')] },
  { id: 'hang', steps: (s) => [OPEN(s.url('hang', 'hang'), ', timeout: 3s'), SEND()] },
  { id: 'status', steps: (s) => [OPEN(s.url('status', 'status500')), SEND('2s')] },
  {
    id: 'download',
    steps: (s) => [
      OPEN(s.url('download', 'plain')),
      OPEN(s.url('download', 'download')).replace('open', 'again'),
      SEND('2s'),
    ],
  },
  { id: 'download-first', steps: (s) => [OPEN(s.url('download-first', 'download'), ', timeout: 3s'), SEND('2s')] },
  { id: 'pdf', steps: (s) => [OPEN(s.url('pdf', 'pdf'), ', timeout: 5s'), SEND('2s')] },
  { id: 'elsewhere', steps: (s) => [OPEN(s.url('elsewhere', 'elsewhere')), SEND('2s')] },
  { id: 'strict', steps: (s) => [OPEN(s.url('strict', 'strict')), FILL, SEND()] },
  { id: 'isolated', steps: (s) => [OPEN(s.url('isolated', 'isolated')), FILL, SEND()] },
  { id: 'refused', sites: () => ['http://127.0.0.1/*'], steps: () => [OPEN('http://127.0.0.1:9/'), SEND()] },
  { id: 'dns', sites: () => ['http://nowhere.invalid/*'], steps: () => [OPEN('http://nowhere.invalid/'), SEND()] },
  {
    id: 'tls',
    sites: () => ['https://127.0.0.1/*'],
    steps: (s) => [OPEN(s.origin.replace('http:', 'https:')), SEND()],
  },
  away('click-closed', 'send', (t) => `remove(${t})`, waits('click-closed', '20s')),
  away(
    'click-away',
    'send',
    (t, s) => `update(${t}, { url: '${s.url('click-away', 'empty')}?other' })`,
    waits('click-away', '8s'),
  ),
  away(
    'click-foreign',
    'send',
    (t, s) => `update(${t}, { url: '${s.foreign}/click-foreign/plain' })`,
    waits('click-foreign'),
  ),
  away('click-chrome', 'send', (t) => `update(${t}, { url: 'chrome://version/' })`, waits('click-chrome', '20s')),
  away('click-reload', 'send', (t) => `reload(${t})`, waits('click-reload', '20s')),
  away(
    'nav-closed',
    'open',
    (t) => `remove(${t})`,
    (s) => [OPEN(s.url('nav-closed', 'hang'), ', timeout: 10s'), SEND()],
  ),
];
for (const one of cases) {
  test(one.id, async ({ shared, site }) => {
    if (one.id === 'click-reload') setTimeout(() => site.mend(one.id), 1500);
    const start = Date.now();
    const runId = await shared.start(fileOf(one.id, one.sites?.(site) ?? [`${site.origin}/*`], one.steps(site)));
    await one.during?.(shared, runId, site);
    const { run, steps } = await shared.look(
      runId,
      'an end',
      (d) => ['failed', 'completed', 'waiting'].includes(d.run.status) && d,
    );
    console.log(
      `\n## ${one.id} ${run.status} ${Date.now() - start} ms ${run.waitingFor} | ${run.error?.step} ${run.error?.code} | ${run.error?.message} | ${JSON.stringify(run.error?.details)}`,
      steps.filter((r) => r.wait).map((r) => r.wait?.reason),
      site.sent(one.id),
    );
    if (run.status !== 'failed') return;
    site.mend(one.id);
    const tab = one.id.includes('closed') ? undefined : run.tabs?.list.find(({ closed }) => !closed)?.browserTabId;
    if (one.during && tab) await tabs(shared, `update(${tab}, { url: '${site.url(one.id, 'plain')}' })`);
    else if (tab) await tabs(shared, `reload(${tab})`);
    await new Promise((r) => setTimeout(r, 500));
    console.log(await shared.command({ type: 'retry', runId }));
    await new Promise((r) => setTimeout(r, 300));
    const end = await shared.look(
      runId,
      'an end',
      (d) => ['failed', 'completed', 'waiting'].includes(d.run.status) && d,
    );
    console.log(
      `   then ${end.run.status} ${end.run.waitingFor} | ${end.run.error?.step} ${end.run.error?.code} | ${end.run.error?.message}`,
      site.sent(one.id),
    );
  });
}
test('x', () => expect(1).toBe(1));
