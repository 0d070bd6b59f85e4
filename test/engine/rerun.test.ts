import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/model/canonical.ts';
import type { Json } from '../../src/model/json.ts';
import { click, fails, gate, go, look, World, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

const STEPS = [look('a'), go('b'), click('c', { dependsOn: ['b'] }), look('d')];
const FILE = workflow(STEPS, { output: { a: '{{step.a}}', d: '{{step.d}}' } });

/** Everything that the store holds of a run. */
async function record({ memory }: World, runId: string): Promise<string> {
  const all = [await memory.run(runId), await memory.steps(runId), await memory.events(runId)];
  return canonicalJson(all as unknown as Json);
}

async function ended(definition = FILE): Promise<World> {
  let nth = 0;
  const world = new World({ outside: () => ({ nth: ++nth }) });
  await world.start(definition);
  await world.runOut();
  expect((await world.run()).status).toBe('completed');
  return world;
}

it('a new run is linked to the old one, whose record stays as it was to the byte; the same command twice is one run', async () => {
  const world = await ended();
  const old = world.runId;
  const before = await record(world, old);
  const command = { type: 'rerun', runId: old, from: 'd' } as const;
  const [one, two] = await Promise.all([
    world.send(command, { commandId: 'x' }),
    world.send(command, { commandId: 'x' }),
  ]);
  expect([one, two]).toEqual([one, one]);
  await world.runOut();
  const runId = one.ok ? (one.data as { runId: string }).runId : '';
  expect(await world.memory.run(runId)).toMatchObject({
    status: 'completed',
    rerunOf: { runId: old, from: 'd' },
    output: { a: { nth: 1 }, d: { nth: 5 } },
  });
  expect([world.count('a'), world.count('c'), world.count('d')]).toEqual([1, 1, 2]);
  expect((await world.memory.steps(runId)).map(({ path, reused }) => [path, reused])).toEqual([
    ['a', true],
    ['b', true],
    ['c', true],
    ['d', undefined],
  ]);
  expect((await world.memory.runs()).length).toBe(2);
  expect(await record(world, old)).toBe(before);
});

it('the newest revision: a step that it has renamed is refused by name, and nothing has changed; one that fits is used', async () => {
  const world = await ended();
  const old = world.runId;
  const before = await record(world, old);
  await world.save(workflow([look('a'), go('b'), click('renamed'), look('d')]));
  for (const [from, missing] of [
    ['c', 'c'],
    ['d', 'c'],
  ] as const)
    expect(await world.send({ type: 'rerun', runId: old, from, revision: 'newest' })).toMatchObject({
      ok: false,
      code: 'unknown_step',
      message: expect.stringContaining(missing),
    });
  expect((await world.memory.runs()).length).toBe(1);
  expect(await record(world, old)).toBe(before);
  const revision = await world.save(workflow([look('a'), go('b'), click('c'), look('d'), look('more')]));
  const result = await world.send({ type: 'rerun', runId: old, from: 'd', revision: 'newest' });
  await world.runOut();
  const runId = result.ok ? (result.data as { runId: string }).runId : '';
  expect(await world.memory.run(runId)).toMatchObject({ status: 'completed', revision: revision.revision });
  expect([world.count('c'), world.count('more')]).toEqual([1, 1]);
});

it('a workflow that was switched off or removed is not run again', async () => {
  const world = await ended();
  await world.memory.setWorkflowEnabled('w', false);
  const command = { type: 'rerun', runId: world.runId, from: 'd' } as const;
  expect(await world.send(command)).toMatchObject({ code: 'workflow_disabled' });
  await world.memory.removeWorkflow('w');
  expect(await world.send(command)).toMatchObject({ code: 'workflow_missing' });
  expect(await world.send({ ...command, runId: 'none' })).toMatchObject({ code: 'run_missing' });
});

it('a rerun waits, dies and is recovered: its journal folds to what the engine held', async () => {
  const world = await ended(
    workflow([look('a'), { id: 'p', type: 'parallel', branches: { x: [look('x')], y: [go('y')] } }, click('c')]),
  );
  await world.save(
    workflow([
      look('a'),
      { id: 'p', type: 'parallel', branches: { x: [look('x')], y: [go('y'), gate('ask')] } },
      click('c'),
    ]),
  );
  const result = await world.send({ type: 'rerun', runId: world.runId, from: 'y', revision: 'newest' });
  expect(result).toMatchObject({ ok: true });
  world.runId = result.ok ? (result.data as { runId: string }).runId : '';
  await world.settle();
  for (const again of [false, true]) {
    if (again) await world.crash();
    const live = liveState(world.engine, world.runId);
    expect(live).toBeDefined();
    if (live) await checkReplay(world.memory, live);
  }
  expect(await world.decide('ask')).toMatchObject({ ok: true });
  await world.runOut();
  expect((await world.run()).status).toBe('completed');
  expect([world.count('a'), world.count('x'), world.count('y'), world.count('c')]).toEqual([1, 1, 2, 2]);
});

it('it began, but its answer was not stored: the command that is taken again finds its run', async () => {
  let lose = true;
  const world = new World({
    wrap: (store) => ({
      ...store,
      answerCommand: async (command) => {
        if (lose && command.command.type === 'rerun') throw new Error('the disk is gone');
        return store.answerCommand(command);
      },
    }),
  });
  await world.start(FILE);
  await world.runOut();
  await world.send({ type: 'rerun', runId: world.runId, from: 'd' }).catch(() => undefined);
  lose = false;
  await world.crash();
  await world.runOut();
  expect((await world.memory.runs()).map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(await world.memory.pendingCommands()).toEqual([]);
});

it('engine-14: a failed run, the workflow corrected: run again with the same revision or the newest, and each run says which', async () => {
  const world = new World({ outside: ({ path }) => (path === 'b' && !fixed ? fails('bad_request') : path) });
  let fixed = false;
  const first = await world.save(workflow([look('a'), look('b')], { output: 'first {{step.b}}' }));
  await world.start(first.definition);
  const old = world.runId;
  expect(await world.run()).toMatchObject({ status: 'failed', revision: first.revision });
  const second = await world.save(workflow([look('a'), look('b')], { output: 'second {{step.b}}' }));
  fixed = true;
  for (const [revision, output, used] of [
    [undefined, 'first b', first],
    ['same', 'first b', first],
    ['newest', 'second b', second],
  ] as const) {
    const result = await world.send({ type: 'rerun', runId: old, from: 'b', revision });
    await world.runOut();
    const runId = result.ok ? (result.data as { runId: string }).runId : '';
    expect(await world.memory.run(runId)).toMatchObject({ status: 'completed', output, revision: used.revision });
  }
  // In place it goes on with what it was started with.
  expect(await world.send({ type: 'retry', runId: old })).toEqual({ ok: true });
  expect(await world.run()).toMatchObject({ status: 'completed', output: 'first b', revision: first.revision });
  expect([world.count('a'), world.count('b')]).toEqual([1, 5]);
});
