import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import { type CountingSite, startCountingSite } from '../support/counting-server.ts';
import { test as base, expect, type Product, see } from '../support/product.ts';

/** Scenarios about surfaces and browsers that come and go while a run is at work. */

/** The first answer to `/2` is a long time in coming. */
const SLOW = 8000;

const test = base.extend<{ site: CountingSite }>({
  site: async ({ browserName: _ }, use) => {
    let first = true;
    const site = await startCountingSite({
      slow(path) {
        if (path !== '/2' || !first) return 0;
        first = false;
        return SLOW;
      },
    });
    await use(site);
    site.close();
  },
});
test.setTimeout(240_000);

/** One step for each path. */
const three = (origin: string, paths: readonly string[]) => `format: tabloom/v1
id: three
name: Three
sites: ["http://127.0.0.1/*"]
steps:
${paths
  .map(
    (path, n) =>
      `  - { id: s${n + 1}, type: browser_action, action: navigate, arguments: { url: "${origin}${path}" } }\n`,
  )
  .join('')}`;

const reached = (site: CountingSite, path: string) =>
  until(
    async () => site.got.some((one) => one.path === path),
    () => new Error(`${path} was never asked for.`),
    60_000,
  );
const paths = (site: CountingSite) => site.got.map(({ path }) => path);

async function begin(product: Product, site: CountingSite): Promise<void> {
  await product.grant(site.origin);
  await product.launch();
}

test('life-1: the browser is killed during the second of three steps and opened again: it goes on by itself to the end, and what was done is not done again', async ({
  product,
  site,
}) => {
  await begin(product, site);
  const runId = await product.start(three(site.origin, ['/1', '/2', '/3']));
  await reached(site, '/2');
  await product.kill();
  await product.launch();
  const { run, steps } = await product.ended(runId);
  expect(run.status).toBe('completed');
  // The tab went with the browser: it is opened again where it was, unless the second step is faster, and then that step is done.
  expect(paths(site).filter((path, index) => index !== 2 || path !== '/1')).toEqual(['/1', '/2', '/2', '/3']);
  expect(steps.map(({ path, attempt }) => [path, attempt])).toEqual([
    ['s1', 1],
    ['s2', 2],
    ['s3', 1],
  ]);
});

test('life-1: killed while a step that must not happen twice was at work: the run waits with the reason, it does not say running', async ({
  product,
}) => {
  // The page is at work for long after its click has reached the site: the step is under way when the browser dies.
  const site = await startCountingSite({ busy: 20_000 });
  try {
    await begin(product, site);
    const runId = await product.start(`${three(site.origin, ['/'])}  - id: send
    type: browser_action
    action: click
    arguments: { target: { role: button, name: "Send 0" } }
  - { id: s3, type: browser_action, action: navigate, arguments: { url: "${site.origin}/3" } }
`);
    await reached(site, '/send/0');
    await product.kill();
    await product.launch();
    const { run, steps } = await product.look(
      runId,
      'the question',
      (detail) => detail.run.waitingFor.includes('recovery') && detail,
    );
    expect(run).toMatchObject({ status: 'waiting', waitingFor: ['recovery'] });
    expect(steps.find(({ path }) => path === 'send')?.wait?.reason).toBeTruthy();
    const { waiting } = await product.ask('state.get', {});
    expect(waiting).toMatchObject([{ runId, path: 'send', kind: 'recovery' }]);
    const command = { type: 'recover', runId, path: 'send', decision: 'done', output: {} } as const;
    expect(await product.command(command)).toMatchObject({ ok: true });
    expect((await product.ended(runId)).run.status).toBe('completed');
    expect(paths(site)).toEqual(['/send/0', '/3']);
  } finally {
    site.close();
  }
});

/** Starts the workflow on a surface, and closes that in the run's first step. */
const SURFACES: [name: string, start: (product: Product) => Promise<void>][] = [
  [
    'popup',
    (product) =>
      product.inPopup(async (popup) => {
        await see(popup, '[data-testid="start-three"]');
        await popup.click('[data-testid="start-three"]');
        await popup.click('[data-testid="submit-three"]');
        await started(product);
      }),
  ],
  [
    'side panel',
    async (product) => {
      const panel = await openExtensionPage(product.browser.cdp, 'sidepanel.html');
      await see(panel, '[data-testid="main"][data-ready]');
      await panel.sendMessage({ tabloom: 1, name: 'run.start', payload: { workflowId: 'three', input: {} } });
      await started(product);
      await panel.close();
    },
  ],
];

async function started(product: Product): Promise<string> {
  return until(
    async () => (await product.ask('state.get', {})).live[0]?.runId,
    () => new Error('No run was started.'),
    60_000,
  );
}

for (const [name, start] of SURFACES) {
  test(`life-2: the ${name} starts a run and is closed in its first step: the run goes on to its end`, async ({
    product,
    site,
  }) => {
    await begin(product, site);
    const source = three(site.origin, ['/2', '/1', '/3']);
    const imported = await product.ask('workflow.import', { source, enable: true });
    expect('refused' in imported).toBe(false);
    await start(product);
    const runId = await started(product);
    await reached(site, '/2');
    expect((await product.detail(runId)).run.current).toBe('s1');
    const { run } = await product.ended(runId);
    expect(run.status).toBe('completed');
    expect(paths(site)).toEqual(['/2', '/1', '/3']);
  });
}
