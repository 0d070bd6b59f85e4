import { expect, it } from 'vitest';
import { TabloomError } from '../../src/model/errors.ts';
import type { RunTabs } from '../../src/model/run.ts';
import { click, fails, gate, go, value, World, workflow } from '../support/engine.ts';

const TABS: RunTabs = {
  list: [{ tab: 't1', browserTabId: 1, session: 's', url: 'https://app.example/form', title: 'Form' }],
  current: 't1',
  next: 2,
};

it('a gate covers an act in its own list: its arguments and origin are shown, and approved it acts once', async () => {
  const world = new World();
  await world.start(workflow([gate('ok', { covers: ['send'] }), click('send')]), {}, { tabs: TABS as never });
  expect((await world.approval('ok'))?.covers).toEqual([
    {
      path: 'send',
      stepId: 'send',
      name: 'send',
      type: 'browser_action',
      action: 'click',
      arguments: { target: { text: 'send' } },
      tab: 't1',
      origin: 'https://app.example',
    },
  ]);
  await world.decide('ok');
  expect([world.count('send'), (await world.run()).status]).toEqual([1, 'completed']);
});

it('a gate covers acts of a later loop over its own value: each item is shown, an edit changes them', async () => {
  const world = new World();
  const loop = {
    id: 'each',
    type: 'loop',
    over: '{{step.ok.value.urls}}',
    steps: [go('visit', { arguments: { url: '{{loop_item}}' }, effect: 'once' })],
  };
  await world.start(
    workflow([
      gate('ok', {
        show: { urls: ['https://app.example/1', 'https://app.example/2'] },
        editable: { type: 'object', properties: { urls: { type: 'array' } } },
        covers: ['visit'],
      }),
      loop,
    ]),
  );
  const shown = async () => (await world.approval('ok'))?.covers.map((act) => [act.path, act.arguments]);
  expect(await shown()).toEqual([
    ['each[0]/visit', { url: 'https://app.example/1' }],
    ['each[1]/visit', { url: 'https://app.example/2' }],
  ]);
  const hash = (await world.approval('ok'))?.hash as string;
  await world.send({ type: 'edit', runId: world.runId, path: 'ok', hash, edits: { urls: ['https://app.example/3'] } });
  expect(await shown()).toEqual([['each[0]/visit', { url: 'https://app.example/3' }]]);
  expect(await world.decide('ok', 'approved', { hash })).toMatchObject({ ok: false, code: 'approval_mismatch' });
  await world.decide('ok');
  expect([world.calls.map((call) => call.path), (await world.run()).status]).toEqual([['each[0]/visit'], 'completed']);
});

it('a gate covers an act in a branch that is then taken: it acts without being asked again', async () => {
  const world = new World();
  await world.start(
    workflow([
      gate('ok', { covers: ['send'] }),
      { id: 'if', type: 'condition', if: 'step.ok.decision == "approved"', then: [click('send')] },
    ]),
  );
  await world.decide('ok');
  expect([world.count('send'), (await world.run()).status]).toEqual([1, 'completed']);
});

it('a covered act depends on what runs after the gate: not_visible at the gate, nothing is asked', async () => {
  const world = new World();
  await world.start(
    workflow([
      gate('ok', { covers: ['send'] }),
      value('late', 1),
      click('send', { arguments: { target: { text: '{{step.late}}' } } }),
    ]),
  );
  expect([(await world.run()).error?.code, world.count('send'), await world.pending()]).toEqual(['not_visible', 0, []]);
});

const moved = (world: () => World) => (call: { path: string }) => {
  if (world().count(call.path) === 1)
    throw new TabloomError('approval_mismatch', 'The tab is elsewhere.', {
      details: { origin: 'https://evil.example' },
    });
  return 1;
};

it('approval-6: the tab has moved to another origin at the act: nothing is done, it is asked again as it is now, decided, it acts', async () => {
  const world: World = new World({ outside: moved(() => world) });
  await world.start(workflow([gate('ok', { covers: ['send'] }), click('send')]), {}, { tabs: TABS as never });
  await world.decide('ok');
  const again = await world.approval('send');
  expect(again).toMatchObject({ status: 'pending', covers: [{ origin: 'https://evil.example' }] });
  await world.crash();
  expect(await world.pending()).toEqual(['send']);
  await world.decide('send');
  expect([world.count('send'), (await world.run()).status]).toEqual([2, 'completed']);
});

it('approval-6: asked again and rejected: nothing is done, and a retry of the run asks once more', async () => {
  const world: World = new World({ outside: moved(() => world) });
  await world.start(
    workflow([gate('ok', { covers: ['send'] }), click('send', { onError: 'continue' })]),
    {},
    { tabs: TABS as never },
  );
  await world.decide('ok');
  await world.decide('send', 'rejected');
  expect((await world.run()).error?.code).toBe('approval_rejected');
  await world.do('retry');
  expect([world.count('send'), await world.pending()]).toEqual([1, ['send']]);
});

it('approval-6: the page reports another origin for a tab that the run does not know: it fails and is not tried for ever', async () => {
  const world = new World({
    outside: () => fails('approval_mismatch', { details: { origin: 'https://evil.example' } }),
  });
  await world.start(workflow([gate('ok', { covers: ['send'] }), click('send')]));
  await world.decide('ok');
  expect([world.count('send'), (await world.run()).status]).toEqual([1, 'failed']);
});

