import { expect, it } from 'vitest';
import type { RunTabs } from '../../src/model/run.ts';
import type { PageCall } from '../../src/ports/pages.ts';
import { click, fails, go, World, type WorldOptions, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

/** A world that notes which calls may bring a lost page back. */
function watching(outside: NonNullable<WorldOptions['outside']>): { world: World; restores: unknown[] } {
  const restores: unknown[] = [];
  const world = new World({
    outside: (call: PageCall, nth) => {
      if (call.path === 'send') restores.push(call.restore);
      return outside(call, nth);
    },
  });
  return { world, restores };
}

it('the first attempt meets tab_lost: the retry that names it may bring the page back, and so may one after a failure before the act', async () => {
  const codes = ['tab_lost', 'element_not_found'];
  const { world, restores } = watching((call, nth) => {
    const code = call.path === 'send' ? codes[nth - 1] : undefined;
    return code ? fails(code) : {};
  });
  await world.start(workflow([click('send', { retry: { on: ['tab_lost', 'element_not_found'] } })]));
  await world.runOut();
  expect([restores, (await world.run()).status]).toEqual([[false, true, true], 'completed']);
});

it('without it in `retry`, the run fails, and the retry by a person may bring the page back', async () => {
  const { world, restores } = watching((call, nth) => (call.path === 'send' && nth === 1 ? fails('tab_lost') : {}));
  await world.start(workflow([click('send')]));
  expect(await world.run()).toMatchObject({ status: 'failed', error: { code: 'tab_lost' } });
  await world.do('retry');
  expect([restores, (await world.run()).status]).toEqual([[false, true], 'completed']);
});

it('an attempt that may have acted came in between: the page is asked anew whether it is lost', async () => {
  const { world, restores } = watching((call, nth) => {
    if (call.path !== 'send' || nth > 2) return {};
    return nth === 1 ? fails('tab_lost') : fails('timeout', { acted: true });
  });
  await world.start(workflow([click('send', { retry: { on: ['tab_lost'] } })]));
  await world.runOut();
  expect((await world.run()).waitingFor).toEqual(['recovery']);
  await world.recover('send', 'retry');
  expect([restores, (await world.run()).status]).toEqual([[false, true, false], 'completed']);
});

it('what may be done again needs no such thing', async () => {
  const seen: unknown[] = [];
  const world = new World({
    outside: (call, nth) => {
      seen.push(call.restore);
      return nth === 1 ? fails('tab_lost') : {};
    },
  });
  await world.start(workflow([go('send', { retry: { on: ['tab_lost'] } })]));
  await world.runOut();
  expect([seen, (await world.run()).status]).toEqual([[false, false], 'completed']);
});

const TABS: RunTabs = {
  list: ['t1', 't2'].map((tab, i) => ({
    tab,
    browserTabId: i + 7,
    session: 's',
    url: 'https://app.example/',
    title: '',
  })),
  next: 3,
  current: 't1',
};

it.each([
  ['done', 'the current tab', {}, ['acted', undefined]],
  ['done', 'the tab that it names', { tab: 't2' }, [undefined, 'acted']],
  ['retry', 'no tab', {}, [undefined, undefined]],
] as const)(
  'an act that nobody saw the end of, answered with %s: %s is known to have been acted on',
  async (decision, _, more, marks) => {
    const { world } = watching((call, nth) => (call.path === 'send' && nth === 1 ? world.hang(call.signal) : {}));
    await world.start(
      workflow([click('send', more), { id: 'hold', type: 'wait', signal: 'go' }]),
      {},
      { tabs: TABS as never },
    );
    await world.crash();
    await world.recover('send', decision, decision === 'done' ? {} : undefined);
    expect((await world.run()).tabs?.list.map(({ unrestorable }) => unrestorable)).toEqual(marks);
    await checkReplay(world.store, liveState(world.engine, world.runId) as never);
  },
);

it('a look finds that it happened: the same', async () => {
  const { world } = watching((call, nth) => (call.path === 'send' && nth === 1 ? world.hang(call.signal) : {}));
  const verify = { steps: [go('see')], done: 'true' };
  await world.start(
    workflow([click('send', { verify }), { id: 'hold', type: 'wait', signal: 'go' }]),
    {},
    { tabs: TABS as never },
  );
  await world.crash();
  expect(await world.status('send')).toBe('completed');
  expect((await world.run()).tabs?.list.map(({ unrestorable }) => unrestorable)).toEqual(['acted', undefined]);
});
