import { describe, expect, it } from 'vitest';
import { fails, go, World, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

/** engine-19: a run that is rolled back undoes b, then a, with work that is not aborted with what has failed. */

const FILE = workflow(
  [
    go('a', { compensate: [go('undo_a')] }),
    go('b', { compensate: [go('undo_b1'), go('undo_b2')] }),
    go('c', { compensate: [go('undo_c')] }),
  ],
  { onFailure: 'rollback' },
);
const UNDONE = ['undo_b1', 'undo_b2', 'undo_a'];

/** @param c what happens in the step that fails or is cancelled */
function undoing(c: (world: World, signal: AbortSignal) => Promise<never> | never): World {
  const world: World = new World({
    outside: async ({ path, signal }) => {
      if (path === 'c') return c(world, signal);
      if (path.startsWith('undo')) await world.sleep(1000, signal);
      return 1;
    },
  });
  return world;
}

const undone = (world: World) => world.calls.filter(({ path }) => path.startsWith('undo'));

describe('engine-19: rollback', () => {
  it('c fails: each list in its written order, the newest step first, one after another, none of it aborted', async () => {
    const world = undoing(() => fails('bad_request'));
    await world.start(FILE);
    for (let n = 1; n <= UNDONE.length; n++) {
      expect(undone(world).map(({ path }) => path)).toEqual(UNDONE.slice(0, n));
      expect(await world.run()).toMatchObject({ status: 'running', undoing: true });
      await world.advance(1000);
    }
    expect(undone(world).every(({ signal }) => !signal.aborted)).toBe(true);
    expect(await world.run()).toMatchObject({ status: 'failed', error: { code: 'bad_request', step: 'c' } });
    expect((await world.run()).undoing).toBeUndefined();
    expect(await world.do('retry')).toMatchObject({ ok: false, code: 'rolled_back' });
  });

  it('cancelled inside c: its work is aborted, and the undoing has signals of its own', async () => {
    const world = undoing((one, signal) => one.hang(signal));
    await world.start(FILE);
    await world.do('cancel');
    await world.runOut();
    expect(world.calls.find(({ path }) => path === 'c')?.signal.aborted).toBe(true);
    expect(undone(world).map(({ path, signal }) => [path, signal.aborted])).toEqual(
      UNDONE.map((path) => [path, false]),
    );
    expect((await world.run()).status).toBe('cancelled');
  });

  it('the engine dies in and between them: what is undone is not undone again, and the rest comes in the same order', async () => {
    const world = undoing(() => fails('bad_request'));
    await world.start(FILE);
    await world.crash();
    await world.advance(1000);
    await world.crash();
    await world.advance(1000);
    await world.crash();
    const live = liveState(world.engine, world.runId);
    expect(live).toBeDefined();
    if (live) await checkReplay(world.memory, live);
    await world.runOut();
    // Each was cut off once, and none was begun again after it had ended.
    expect(undone(world).map(({ path }) => path)).toEqual(UNDONE.flatMap((path) => [path, path]));
    expect(await world.run()).toMatchObject({ status: 'failed', error: { code: 'bad_request' } });
  });

  it('paused in the middle: nothing is undone until it is resumed', async () => {
    const world = undoing(() => fails('bad_request'));
    await world.start(FILE);
    await world.do('pause');
    await world.advance(60_000);
    expect(undone(world).map(({ path }) => path)).toEqual(['undo_b1']);
    await world.do('resume');
    await world.runOut();
    expect(undone(world).map(({ path }) => path)).toEqual(UNDONE);
    expect((await world.run()).status).toBe('failed');
  });

  it('cancelled while it is undone: what is under way is cut off, and the run ends as it was to end, saying what is left', async () => {
    const world = undoing(() => fails('bad_request'));
    await world.start(FILE);
    await world.do('cancel');
    await world.runOut();
    expect(undone(world).map(({ path, signal }) => [path, signal.aborted])).toEqual([['undo_b1', true]]);
    const { status, error } = await world.run();
    expect([status, error?.code]).toEqual(['failed', 'bad_request']);
    expect(error?.message).toContain('look at what is left');
    expect(error?.details).toMatchObject({ compensation: { code: 'cancelled' } });
  });

  it('longer than its own deadline: the rollback is cut short, and the run says so', async () => {
    const world: World = new World({
      outside: ({ path, signal }) =>
        path === 'c' ? fails('bad_request') : path.startsWith('undo') ? world.hang(signal) : 1,
    });
    await world.start({ ...FILE, timeout: '30s' });
    await world.advance(29_999);
    expect((await world.run()).status).toBe('running');
    await world.advance(1);
    expect(await world.run()).toMatchObject({
      status: 'failed',
      error: { code: 'bad_request', details: { compensation: { code: 'timeout' } } },
    });
  });
});
