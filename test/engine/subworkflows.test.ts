import { expect, it } from 'vitest';
import { stepsOfTree } from '../../src/engine/children/tree.ts';
import { compilePlan } from '../../src/engine/plan.ts';
import { FINAL_RUN } from '../../src/model/run.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { registry } from '../../src/steps/index.ts';
import { click, fails, look, World, workflow } from '../support/engine.ts';
import { checkReplay, foldedState, liveState } from '../support/replay.ts';
import { type Fault, FaultyStore } from '../support/sim/faulty-store.ts';

const named = (id: string, definition: WorkflowDefinition): WorkflowDefinition => ({ ...definition, id, name: id });
const call = (id: string, to: string, more = {}) => ({ id, type: 'subworkflow', workflow: to, ...more });
const INNER = named(
  'inner',
  workflow([look('see'), click('send'), { id: 'gate', type: 'approval', title: 'Yes?' }], {
    output: { seen: '{{step.see.seen}}' },
  }),
);
const MIDDLE = named('middle', workflow([call('deep', 'inner'), look('more')], { output: '{{step.deep}}' }));
const OUTER = named(
  'outer',
  workflow(
    [
      look('before'),
      { id: 'each', type: 'loop', over: [1, 2], concurrency: 2, steps: [call('child', 'middle')] },
      click('after'),
    ],
    { output: '{{step.each.items}}' },
  ),
);

/** A world that dies or fails at one commit, and is there again right after. */
async function world(options: { fault?: Fault; at?: number; outside?: (path: string, nth: number) => unknown } = {}) {
  let faulty: FaultyStore | undefined;
  let dead = false;
  const made: World = new World({
    outside: async (one, nth) => ((await options.outside?.(one.path, nth)) ?? { seen: one.path }) as never,
    wrap: (store) => {
      faulty = new FaultyStore(store);
      faulty.onDeath = () => {
        dead = true;
        made.engine.dispose();
      };
      return faulty.store;
    },
  });
  for (const one of [INNER, MIDDLE, OUTER]) await made.save(one);
  if (options.fault) faulty?.arm(options.fault, options.at ?? 0);
  /** Whether it was dead, and has come back. */
  const revived = async () => {
    if (!dead) return false;
    dead = false;
    made.engine = made.makeEngine();
    await made.engine.recover();
    await made.settle();
    return true;
  };
  const settle = async () => {
    do {
      for (let turn = 0; turn < 200; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (dead || made.engine.settled) break;
      }
    } while (await revived());
  };
  return {
    made,
    settle,
    arm: (fault: Fault, at: number) => faulty?.arm(fault, at),
    fired: () => faulty?.commits !== undefined && faulty.commits > (options.at ?? 0),
  };
}

async function begin(w: Awaited<ReturnType<typeof world>>): Promise<void> {
  const revision = await w.made.save(OUTER);
  const started = w.made.engine.start({ revision, input: {}, trigger: { type: 'manual' }, key: 'one' });
  await Promise.race([started.catch(() => undefined), w.settle()]);
  await w.settle();
  const again = await w.made.engine.start({ revision, input: {}, trigger: { type: 'manual' }, key: 'one' });
  if (!again.ok) throw new Error(again.message);
  w.made.runId = again.runId;
  await w.settle();
}

/** Answers whatever is asked, in any run, until the outermost has ended. */
async function drive(
  w: Awaited<ReturnType<typeof world>>,
  also: () => Promise<boolean> = async () => false,
): Promise<void> {
  const { made } = w;
  for (let round = 0; round < 200; round++) {
    await w.settle();
    const run = await made.run();
    if (await also()) continue;
    if (FINAL_RUN.includes(run.status)) return;
    const rows = await stepsOfTree(made.memory, made.runId);
    const asked = rows.find((row) => row.wait?.kind === 'recovery' || row.wait?.kind === 'approval');
    if (asked?.wait?.kind === 'recovery')
      void made.post({ type: 'recover', runId: made.runId, path: asked.path, decision: 'done', output: {} });
    else if (asked) {
      const hash = (await made.memory.approvals({ runId: asked.runId, status: 'pending' }))[0]?.hash ?? '';
      void made.post({ type: 'decide', runId: made.runId, path: asked.path, hash, decision: 'approved' });
    } else {
      const next = made.clock.next();
      if (next === undefined)
        throw new Error(`nothing leads on: ${JSON.stringify(rows.map((r) => [r.path, r.status]))}`);
      made.clock.advanceTo(next);
    }
  }
  throw new Error('it does not come to an end');
}

