import { expect, it } from 'vitest';
import { verifyChain } from '../../src/model/events.ts';
import { exportRun, verifyExport } from '../../src/model/run-export.ts';
import { fails, look, World, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

const ONCE = { retry: { maxAttempts: 1 } };
const OLD = workflow([look('a'), look('b', ONCE), look('c')]);
const NEW = workflow([look('a'), look('b'), look('extra'), look('c')], { name: 'Newer', timeout: '1h' });

/** A run that has failed in `b`, and whose workflow has a newer revision. */
async function failed(): Promise<{ world: World; newest: string; oldest: string }> {
  let failures = 1;
  const world = new World({
    outside: ({ path }) => {
      if (path === 'b' && failures-- > 0) fails('bad_request');
      return { path };
    },
  });
  await world.start(OLD);
  await world.runOut();
  const { status, revision } = await world.run();
  expect(status).toBe('failed');
  const { revision: newest } = await world.save(NEW);
  return { world, newest, oldest: revision };
}

it('the run keeps which revisions it has run under, and its chain, export and replay hold', async () => {
  const { world, newest, oldest } = await failed();
  const { runId } = world;
  const command = { type: 'retry', runId, revision: 'newest' } as const;
  const [one, two] = await Promise.all([
    world.send(command, { commandId: 'x' }),
    world.send(command, { commandId: 'x' }),
  ]);
  expect([one, two]).toEqual([{ ok: true }, { ok: true }]);
  const state = liveState(world.engine, runId);
  if (state) await checkReplay(world.memory, state);
  await world.runOut();
  expect(await world.run()).toMatchObject({
    status: 'completed',
    revision: newest,
    revisions: [oldest, newest],
    workflowName: 'Newer',
  });
  expect([world.count('a'), world.count('b'), world.count('extra'), world.count('c')]).toEqual([1, 2, 1, 1]);
  const events = await world.memory.events(runId);
  expect(events.filter(({ type }) => type === 'run.retried').map(({ data }) => data)).toMatchObject([
    { revision: newest, by: 'person' },
  ]);
  expect(verifyChain(events)).toBeUndefined();
  const file = await exportRun(runId, events, (hash) => world.memory.blob(hash));
  expect(verifyExport(JSON.parse(JSON.stringify(file)))).toMatchObject({ events: events.length });
});

it('a newest revision that is gone or switched off is refused, and nothing has changed', async () => {
  const { world, newest, oldest } = await failed();
  const { runId, memory } = world;
  const before = (await memory.events(runId)).length;
  const row = await memory.workflow(NEW.id);
  const revision = await memory.revision(oldest);
  if (!row || !revision) throw new Error('no workflow');
  await memory.saveWorkflow({ ...row, enabled: false }, revision);
  const again = () => world.send({ type: 'retry', runId, revision: 'newest' });
  expect(await again()).toMatchObject({ ok: false, code: 'workflow_disabled' });
  await memory.saveWorkflow({ ...row, enabled: true, revision: newest.replaceAll(/./g, '0') }, revision);
  expect(await again()).toMatchObject({ ok: false, code: 'workflow_missing' });
  expect((await memory.events(runId)).length).toBe(before);
});

it('the rows of steps that are done have the names that the newer revision gives them', async () => {
  const { world } = await failed();
  await world.save(workflow([look('a', { name: 'First' }), look('b'), look('c')]));
  await world.send({ type: 'retry', runId: world.runId, revision: 'newest' });
  const state = liveState(world.engine, world.runId);
  if (state) await checkReplay(world.memory, state);
  await world.runOut();
  const rows = await world.memory.steps(world.runId);
  expect(rows.map(({ path, name, status }) => [path, name, status])).toEqual([
    ['a', 'First', 'completed'],
    ['b', 'b', 'completed'],
    ['c', 'c', 'completed'],
  ]);
});
