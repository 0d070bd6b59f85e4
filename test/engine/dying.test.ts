import { expect, it } from 'vitest';
import { click, fails, look, World, workflow } from '../support/engine.ts';

const never = new Promise<never>(() => undefined);

/** A world whose process is being ended: everything outside fails with whatever error, and the engine still runs and writes. */
function dyingWorld(code: string): { world: World; end(): Promise<void> } {
  let dying = true;
  const world = new World({
    outside: () => (dying ? fails(code) : { title: 'Seen' }),
    alive: () => (dying ? never : Promise.resolve()),
  });
  return {
    world,
    end: () => {
      dying = false;
      return world.crash();
    },
  };
}

it.each(['tab_closed', 'network', 'permission_denied', 'internal'])(
  'the process is being ended, and a read fails with it (%s): that is not written down, and the next engine reads again',
  async (code) => {
    const { world, end } = dyingWorld(code);
    await world.start(workflow([look('read', { retry: { maxAttempts: 1 } })]));
    expect([world.count('read'), await world.status('read'), (await world.run()).status]).toEqual([
      1,
      'running',
      'running',
    ]);
    await end();
    expect((await world.run()).status).toBe('completed');
    expect((await world.step('read'))?.attempts.map(({ error }) => error?.code)).toEqual(['interrupted', undefined]);
  },
);

it('the process is being ended, and a once step is told that its tab is closed: a person is asked what became of it', async () => {
  const { world, end } = dyingWorld('tab_closed');
  await world.start(workflow([click('send')]));
  await end();
  expect([world.count('send'), await world.status('send'), (await world.run()).waitingFor]).toEqual([
    1,
    'waiting',
    ['recovery'],
  ]);
});

it('nobody ever says that the process lives on: the attempt ends at its timeout all the same', async () => {
  const { world } = dyingWorld('element_not_found');
  await world.start(workflow([look('read', { timeout: '5s', retry: { maxAttempts: 1 } })]));
  await world.advance(6000);
  expect((await world.run()).error?.code).toBe('timeout');
});