/** Every run has ended, each journal folds to what is stored, and nothing that was completed was begun again. */
async function checkAll({ made }: Awaited<ReturnType<typeof world>>): Promise<void> {
  for (const row of await made.memory.runs()) {
    expect(FINAL_RUN, `${row.runId} ${row.workflowId}`).toContain(row.status);
    const revision = await made.memory.revision(row.revision);
    const plan = compilePlan((revision as { definition: WorkflowDefinition }).definition, row.revision, registry);
    await checkReplay(
      made.memory,
      liveState(made.engine, row.runId) ?? (await foldedState(made.memory, row.runId, plan)),
    );
    const done = new Set<string>();
    for (const event of await made.memory.events(row.runId)) {
      if (event.type === 'step.started' || event.type === 'child.called') expect(done).not.toContain(event.path);
      if (event.type === 'step.completed') done.add(event.path ?? '');
    }
  }
}

const SEEN = ['each[0]/child/deep/see', 'each[1]/child/deep/see'];

it.each<Fault>(['die-before', 'die-after', 'fail', 'fail-after'])(
  'the store or the engine fails at any commit of a run and its called runs (%s): it ends as if nothing had been',
  async (fault) => {
    let at = 0;
    for (; ; at++) {
      const w = await world({ fault, at });
      await begin(w);
      await drive(w);
      await w.settle();
      expect((await w.made.run()).status, `at ${at}`).toBe('completed');
      expect((await w.made.run()).output, `at ${at}`).toEqual(SEEN.map((seen) => ({ seen })));
      for (const path of [...SEEN.map((one) => one.replace('see', 'send')), 'after'])
        expect(w.made.count(path), `${path} at ${at}`).toBeLessThanOrEqual(1);
      expect((await w.made.memory.runs()).length).toBe(5);
      await checkAll(w);
      if (!w.fired()) break;
    }
    expect(at).toBeGreaterThan(15);
  },
  60_000,
);

it.each<Fault>(['die-before', 'die-after'])(
  'the engine dies at any commit after a cancel (%s): no called run is left behind',
  async (fault) => {
    for (let at = 0; at < 12; at++) {
      const w = await world({ outside: (path) => (path.endsWith('more') ? new Promise(() => {}) : undefined) });
      await begin(w);
      let cancelled = false;
      await drive(w, async () => {
        const rows = await stepsOfTree(w.made.memory, w.made.runId);
        if (cancelled || !rows.some((row) => row.path === 'each[0]/child/more' && row.status === 'running'))
          return false;
        cancelled = true;
        w.arm(fault, at);
        void w.made.post({ type: 'cancel', runId: w.made.runId });
        return true;
      });
      await w.settle();
      expect((await w.made.run()).status, `at ${at}`).toBe('cancelled');
      await checkAll(w);
    }
  },
  60_000,
);

it('a called workflow is edited while the run waits: the run goes on with the revision it was started with', async () => {
  const w = await world();
  await begin(w);
  await w.made.save(named('inner', workflow([look('changed')], { output: 'changed' })));
  await w.made.save(named('middle', workflow([look('changed')], { output: 'changed' })));
  await w.made.crash();
  await drive(w);
  expect((await w.made.run()).output).toEqual(SEEN.map((seen) => ({ seen })));
  expect(w.made.count('changed')).toBe(0);
});

it('a gate in a called run is decided through that run itself: the run around it goes on by itself', async () => {
  const w = await world();
  await begin(w);
  await w.made.crash();
  const pending = await w.made.memory.approvals({ status: 'pending' });
  expect(pending.map(({ path }) => path)).toEqual(['gate', 'gate']);
  for (const { runId, hash } of pending)
    expect(await w.made.send({ type: 'decide', runId, path: 'gate', hash, decision: 'approved' })).toMatchObject({
      ok: true,
    });
  expect((await w.made.run()).status).toBe('completed');
});

it('a retry that is asked of a called run is one of the outermost run, and goes on where it failed', async () => {
  let bad = true;
  const w = await world({ outside: (path) => (path.endsWith('more') && bad ? fails('bad_request') : undefined) });
  await begin(w);
  await drive(w);
  expect(await w.made.run()).toMatchObject({
    status: 'failed',
    error: { code: 'bad_request', step: 'each[0]/child/more' },
  });
  bad = false;
  const child = (await w.made.memory.runs()).find((row) => row.workflowId === 'middle');
  expect(await w.made.send({ type: 'retry', runId: child?.runId ?? '' })).toEqual({ ok: true });
  await drive(w);
  expect((await w.made.run()).status).toBe('completed');
  for (const path of SEEN) expect(w.made.count(path)).toBe(1);
  await checkAll(w);
});

