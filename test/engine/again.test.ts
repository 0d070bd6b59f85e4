import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { click, fails, look, World, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

const ONCE = { retry: { maxAttempts: 1 } };
const AGAIN = { retry: { maxAttempts: 2, delay: '1s', jitter: false, on: ['bad_request'] } };

/** A block whose last step fails once; before it a list is read, and gone through in rounds: longer the first time. */
async function twice(rounds: JsonObject): Promise<World> {
  let failures = 1;
  const world = new World({
    outside: ({ path, attempt }): Json => {
      if (path === 'last' && failures-- > 0) fails('bad_request');
      if (path !== 'list') return { path };
      return { n: attempt === 1 ? [[1, 2], [3], [4, 5, 6]] : [[1]] };
    },
  });
  const steps = [look('list'), { id: 'each', type: 'loop', over: '{{step.list.n}}', ...rounds }, look('last', ONCE)];
  await world.start(workflow([{ id: 'block', type: 'condition', if: 'true', ...AGAIN, then: steps }]));
  await world.runOut();
  const state = liveState(world.engine, world.runId);
  if (state) await checkReplay(world.memory, state);
  return world;
}

const pathsOf = async (world: World) => (await world.memory.steps(world.runId)).map(({ path }) => path).sort();

it('rounds of a loop that begins anew with fewer items leave no rows behind', async () => {
  const world = await twice({ steps: [look('x')] });
  expect((await world.run()).status).toBe('completed');
  expect(await pathsOf(world)).toEqual(['block', 'each', 'each[0]/x', 'last', 'list']);
});

it('nor do rounds inside of rounds, and looks whether something happened', async () => {
  const verify = { steps: [look('seen')], done: 'true' };
  const inner = { id: 'inner', type: 'loop', over: '{{loop_item}}', steps: [look('x'), look('y', { verify })] };
  const world = await twice({ steps: [{ id: 'c', type: 'condition', if: 'true', then: [inner] }] });
  expect((await world.run()).status).toBe('completed');
  expect(await pathsOf(world)).toEqual(
    ['block', 'each', 'each[0]/c', 'each[0]/inner', 'each[0]/inner[0]/x', 'each[0]/inner[0]/y', 'last', 'list'].sort(),
  );
});

it('rounds that stay keep their rows', async () => {
  const world = await twice({ steps: [click('x')] });
  expect((await world.run()).status).toBe('completed');
  expect((await pathsOf(world)).filter((path) => path.startsWith('each['))).toEqual([
    'each[0]/x',
    'each[1]/x',
    'each[2]/x',
  ]);
});

it('a fallback that failed inside of a branch goes on there when the run is retried', async () => {
  let broken = true;
  const world = new World({
    outside: ({ path }): Json => (path === 'first' || (broken && path !== 'ok') ? fails('bad_request') : { path }),
  });
  const branch = { id: 'both', type: 'parallel', branches: { a: [look('ok'), look('inner', ONCE)] } };
  await world.start(
    workflow([look('first', { ...ONCE, fallback: { steps: [branch] } })], { output: '{{step.first}}' }),
  );
  await world.runOut();
  expect((await world.run()).status).toBe('failed');
  broken = false;
  await world.do('retry');
  await world.runOut();
  expect([(await world.run()).status, world.count('ok'), world.count('inner')]).toEqual(['completed', 1, 2]);
});
