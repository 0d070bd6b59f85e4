import { type KilledRun, momentsOf, type Person, throughKills } from '../support/browser-kills.ts';
import type { Product } from '../support/product.ts';
import { randomOf } from '../support/random.ts';
import { expect, expectSent, linesOf, type Sample, SUSPICIOUS, test } from '../support/sample.ts';
import { startTabsSite, TABS_STEPS, type TabsSite, tabsWorkflow } from '../support/tabs-site.ts';

/**
 * The browser is killed in the middle of runs, as by a power cut, and started again on the same profile. Ten runs with two kills each;
 * `npm run kills:browser` does them all, this file alone two of them, chosen by a seed (TABLOOM_BROWSER_KILLS=all, or the seed to choose by).
 */
process.env.TABLOOM_BROWSER_KILLS ??= String(Math.floor(Math.random() * 1000));
const KILLS = process.env.TABLOOM_BROWSER_KILLS;
const KILLS_IN_A_RUN = 2;
const RUNS = 5;

test.setTimeout(480_000);

/** Cases of the matrix that are to be done; the choice is made in the test, so that titles stay the same. */
const chosen: number[] =
  KILLS === 'all' ? Array.from({ length: RUNS }, (_, i) => i) : [Math.floor(randomOf(Number(KILLS))() * RUNS)];

const LINES = [0, 1, 2, 3, 4];
const EACH = ['open_line', 'choose', 'write', 'follow_up', 'send', 'sent'];
const DEMO_PATHS = [
  ...['open_list', 'read', 'grade_each[0]/grade', 'grade_each[7]/grade', 'any', 'gate'],
  ...LINES.flatMap((line) => EACH.map((step) => `send_each[${line}]/${step}`)),
];

for (const place of chosen.keys()) {
  test(`the example, killed twice (${placeName(place)}): every approved line is sent once`, async ({
    product,
    sample,
  }) => {
    const { moments } = caseOf('example', place, DEMO_PATHS);
    const runId = await sample.begin(product);
    const { detail } = await throughKills(product, runId, moments, reviewer(product, sample));
    expect(detail.run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
    const gate = detail.approvals.find(({ path }) => path === 'gate');
    expectSent(sample.site, gate ? linesOf(gate) : []);
    expect(detail.run.tabs?.list.map(({ tab }) => tab)).toEqual(['t1']);
  });

  test(`several tabs, killed twice (${placeName(place)}): the ticket and the message are there once, and each tab is what it was`, async ({
    product,
  }) => {
    const site = await startTabsSite();
    try {
      const { moments } = caseOf('several tabs', place, TABS_STEPS);
      await product.grant('http://127.0.0.1/*');
      await product.launch();
      const runId = await product.start(tabsWorkflow(site.url));
      const person = worker(product, runId, site);
      const ended = await throughKills(product, runId, moments, person);
      expectTabs(ended, site, person.closedAside());
    } finally {
      await site.close();
    }
  });
}

function placeName(place: number): string {
  return KILLS === 'all' ? `run ${place + 1} of ${RUNS}` : 'one of the matrix';
}

function caseOf(name: string, place: number, paths: readonly string[]) {
  const seed = 100 + (chosen[place] as number);
  const moments = momentsOf(paths, KILLS_IN_A_RUN, randomOf(seed));
  console.log(
    `browser kills: ${name}, run ${(chosen[place] as number) + 1} of ${RUNS} (TABLOOM_BROWSER_KILLS=${KILLS}, seed ${seed})`,
  );
  return { moments };
}

/** Approves what the example shows, and knows by the site's log whether a line was sent. */
function reviewer(product: Product, { site }: Sample): Person {
  return {
    async give({ approvals }) {
      const pending = approvals.find(({ status }) => status === 'pending');
      if (pending) await product.decide(pending, 'approve');
    },
    happened({ path }, { approvals }) {
      const gate = approvals.find((approval) => approval.path === 'gate');
      const line = gate && linesOf(gate)[Number(/\[(\d+)\]/.exec(path)?.[1])];
      return site.log().some(({ id }) => id === line?.id) ? { done: true, output: null } : { done: false };
    },
  };
}

/** Closes the tab beside the work when the run waits for that, where there is one, and knows the site. */
function worker(product: Product, runId: string, site: TabsSite): Person & { closedAside(): boolean } {
  let closed = false;
  return {
    closedAside: () => closed,
    async give({ steps }) {
      if (!steps.some(({ path, status }) => path === 'closed' && status === 'waiting')) return;
      const { cdp } = product.browser;
      const aside = (await cdp.targets()).find(({ url }) => url === `${site.url}/aside`);
      if (aside) await cdp.send('Target.closeTarget', { targetId: aside.targetId });
      closed = aside !== undefined;
      await product.command({ type: 'signal', runId, name: 'closed' });
    },
    happened({ path }) {
      if (path === 'ticket') {
        const output = { matched: 0, url: `${site.url}/board`, openedTab: null, dialogs: [] };
        return site.tickets() > 0 ? { done: true, output } : { done: false };
      }
      return site.messages().length > 0 ? { done: true, output: null } : { done: false };
    },
  };
}

function expectTabs({ detail, asked }: KilledRun, site: TabsSite, closed: boolean): void {
  const { run, steps } = detail;
  const step = (path: string) => steps.find((one) => one.path === path);
  expect(run.status, JSON.stringify(run.error)).toBe('completed');
  expect(site.tickets()).toBe(1);
  expect(site.messages()).toEqual([{ message: 'Hello, & welcome', kind: 'q', copy: 'on' }]);
  // Where it was seen, the ticket has a tab of its own: the third. Where the person said that it was opened, there is none.
  const third = asked.includes('ticket') && step('number')?.status === 'skipped' ? 0 : 1;
  expect(step('number')?.output).toEqual(third ? { text: '1' } : undefined);
  const ids = ['t1', 't2', 't3', 't4'].slice(0, 3 + third);
  expect(run.tabs?.list.map(({ tab }) => tab)).toEqual(ids);
  expect(run.output).toEqual({ form: 't2', aside: ids.at(-1) });
  // A tab that the person was seen to close stays closed, whatever became of the browser since.
  const looks = ['look', 'look_again'].map((path) => step(path)?.error?.code);
  if (looks[0] === undefined) expect(step('look')?.output).toEqual({ text: 'Beside it' });
  else expect([closed, ...looks], JSON.stringify(step('look')?.error)).toEqual([true, 'tab_closed', 'tab_closed']);
  expect(run.tabs?.list.map((tab) => tab.closed)).toEqual(
    ids.map((id) => (looks[0] !== undefined && id === run.tabs?.list.at(-1)?.tab ? 'person' : undefined)),
  );
}
