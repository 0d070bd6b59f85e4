import { expect, it } from 'vitest';
import { verifyChain } from '../../src/model/events.ts';
import { click, fails, gate, go, look, value, World, workflow } from '../support/engine.ts';
import { liveState } from '../support/replay.ts';
import { FaultyStore } from '../support/sim/faulty-store.ts';

it('two engines on one store: the second to write stops, and no effect happens twice', async () => {
  const world = new World();
  await world.start(workflow([gate('ok'), click('send')]));
  const other = world.makeEngine();
  await other.recover();
  await world.decide('ok');
  const hash = (await world.approval('ok'))?.hash as string;
  const command = { type: 'decide', runId: world.runId, path: 'ok', hash, decision: 'approved' } as const;
  const late = await other.send({ commandId: 'other', at: 0, by: 'other', roles: ['owner'], command });
  expect(late.ok).toBe(false);
  expect([world.count('send'), (await world.run()).status]).toEqual([1, 'completed']);
  expect(world.faults).toEqual([`Run ${world.runId} is driven by another engine.`]);
  expect(other.active).toEqual([]);
});

it('the store fails in mid-run, and again when the run is read: it goes on by itself, and what was told to have failed is not done', async () => {
  const world = new World();
  await world.start(workflow([click('first'), gate('ok'), click('send')]));
  world.memory.failNext(new Error('the disk is full'));
  expect(await world.decide('ok')).toMatchObject({ ok: false, message: expect.stringContaining('was not done') });
  expect(await world.pending()).toEqual(['ok']);
  const { events } = world.memory;
  let broken = 2;
  world.memory.events = (...args) => (broken-- > 0 ? Promise.reject(new Error('gone')) : events(...args));
  await world.advance(10_000);
  expect([world.count('first'), world.count('send'), await world.pending()]).toEqual([1, 0, ['ok']]);
  await world.decide('ok');
  expect([world.count('first'), world.count('send'), (await world.run()).status]).toEqual([1, 1, 'completed']);
});

it('the store says that it failed, but had written: the command is answered as it was taken', async () => {
  let faulty: FaultyStore | undefined;
  const world = new World({
    wrap: (memory) => {
      faulty = new FaultyStore(memory);
      return faulty.store;
    },
  });
  await world.start(workflow([gate('ok'), click('send')]));
  faulty?.arm('fail-after', 0);
  expect(await world.decide('ok')).toMatchObject({ ok: true });
  await world.advance(10_000);
  // The intent of `send` was written too, and nobody knows here that it was not begun: a person is asked.
  expect([world.count('send'), await world.status('ok'), (await world.run()).waitingFor]).toEqual([
    0,
    'completed',
    ['recovery'],
  ]);
});

it('a command whose id is sent twice at once is taken once', async () => {
  const world = new World();
  const steps = ['a', 'b'].map((id) => ({ id, type: 'wait', signal: 'go', dependsOn: [] }));
  await world.start(workflow(steps));
  const signal = { type: 'signal', runId: world.runId, name: 'go' } as const;
  const answers = await Promise.all([
    world.post(signal, { commandId: 'same' }),
    world.post(signal, { commandId: 'same' }),
  ]);
  await world.settle();
  const once = { ok: true, data: { path: 'a' } };
  expect(answers).toEqual([once, once]);
  expect([await world.status('a'), await world.status('b')].sort()).toEqual(['completed', 'waiting']);
});

it('a run that cannot be read: others go on after a restart, and it can be cancelled', async () => {
  const world = new World();
  await world.start(workflow([gate('ok'), click('send')]));
  const broken = world.runId;
  await world.start(workflow([gate('fine')], { id: 'other' }));
  const { events } = world.memory;
  world.memory.events = (runId, after) =>
    runId === broken ? Promise.reject(new Error('torn page')) : events(runId, after);
  await world.memory.appendCommand({
    commandId: 'early',
    at: 0,
    by: 'person',
    roles: ['owner'],
    command: { type: 'pause', runId: broken },
  });
  await world.crash();
  await world.decide('fine');
  expect((await world.run()).status).toBe('completed');
  expect(await world.send({ type: 'cancel', runId: broken })).toEqual({ ok: true });
  expect(await world.memory.run(broken)).toMatchObject({ status: 'cancelled', error: { code: 'internal' } });
  expect(await world.memory.approvals({ runId: broken, status: 'pending' })).toEqual([]);
  world.memory.events = events;
  expect(verifyChain(await events(broken))).toBeUndefined();
});