it('the engine dies right after a called run has failed: what that one had called is cancelled, whatever is read first', async () => {
  let dies = true;
  const never = new Promise<never>(() => {});
  const made: World = new World({
    outside: async ({ signal }) => {
      await made.sleep(1000, signal);
      return fails('bad_request');
    },
    wrap: (store) => ({
      ...store,
      commit: async (commit) => {
        await store.commit(commit);
        if (!dies || commit.run.workflowId !== 'middle' || commit.run.status !== 'failed') return;
        dies = false;
        made.engine.dispose();
        return never;
      },
    }),
  });
  const waits = { id: 'go', type: 'wait', signal: 'go' };
  await made.save(named('inner', workflow([waits])));
  await made.save(
    named(
      'middle',
      workflow([call('deep', 'inner'), look('bad', { dependsOn: ['deep'] }), look('now', { dependsOn: [] })]),
    ),
  );
  await made.start(
    named('outer', workflow([call('child', 'middle', { onError: 'continue' }), { ...waits, id: 'rest' }])),
  );
  await made.advance(1000);
  expect(dies).toBe(false);
  await made.crash();
  const runs = (await made.memory.runs()).map(({ workflowId, status }) => [workflowId, status]);
  expect(Object.fromEntries(runs)).toEqual({ outer: 'waiting', middle: 'failed', inner: 'cancelled' });
});

it('engine-3: three called workflows, decided at different times over deaths: no step run of any run ever moves back', async () => {
  const rank = { pending: 0, running: 1, waiting: 1, completed: 2, failed: 2, skipped: 2, cancelled: 2 } as const;
  const seen = new Map<string, keyof typeof rank>();
  const back: string[] = [];
  const world = new World({
    outside: ({ path }) => ({ seen: path }),
    onCommit: ({ runId, steps }) => {
      for (const { path, status } of steps) {
        const before = seen.get(`${runId} ${path}`);
        if (before && (rank[status] < rank[before] || (rank[before] === 2 && before !== status)))
          back.push(`${path}: ${before} → ${status}`);
        seen.set(`${runId} ${path}`, status);
      }
    },
  });
  await world.save(INNER);
  await world.start(workflow(['p', 'q', 'r'].map((id) => call(id, 'inner', { dependsOn: [] }))));
  const shown = async () => Promise.all(['p', 'q', 'r'].map((path) => world.status(path)));
  expect(await shown()).toEqual(['waiting', 'waiting', 'waiting']);
  for (const [n, path] of ['q', 'r', 'p'].entries()) {
    const child = (await world.step(path))?.child ?? '';
    const hash = (await world.memory.approvals({ runId: child, status: 'pending' }))[0]?.hash ?? '';
    await world.send({ type: 'decide', runId: world.runId, path: `${path}/gate`, hash, decision: 'approved' });
    await world.crash();
    expect((await shown()).filter((status) => status === 'waiting')).toHaveLength(2 - n);
    expect(await world.status(path)).toBe('completed');
    await world.advance(3_600_000);
  }
  expect([(await world.run()).status, back]).toEqual(['completed', []]);
});

it('engine-6: two calls in a row, two deep: exactly one question is open at any time, and there is no more after the second', async () => {
  const world = new World({ outside: ({ path }) => ({ seen: path }) });
  for (const one of [INNER, MIDDLE]) await world.save(one);
  await world.start(workflow([call('first', 'middle'), call('second', 'middle')]));
  for (const path of ['first', 'second']) {
    const open = await world.memory.approvals({ status: 'pending' });
    expect(open).toHaveLength(1);
    const rows = await stepsOfTree(world.memory, world.runId);
    expect(rows.filter(({ wait }) => wait?.kind === 'approval').map((row) => row.path)).toEqual([`${path}/deep/gate`]);
    const hash = open[0]?.hash ?? '';
    const command = { type: 'decide', runId: world.runId, hash, decision: 'approved' } as const;
    expect(await world.send({ ...command, path: `${path}/deep/gate` })).toMatchObject({ ok: true });
  }
  expect(await world.memory.approvals({ status: 'pending' })).toEqual([]);
  expect([(await world.run()).status, world.count('first/deep/send'), world.count('second/deep/send')]).toEqual([
    'completed',
    1,
    1,
  ]);
});

it('a cancel that is stored though the store says that it failed ends what the run had called all the same', async () => {
  let fails = false;
  const made: World = new World({
    outside: ({ signal }) => made.hang(signal),
    wrap: (store) => ({
      ...store,
      commit: async (commit) => {
        await store.commit(commit);
        if (!fails || commit.run.parent) return;
        fails = false;
        throw new Error('the connection was lost');
      },
    }),
  });
  await made.save(named('inner', workflow([look('slow', { timeout: '1h' })])));
  await made.start(named('outer', workflow([call('child', 'inner')])));
  fails = true;
  await made.do('cancel');
  await made.advance(2000);
  const runs = (await made.memory.runs()).map(({ workflowId, status }) => [workflowId, status]);
  expect([Object.fromEntries(runs), made.engine.inFlight]).toEqual([{ outer: 'cancelled', inner: 'cancelled' }, 0]);
});
