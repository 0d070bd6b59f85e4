import { describe, expect, it } from 'vitest';
import { settle } from './fake.ts';
import { setUp, type World } from './world.ts';

const PAGE = 'https://example.com/list';
const SOURCE = `format: tabloom/v1
id: shop
name: Shop
sites: ["https://example.com/*"]
inputs: { type: object, properties: { url: { type: string } } }
triggers:
  - { id: here, type: page, match: ["https://example.com/list*"], auto: true, debounce: 0, input: { url: "{{trigger.url}}" } }
steps:
  - { id: a, type: deterministic_command, operation: identity, arguments: { value: 1 } }
`;

/** A browser whose tab 5 shows a page; `show` moves it, as a navigation or the page's own script would. */
async function ready(origin = true) {
  const world = setUp();
  const { fake, ask } = world;
  const page = { document: 100, found: true };
  fake.granted = ['https://example.com/*'];
  fake.browser.scripting.executeScript = async ({ target }) => {
    const { url = '', title = '' } = fake.tabs.get(target.tabId) ?? {};
    return [{ frameId: 0, result: { url, title, ...page } }];
  };
  await ask('workflow.import', { source: SOURCE, enable: true });
  await ask('trigger.switch', { workflowId: 'shop', triggerId: 'here', on: true });
  if (origin)
    await ask('trigger.switch', { workflowId: 'shop', triggerId: 'here', on: true, origin: 'https://example.com/*' });
  return { world, page };
}

async function show({ fake, runtime }: World, url: string, tabId = 5): Promise<void> {
  fake.tabs.set(tabId, { id: tabId, url, title: 'List', windowId: 1 });
  runtime.onTab(tabId, { url }, url);
  runtime.onTab(tabId, { status: 'complete' }, url);
  await settle();
}

const count = async ({ store }: World) => (await store.runs()).length;

describe('a page trigger that starts by itself', () => {
  it('once for each visit: not again by its fragment or by a new worker, again after a reload and after it was left', async () => {
    const { world, page } = await ready();
    await show(world, PAGE);
    await show(world, `${PAGE}#part`);
    expect(await count(world)).toBe(1);
    expect((await world.store.runs())[0]?.trigger).toEqual({ type: 'page', id: 'here', url: PAGE, title: 'List' });

    const next = world.restart();
    await show(next, PAGE);
    expect(await count(next)).toBe(1);
    page.document = 200;
    await show(next, PAGE);
    expect(await count(next)).toBe(2);
    await show(next, 'https://example.com/detail');
    await show(next, PAGE);
    expect(await count(next)).toBe(3);
    await show(next, `${PAGE}?page=2`);
    expect(await count(next)).toBe(4);
  });

  it('not where the person has not allowed it, nor before its element is there, nor in a tab of a run', async () => {
    const unasked = await ready(false);
    await show(unasked.world, PAGE);
    expect(await count(unasked.world)).toBe(0);
    expect((await unasked.world.ask('state.get', { tabId: 5 })).offers).toEqual([
      { workflowId: 'shop', triggerId: 'here' },
    ]);

    const empty = await ready();
    empty.page.found = false;
    await show(empty.world, PAGE);
    expect(await count(empty.world)).toBe(0);
    expect((await empty.world.ask('state.get', { tabId: 5 })).offers).toBeUndefined();

    const { world } = await ready();
    const waits = `format: tabloom/v1
id: waits
name: Waits
sites: ["https://example.com/*"]
steps: [{ id: gate, type: approval, title: Go?, message: Look, risk: reversible }]
`;
    await world.ask('workflow.import', { source: waits, enable: true });
    world.fake.tabs.set(5, { id: 5, url: 'https://example.com/', title: 'Home', windowId: 1 });
    await world.ask('run.start', { workflowId: 'waits', input: {}, tabId: 5 });
    await show(world, PAGE);
    expect(await count(world)).toBe(1);
  });

  it('a page that does not answer: what the popup shows comes all the same', async () => {
    const { world } = await ready();
    await show(world, PAGE);
    world.fake.browser.scripting.executeScript = () => new Promise(() => undefined);
    const state = world.ask('state.get', { tabId: 5 });
    await settle();
    world.clock.advanceTo(world.clock.now() + 1000);
    expect((await state).offers).toBeUndefined();
  });

  it('a page that was left while the firing waited: nothing starts on the next one', async () => {
    const { world } = await ready();
    await world.ask('workflow.import', { source: SOURCE.replace('debounce: 0', 'debounce: 2s'), enable: true });
    await world.ask('trigger.switch', { workflowId: 'shop', triggerId: 'here', on: true });
    await world.ask('trigger.switch', {
      workflowId: 'shop',
      triggerId: 'here',
      on: true,
      origin: 'https://example.com/*',
    });
    await show(world, PAGE);
    await show(world, 'https://example.com/detail');
    world.clock.advanceTo(world.clock.now() + 3000);
    await settle();
    expect(await count(world)).toBe(0);
  });

  it('another definition: the sites on which it may start by itself are asked about anew', async () => {
    const { world } = await ready();
    await world.ask('workflow.import', { source: SOURCE.replace('debounce: 0', 'debounce: 1'), enable: true });
    await world.ask('trigger.switch', { workflowId: 'shop', triggerId: 'here', on: true });
    const { triggers } = await world.ask('triggers.list', { workflowId: 'shop' });
    expect(triggers[0]?.origins).toEqual([{ origin: 'https://example.com/*', on: false }]);
  });
});