it('a read that is cut off five times in a row: it is no longer repeated, a person is asked', async () => {
  const world: World = new World({ outside: (call) => world.hang(call.signal) });
  await world.start(workflow([look('poison')]));
  for (let death = 0; death < 4; death++) await world.crash();
  expect([world.count('poison'), await world.status('poison')]).toEqual([5, 'running']);
  await world.crash();
  expect([world.count('poison'), (await world.run()).waitingFor]).toEqual([5, ['recovery']]);
});

it('the store fails when a run is started: the start is refused, and there is no run', async () => {
  const world = new World();
  world.memory.failNext(new Error('the disk is full'));
  expect(await world.start(workflow([look('read')]))).toMatchObject({ ok: false, code: 'internal' });
  await world.runOut();
  expect([await world.memory.runs(), world.calls]).toEqual([[], []]);
});

it('finish: a crash after one branch has failed still ends as partial; a pause and a resume do not end it early', async () => {
  const world = new World({
    outside: (call) => (call.path === 'bad' ? fails('bad_request') : world.sleep(5000, call.signal).then(() => 1)),
  });
  await world.start(
    workflow(
      [look('bad', { dependsOn: [] }), look('slow', { dependsOn: [] }), look('after', { dependsOn: ['slow'] })],
      { onFailure: 'finish' },
    ),
  );
  await world.crash();
  await world.do('pause');
  await world.do('resume');
  expect((await world.run()).status).toBe('running');
  await world.runOut();
  expect([await world.status('after'), (await world.run()).status]).toEqual(['completed', 'partial']);
});

it('a retry comes while the work of the failed run has not yet returned: one engine goes on with it', async () => {
  const world = new World({
    outside: async (call, nth) => {
      if (call.path === 'bad' && nth === 1) fails('bad_request');
      if (call.path === 'slow') await world.sleep(3000);
      return 1;
    },
  });
  await world.start(workflow([go('bad', { dependsOn: [] }), go('slow', { dependsOn: [] })]));
  expect((await world.run()).status).toBe('failed');
  await world.do('retry');
  await world.runOut();
  expect([(await world.run()).status, world.faults]).toEqual(['completed', []]);
  expect(world.engine.active).toEqual([]);
});

it('a condition fails in its branch and is retried: the branch not taken stays out', async () => {
  const world = new World({ outside: (_, nth) => (nth === 1 ? fails('bad_request') : 'taken') });
  await world.start(
    workflow([{ id: 'if', type: 'condition', if: '1 == 1', then: [look('read')], else: [value('other', 'not')] }]),
  );
  await world.do('retry');
  expect((await world.step('if'))?.output).toEqual({ branch: 'then', output: 'taken' });
});

it('a run is retried in which a parallel step has taken a failed branch: that branch stays as it was', async () => {
  const world = new World({ outside: (call, nth) => (call.path === 'in' || nth === 1 ? fails('bad_request') : 1) });
  const both = { id: 'both', type: 'parallel', branches: { a: [look('in'), look('next')] }, onBranchError: 'continue' };
  await world.start(workflow([both, look('end')]));
  await world.do('retry');
  expect((await world.run()).status).toBe('completed');
  expect([world.count('in'), await world.status('in'), await world.status('next')]).toEqual([1, 'failed', 'cancelled']);
});

it('a fallback list fails after it has sent, and the run is retried: it is not sent again', async () => {
  const world = new World({
    outside: (call, nth) => (call.path === 'main' || (call.path === 'rest' && nth === 1) ? fails('bad_request') : 1),
  });
  await world.start(workflow([look('main', { fallback: { steps: [click('send'), look('rest')] } })]));
  expect((await world.run()).status).toBe('failed');
  await world.do('retry');
  expect([world.count('send'), world.count('rest'), (await world.run()).status]).toEqual([1, 2, 'completed']);
});

it('a branch of a parallel step is called fallback and the step has one: they are not mistaken for each other', async () => {
  const world = new World({ outside: () => fails('bad_request') });
  const step = {
    id: 'both',
    type: 'parallel',
    branches: { fallback: [look('read')] },
    fallback: { steps: [value('instead', 7)] },
  };
  await world.start(workflow([step]));
  expect(await world.step('both')).toMatchObject({ status: 'completed', degraded: true, output: 7 });
});

