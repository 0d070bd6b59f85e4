import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { gate, look, START, World, workflow } from '../support/engine.ts';

/** What the time in which nobody was there does to the `timeout` of a step that only holds others which wait. */

const MIN = 60_000;
const block = (more: JsonObject = {}) => ({
  id: 'block',
  type: 'condition',
  if: 'true',
  timeout: '1h',
  then: [gate('ok', more)],
});

/** The engine dies, and the next one begins `ms` later. */
async function backAfter(world: World, ms: number, goneSince?: number) {
  world.engine.dispose();
  world.clock.advanceTo(world.clock.now() + ms);
  world.engine = world.makeEngine();
  await world.engine.recover(goneSince);
  world.engine.tick();
  await world.settle();
}

it('the browser was gone over the end of it: the rest is still to come', async () => {
  const world = new World();
  await world.start(workflow([block()]));
  await world.advance(20 * MIN);
  await backAfter(world, 600 * MIN, world.clock.now());
  expect((await world.run()).status).toBe('waiting');
  await world.advance(39 * MIN);
  expect((await world.run()).status).toBe('waiting');
  await world.advance(2 * MIN);
  expect((await world.run()).error?.code).toBe('timeout');
  const recovered = (await world.events()).filter(({ type }) => type === 'run.recovered');
  expect(recovered.map(({ data }) => data)).toEqual([{ interrupted: [], gone: 600 * MIN }]);
});

it('gone twice, and recovered twice after the second time: each time counts once', async () => {
  const world = new World();
  await world.start(workflow([block()]));
  await world.advance(10 * MIN);
  await backAfter(world, 100 * MIN, world.clock.now());
  await world.advance(10 * MIN);
  const since = world.clock.now();
  await backAfter(world, 100 * MIN, since);
  await backAfter(world, MIN, since);
  await world.advance(39 * MIN);
  expect((await world.run()).status).toBe('waiting');
  await world.advance(2 * MIN);
  expect((await world.run()).error?.code).toBe('timeout');
});

it('the browser was there: an engine that sleeps until the end of it is woken for it, and no more time is given', async () => {
  const world = new World();
  await world.start(workflow([block()]));
  await backAfter(world, 30 * MIN);
  await backAfter(world, 31 * MIN);
  expect((await world.run()).error?.code).toBe('timeout');
});

it('gone in a pause: the pause alone counts, with work that was cut off in it, too', async () => {
  const world: World = new World({ outside: ({ signal }) => (world.count('slow') === 1 ? world.hang(signal) : {}) });
  await world.start(workflow([{ ...block(), then: [gate('ok', { dependsOn: [] }), look('slow', { dependsOn: [] })] }]));
  await world.advance(0.5 * MIN);
  await world.do('pause');
  await backAfter(world, 600 * MIN, world.clock.now());
  await world.do('resume');
  await world.advance(59 * MIN);
  expect([(await world.run()).status, world.count('slow')]).toEqual(['waiting', 2]);
  await world.advance(MIN);
  expect((await world.run()).error?.code).toBe('timeout');
});

it("the approval's own expiry is a time of the clock on the wall, whoever was there", async () => {
  const world = new World();
  await world.start(workflow([block({ expiresAfter: '2h' })]));
  await backAfter(world, 180 * MIN, START);
  expect((await world.run()).error?.code).toBe('approval_expired');
});