it('a rejected gate with onReject: continue: the covered step does not act', async () => {
  const world = new World();
  await world.start(
    workflow([
      gate('ok', { covers: ['send'], onReject: 'continue' }),
      click('send', { onError: 'continue' }),
      value('after', 1),
    ]),
  );
  await world.decide('ok', 'rejected');
  expect([world.count('send'), await world.status('send'), (await world.run()).error?.code]).toEqual([
    0,
    'failed',
    'approval_rejected',
  ]);
});

it('one item rejected: another item of the loop that was approved acts', async () => {
  const world = new World();
  const steps = [
    gate('ok', { covers: ['send'], onReject: 'continue' }),
    click('send', { when: 'step.ok.decision == "approved"' }),
  ];
  await world.start(workflow([{ id: 'each', type: 'loop', over: [1, 2], steps }]));
  await world.decide('each[0]/ok', 'rejected');
  await world.decide('each[1]/ok');
  expect(world.calls.map((call) => call.path)).toEqual(['each[1]/send']);
});

it('a covered act whose reply does not fit after it acted: a retry of the run asks what to do, and doing it again wants a new yes', async () => {
  const world = new World();
  await world.start(workflow([gate('ok', { covers: ['send'] }), click('send', { outputSchema: { type: 'string' } })]));
  await world.decide('ok');
  expect((await world.run()).error?.code).toBe('output_invalid');
  await world.do('retry');
  expect([world.count('send'), (await world.run()).waitingFor, await world.pending()]).toEqual([1, ['recovery'], []]);
  await world.recover('send', 'retry');
  expect([world.count('send'), await world.pending()]).toEqual([1, ['send']]);
});

it('a gate asked again within one millisecond: an old click does not count for it', async () => {
  const world = new World();
  await world.start(workflow([gate('ok'), click('send')]));
  const hash = (await world.approval('ok'))?.hash as string;
  await world.decide('ok', 'rejected', { hash });
  await world.do('retry');
  expect((await world.approval('ok'))?.status).toBe('pending');
  expect(await world.decide('ok', 'rejected', { hash })).toMatchObject({ ok: false, code: 'approval_mismatch' });
});

it('a decision while the run is paused is kept, and the covered act starts with the resume', async () => {
  const world: World = new World({ outside: moved(() => world) });
  await world.start(workflow([gate('ok', { covers: ['send'] }), click('send')]), {}, { tabs: TABS as never });
  await world.decide('ok');
  await world.do('pause');
  await world.decide('send');
  expect([world.count('send'), (await world.run()).status]).toEqual([1, 'paused']);
  await world.do('resume');
  expect([world.count('send'), (await world.run()).status]).toEqual([2, 'completed']);
});

it('two gates cover one act: a no of the first is not overruled by a yes of the second', async () => {
  const world = new World();
  await world.start(
    workflow([
      gate('legal', { covers: ['pay'], onReject: 'continue' }),
      gate('finance', { covers: ['pay'], onReject: 'continue' }),
      click('pay', { onError: 'continue' }),
    ]),
  );
  await world.decide('legal', 'rejected');
  await world.decide('finance');
  expect([world.count('pay'), await world.status('pay'), (await world.run()).status]).toEqual([0, 'failed', 'failed']);
});

it('two gates cover one act that waits for only one of them: the other is asked for before it acts', async () => {
  const world = new World();
  await world.start(
    workflow([
      gate('legal', { covers: ['pay'], dependsOn: [] }),
      gate('finance', { covers: ['pay'], dependsOn: [] }),
      click('pay', { dependsOn: ['legal', 'finance'], join: 'all' }),
    ]),
  );
  await world.decide('legal');
  expect([world.count('pay'), await world.pending()]).toEqual([0, ['finance']]);
  await world.decide('finance');
  expect([world.count('pay'), (await world.run()).status]).toEqual([1, 'completed']);
});

it('a gate in a branch that was not taken has no say: the other branch’s gate is enough', async () => {
  const world = new World();
  await world.start(
    workflow([
      {
        id: 'which',
        type: 'condition',
        if: 'true',
        then: [gate('short', { covers: ['pay'] }), click('pay')],
        else: [gate('long', {}), click('other')],
      },
    ]),
  );
  await world.decide('short');
  expect([world.count('pay'), (await world.run()).status]).toEqual([1, 'completed']);
});

it('approval-6: what the act is made from is another one by the time it is done: nothing is done, it is asked again as it is now', async () => {
  const written = 'Dear Ann, '.repeat(1000);
  let mutated = false;
  const world = new World({
    // An upstream output that is changed under the engine: large ones are kept apart from the journal.
    wrap: (store) => ({
      ...store,
      blob: async (hash) => {
        const text = await store.blob(hash);
        return mutated && text === JSON.stringify(written) ? JSON.stringify('Dear Bob') : text;
      },
    }),
  });
  await world.start(
    workflow([
      value('text', written),
      gate('ok', { covers: ['send'] }),
      { id: 'later', type: 'wait', for: '1h' },
      click('send', { arguments: { target: { text: '{{step.text}}' } } }),
    ]),
  );
  const asked = await world.approval('ok');
  await world.decide('ok');
  mutated = true;
  await world.crash();
  await world.advance(3_600_000);
  expect([world.count('send'), await world.pending()]).toEqual([0, ['send']]);
  const again = await world.approval('send');
  expect(again?.hash).not.toBe(asked?.hash);
  expect(again?.covers[0]?.arguments).toEqual({ target: { text: 'Dear Bob' } });
  await world.decide('send');
  expect(world.count('send')).toBe(1);
});