it('a loop side by side fails and its fallback waits: the fallback is run once and the run can go on', async () => {
  const world = new World({ outside: () => fails('bad_request') });
  const loop = {
    id: 'each',
    type: 'loop',
    over: [1, 2, 3],
    concurrency: 2,
    timeout: '30s',
    steps: [look('read')],
    fallback: { steps: [gate('ok')] },
  };
  await world.start(workflow([loop]));
  await world.advance(60_000);
  expect(await world.pending()).toEqual(['ok']);
  await world.decide('ok');
  expect(await world.step('each')).toMatchObject({ status: 'completed', degraded: true });
});

it('an interrupted once step with verify, recovered while paused: it is looked at after the resume, and nobody is asked', async () => {
  const world = new World({ outside: (call) => (call.path === 'send' ? world.hang(call.signal) : { there: true }) });
  await world.start(workflow([click('send', { verify: { steps: [look('see')], done: 'step.see.there' } })]));
  await world.do('pause');
  await world.crash();
  expect([world.count('send[1]/see'), (await world.run()).status]).toEqual([0, 'paused']);
  await world.do('resume');
  expect([world.count('send'), (await world.run()).status]).toEqual([1, 'completed']);
});

it('the emergency stop, lifted, resumed: a read runs again, a once step is asked about', async () => {
  const world = new World({ outside: (call, nth) => (nth === 1 ? world.hang(call.signal) : 1) });
  await world.start(workflow([look('read', { dependsOn: [] }), click('send', { dependsOn: [] })]));
  await world.engine.emergencyStop(true);
  await world.settle();
  expect([(await world.run()).status, world.calls.every((call) => call.signal.aborted)]).toEqual(['paused', true]);
  await world.crash();
  expect(await world.do('resume')).toMatchObject({ ok: false, code: 'emergency_stop' });
  await world.engine.emergencyStop(false);
  await world.do('resume');
  await world.advance(0);
  expect([world.count('read'), world.count('send'), (await world.run()).waitingFor]).toEqual([2, 1, ['recovery']]);
  await world.recover('send', 'done', null);
  expect((await world.run()).status).toBe('completed');
});

it('the engine dies between the stop and the runs having stopped: they are stopped on recovery', async () => {
  const world = new World({ outside: (call) => world.hang(call.signal) });
  await world.start(workflow([look('read')]));
  await world.memory.setSetting('engine', { stopped: true });
  await world.crash();
  expect([(await world.run()).status, world.calls.length]).toEqual(['paused', 1]);
});

it('onInterrupted: fail, then the person retries the run: they are asked before it acts again', async () => {
  const world = new World({ outside: (call, nth) => (nth === 1 ? world.hang(call.signal) : 1) });
  await world.start(workflow([click('send', { onInterrupted: 'fail' })]));
  await world.crash();
  expect((await world.run()).error?.code).toBe('interrupted');
  await world.do('retry');
  expect([world.count('send'), (await world.run()).waitingFor]).toEqual([1, ['recovery']]);
  await world.recover('send', 'retry');
  expect([world.count('send'), (await world.run()).status]).toEqual([2, 'completed']);
});

it('a once step with onInterrupted: retry whose attempts all time out: tried as often as its retry allows, no more', async () => {
  const world = new World({ outside: (call) => world.hang(call.signal) });
  await world.start(workflow([click('send', { onInterrupted: 'retry', timeout: '5s' })]));
  await world.runOut();
  expect([world.count('send'), (await world.run()).error?.code]).toEqual([3, 'timeout']);
});

it('a grant is given while the run is paused: the step goes on with the resume', async () => {
  const world = new World({
    outside: (_, nth) => (nth === 1 ? fails('permission_denied', { details: { origin: 'https://app.example' } }) : 1),
  });
  await world.start(workflow([look('read')]));
  expect((await world.run()).waitingFor).toEqual(['permission']);
  await world.do('pause');
  world.engine.granted(['https://app.example']);
  await world.settle();
  expect(world.count('read')).toBe(1);
  await world.do('resume');
  expect((await world.run()).status).toBe('completed');
});

