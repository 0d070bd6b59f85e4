import { describe, expect, it } from 'vitest';
import { hintingTab } from '../../src/app/sender.ts';
import { BASE, ID, OWN, settle } from './fake.ts';
import { setUp, type World } from './world.ts';

const WAIT = `format: tabloom/v1
id: wait
name: Wait
sites: ["https://example.com/*"]
steps:
  - { id: paid, type: wait, page: { url: "https://example.com/done*", selector: ".receipt" } }
output: "{{step.paid}}"
`;
const SITE = 'https://example.com/*';

/** Tabs whose pages answer looks as the page script does. */
function open(world: World, pages: Record<number, { url: string; seen: boolean; unreadable?: boolean }>): void {
  const { browser, tabs } = world.fake;
  tabs.clear();
  for (const [id, { url }] of Object.entries(pages)) tabs.set(Number(id), { id: Number(id), url, windowId: 1 });
  browser.tabs.query = async () => [...tabs.values()];
  browser.scripting.executeScript = async ({ target }) => {
    const page = pages[target.tabId];
    if (!page) return [];
    const error = { code: 'input_invalid', message: 'Correct the CSS selector.' };
    const reply = page.unreadable
      ? { ok: false, wait: false, error }
      : { ok: true, value: { url: page.url, title: 'Paid', seen: page.seen } };
    return [{ frameId: 0, result: { key: 'k', reply } }];
  };
}

async function begin(world: World): Promise<string> {
  world.fake.granted.push(SITE);
  await world.ask('workflow.import', { source: WAIT, enable: true });
  const answer = await world.ask('run.start', { workflowId: 'wait', input: {} });
  if (!('runId' in answer)) throw new Error(answer.refused.code);
  await settle();
  return answer.runId;
}

const outcome = async (world: World, runId: string) => (await world.ask('run.get', { runId }))?.run;
const DONE = 'https://example.com/done?id=7';
const SEEN = { status: 'completed', output: { wokenBy: 'page', payload: { url: DONE, title: 'Paid' } } };

describe('the background looks for pages that steps wait for', () => {
  it('a page that is open already: the wait ends at once', async () => {
    const world = setUp();
    open(world, { 1: { url: 'https://example.com/', seen: true }, 2: { url: DONE, seen: true } });
    expect(await outcome(world, await begin(world))).toMatchObject(SEEN);
  });

  it('another page, or one without the element: it waits on; the hint of the page then ends it', async () => {
    const world = setUp();
    const page = { url: DONE, seen: false };
    open(world, { 1: { url: 'https://example.com/other', seen: true }, 2: page });
    const runId = await begin(world);
    world.runtime.onTab(1, { status: 'complete' }, 'https://example.com/other');
    world.runtime.onTab(2, { url: DONE }, DONE);
    await settle();
    expect(await outcome(world, runId)).toMatchObject({ status: 'waiting', waitingFor: ['page'] });
    page.seen = true;
    const sender = { id: ID, url: DONE, frameId: 0, tab: { id: 2, url: DONE } };
    expect(await world.runtime.onMessage({ tabloom: 1, sight: true }, sender)).toBe(true);
    await settle();
    expect(await outcome(world, runId)).toMatchObject(SEEN);
  });

  it('a new address in a tab ends it, also in the next life of the background, and a page open at its start too', async () => {
    const world = setUp();
    open(world, {});
    const runId = await begin(world);
    const next = world.restart();
    await next.runtime.ready();
    open(next, { 2: { url: DONE, seen: true } });
    next.runtime.onTab(2, { url: DONE }, DONE);
    await settle();
    expect(await outcome(next, runId)).toMatchObject(SEEN);

    const other = setUp();
    open(other, {});
    const second = await begin(other);
    const later = other.restart();
    open(later, { 2: { url: DONE, seen: true } });
    await later.runtime.ready();
    await settle();
    expect(await outcome(later, second)).toMatchObject(SEEN);
  });

  it('without the grant nothing is looked at; given back, it ends', async () => {
    const world = setUp();
    open(world, {});
    const runId = await begin(world);
    world.fake.granted.length = 0;
    open(world, { 2: { url: DONE, seen: true } });
    world.runtime.onTab(2, { url: DONE }, DONE);
    await settle();
    expect(await outcome(world, runId)).toMatchObject({ status: 'waiting' });
    world.fake.granted.push(SITE);
    world.runtime.onGrants();
    await settle();
    expect(await outcome(world, runId)).toMatchObject(SEEN);
  });

  it('the emergency stop: not seen until it is lifted', async () => {
    const world = setUp();
    open(world, {});
    const runId = await begin(world);
    await world.ask('engine.stopAll', { lift: false });
    open(world, { 2: { url: DONE, seen: true } });
    world.runtime.onTab(2, { url: DONE }, DONE);
    await settle();
    const paid = async () => (await world.ask('run.get', { runId }))?.steps[0]?.status;
    expect(await paid()).toBe('waiting');
    await world.ask('engine.stopAll', { lift: true });
    await settle();
    expect(await paid()).toBe('completed');
  });

  it('a selector that no browser can read: the step fails with it', async () => {
    const world = setUp();
    open(world, { 2: { url: DONE, seen: false, unreadable: true } });
    expect(await outcome(world, await begin(world))).toMatchObject({
      status: 'failed',
      error: { code: 'input_invalid', step: 'paid', message: 'Correct the CSS selector.' },
    });
  });

  it('no page of ours can say that it was seen', async () => {
    const world = setUp();
    open(world, {});
    const runId = await begin(world);
    const command = { type: 'pageSeen', runId, path: 'paid', since: world.clock.now(), url: DONE, title: '' } as const;
    await expect(world.ask('command.send', { commandId: 'c', surface: 'app', command })).rejects.toThrow('bad_request');
    expect(await outcome(world, runId)).toMatchObject({ status: 'waiting' });
  });
});

it('a hint is taken from the top frame of a web page only', () => {
  const self = { id: ID, base: BASE };
  const page = { id: ID, url: DONE, frameId: 0, tab: { id: 2, url: DONE } };
  const hint = { tabloom: 1, sight: true };
  expect(hintingTab(hint, page, self)).toBe(2);
  expect(hintingTab(hint, { ...page, frameId: 3 }, self)).toBeUndefined();
  expect(hintingTab(hint, { ...page, id: 'other' }, self)).toBeUndefined();
  expect(hintingTab(hint, OWN, self)).toBeUndefined();
  expect(hintingTab({ tabloom: 1 }, page, self)).toBeUndefined();
});
