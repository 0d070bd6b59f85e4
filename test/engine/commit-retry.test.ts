import { expect, it } from 'vitest';
import { verifyChain } from '../../src/model/events.ts';
import type { Commit, Store } from '../../src/ports/store.ts';
import { click, gate, go, look, World, workflow } from '../support/engine.ts';

/** A store that cannot write while it is `down`; with `writes` it writes all the same, and then says that it has failed. */
class Outage {
  down = false;
  writes = false;
  error: Error = Object.assign(new Error('There is no room left.'), { name: 'QuotaExceededError' });
  refused: Commit[] = [];
  /** Commits wait for it before they are written. */
  held: Promise<void> | undefined;
  /** Goes down once the commit that is held is written. */
  downAfterNext = false;

  wrap = (inner: Store): Store => ({
    ...inner,
    commit: async (commit) => {
      await this.held;
      if (!this.down) {
        this.down = this.downAfterNext;
        this.downAfterNext = false;
        return inner.commit(commit);
      }
      this.refused.push(commit);
      if (this.writes) await inner.commit(commit);
      throw this.error;
    },
  });
}

/** A world whose store goes down as soon as the outside has been called for a path. */
function worldThatFailsAt(path: string, outage: Outage): World {
  return new World({
    wrap: outage.wrap,
    outside: (call) => {
      if (call.path === path) outage.down = true;
      return { did: call.path };
    },
  });
}

it('the result of a click cannot be stored for an hour: it is kept, stored when the store is back, and nothing is asked or repeated', async () => {
  const outage = new Outage();
  const world = worldThatFailsAt('send', outage);
  await world.start(workflow([go('open'), click('send'), look('after')]));
  await world.advance(3_600_000);
  expect([world.count('send'), world.count('after')]).toEqual([1, 0]);
  // What is stored is what was: the click is still at work for everybody who looks.
  expect([await world.status('send'), world.engine.stuck]).toEqual(['running', true]);
  // It is tried again and again, but ever more seldom.
  expect(outage.refused.length).toBeGreaterThan(300);
  expect(outage.refused.length).toBeLessThan(400);
  outage.down = false;
  await world.advance(11_000);
  expect([world.count('send'), world.count('after'), (await world.run()).status]).toEqual([1, 1, 'completed']);
  expect(world.engine.stuck).toBe(false);
  expect(verifyChain(await world.memory.events(world.runId))).toBeUndefined();
});

it('the store had written the result before it said that it failed: the run goes on, nothing is written twice', async () => {
  const outage = new Outage();
  outage.writes = true;
  const world = worldThatFailsAt('send', outage);
  await world.start(workflow([click('send'), look('after')]));
  outage.down = false;
  await world.advance(1000);
  expect([world.count('send'), world.count('after'), (await world.run()).status]).toEqual([1, 1, 'completed']);
  expect(world.faults).toEqual([]);
});

it('the engine dies while the result of a click waits to be stored: a person is asked, nothing is repeated', async () => {
  const outage = new Outage();
  const world = worldThatFailsAt('send', outage);
  await world.start(workflow([click('send'), look('after')]));
  outage.down = false;
  await world.crash();
  expect([world.count('send'), (await world.run()).waitingFor]).toEqual([1, ['recovery']]);
});

it('the intent of a click cannot be stored: it is not clicked before it is', async () => {
  const outage = new Outage();
  const world = worldThatFailsAt('read', outage);
  await world.start(workflow([look('read'), click('send')]));
  await world.advance(60_000);
  expect([world.count('read'), world.count('send')]).toEqual([1, 0]);
  outage.down = false;
  await world.advance(11_000);
  expect([world.count('read'), world.count('send'), (await world.run()).status]).toEqual([1, 1, 'completed']);
});

it('an emergency stop while a result waits: work in flight ends at once, and what happened is asked after the stop', async () => {
  const outage = new Outage();
  const world: World = new World({
    wrap: outage.wrap,
    outside: (call) => {
      if (call.path === 'slow') return world.hang(call.signal);
      outage.down = true;
      return {};
    },
  });
  await world.start(workflow([look('slow', { dependsOn: [] }), click('send', { dependsOn: [] })]));
  expect(world.engine.inFlight).toBe(1);
  await world.engine.emergencyStop(true);
  expect([world.engine.inFlight, world.engine.stuck]).toEqual([0, false]);
  outage.down = false;
  await world.advance(10_000);
  await world.engine.emergencyStop(false);
  await world.send({ type: 'resume', runId: world.runId });
  await world.settle();
  expect([world.count('send'), await world.status('send')]).toEqual([1, 'waiting']);
});

it('a decision that shares its commit with a result: its sender is told that it is kept, and it is done when the store is back', async () => {
  const outage = new Outage();
  const finish = new Map<string, () => void>();
  const world: World = new World({
    wrap: outage.wrap,
    outside: ({ path }) => (path === 'send' ? {} : new Promise((resolve) => finish.set(path, () => resolve({})))),
  });
  const alone = { dependsOn: [] };
  await world.start(
    workflow([gate('ok', alone), look('first', alone), look('slow', alone), click('send', { dependsOn: ['ok'] })]),
  );
  const hash = (await world.approval('ok'))?.hash as string;
  // While one commit is on its way, the next one gathers.
  let release = (): void => undefined;
  outage.held = new Promise((resolve) => {
    release = resolve;
  });
  finish.get('first')?.();
  await new Promise((resolve) => setImmediate(resolve));
  finish.get('slow')?.();
  const answer = world.post({ type: 'decide', runId: world.runId, path: 'ok', hash, decision: 'approved' });
  await new Promise((resolve) => setImmediate(resolve));
  outage.held = undefined;
  outage.downAfterNext = true;
  release();
  expect(await answer).toMatchObject({ ok: false, message: expect.stringContaining('is kept, and will be done') });
  expect([await world.status('first'), await world.pending(), world.count('send')]).toEqual(['completed', ['ok'], 0]);
  outage.down = false;
  await world.advance(30_000);
  expect([await world.status('ok'), world.count('send'), (await world.run()).status]).toEqual([
    'completed',
    1,
    'completed',
  ]);
});

it('a store that says it will never work again is not waited for: the run is left to the next start', async () => {
  const outage = new Outage();
  const world = worldThatFailsAt('send', outage);
  outage.error = Object.assign(new Error('closed for good'), {
    name: 'TabloomError',
    info: { code: 'internal', message: 'closed for good', details: { final: true } },
  });
  await world.start(workflow([click('send')]));
  expect([world.engine.stuck, world.faults]).toEqual([false, ['The store failed: closed for good']]);
  outage.down = false;
  await world.crash();
  expect([world.count('send'), (await world.run()).waitingFor]).toEqual([1, ['recovery']]);
});