it('a click leads to a site that is not granted: it is not made again once access is given, and a person is asked', async () => {
  const details = { origin: 'https://app.example' };
  const world = new World({
    outside: (_, nth) => (nth === 1 ? fails('permission_denied', { acted: true, details }) : 1),
  });
  await world.start(workflow([click('send')]));
  expect((await world.run()).waitingFor).toEqual(['recovery']);
  world.engine.granted(['https://app.example']);
  await world.settle();
  expect([world.count('send'), (await world.run()).waitingFor]).toEqual([1, ['recovery']]);
  await world.recover('send', 'done');
  expect([world.count('send'), (await world.run()).status]).toEqual([1, 'completed']);
});

it('a click that was refused before it was made: made once access is given', async () => {
  const details = { origin: 'https://app.example' };
  const world = new World({
    outside: (_, nth) => (nth === 1 ? fails('permission_denied', { acted: false, details }) : 1),
  });
  await world.start(workflow([click('send')]));
  expect((await world.run()).waitingFor).toEqual(['permission']);
  world.engine.granted(['https://app.example']);
  await world.settle();
  expect([world.count('send'), (await world.run()).status]).toEqual([2, 'completed']);
});

it('a pause and a time when no engine lives do not count as active time', async () => {
  const world = new World({ outside: (call) => world.sleep(2000, call.signal).then(() => 1) });
  await world.start(workflow([look('a'), look('b')]));
  await world.advance(1000);
  world.engine.dispose();
  world.clock.advanceTo(world.clock.now() + 3_600_000);
  await world.crash();
  await world.advance(2000);
  await world.do('pause');
  await world.advance(3_600_000);
  await world.do('resume');
  await world.runOut();
  const { status, activeMs } = await world.run();
  expect(status).toBe('completed');
  // a: cut off (what ran before the last event counts), then 2 s; b: 2 s.
  expect(activeMs).toBe(4000);
});

it('concurrency holds when items that waited are all let go on at once, also after a crash in a pause', async () => {
  let atWork = 0;
  let most = 0;
  const world = new World({
    outside: async (call) => {
      most = Math.max(most, ++atWork);
      await world.sleep(1000, call.signal).finally(() => atWork--);
      return 1;
    },
  });
  const steps = [gate('ok'), look('act')];
  await world.start(workflow([{ id: 'each', type: 'loop', over: [1, 2, 3, 4, 5, 6], concurrency: 2, steps }]));
  expect(await world.pending()).toHaveLength(6);
  await world.do('pause');
  for (let item = 0; item < 6; item++) await world.decide(`each[${item}]/ok`);
  await world.crash();
  await world.do('resume');
  await world.runOut();
  expect([most, world.calls.length, (await world.run()).status]).toEqual([2, 6, 'completed']);
});

it('engine-24: 10 000 items: each costs the same entries, memory stays bounded, a crash in the middle goes on from there', async () => {
  const sizes: number[] = [];
  const world = new World({
    onCommit: (commit, engine) => sizes.push(liveState(engine, commit.runId)?.steps.size ?? 0),
  });
  const items = Array.from({ length: 10_000 }, (_, n) => n);
  const begun = world.start(
    workflow(
      [
        {
          id: 'each',
          type: 'loop',
          over: items,
          maxItems: 10_000,
          collect: '{{step.small}}',
          steps: [value('small', '{{loop_item}}')],
        },
      ],
      { timeout: '1h' },
    ),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await begun;
  await world.crash();
  await world.runOut();
  const run = await world.run();
  expect(run.status).toBe('completed');
  expect(((await world.step('each'))?.output ?? null) === null).toBe(true);
  const ref = (await world.step('each'))?.outputRef?.hash as string;
  expect(JSON.parse((await world.memory.blob(ref)) ?? 'null').items).toEqual(items);
  const events = await world.events();
  const perItem = (from: number) =>
    events.filter((event) => {
      const index = event.type.startsWith('list.')
        ? event.data.index
        : Number(/\[(\d+)\]/.exec(event.path ?? '')?.[1] ?? Number.NaN);
      return typeof index === 'number' && index >= from && index < from + 100;
    }).length;
  expect(perItem(9900)).toBe(perItem(0));
  expect(Math.max(...sizes)).toBeLessThan(10);
}, 60_000);
