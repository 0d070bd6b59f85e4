import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/memory/index.ts';
import { untilAlive } from '../../src/app/alive.ts';
import { settle } from './fake.ts';

it('the browser refuses every call: the worker is being ended, and counts as alive only when a later call is answered', async () => {
  let dying = true;
  const getPlatformInfo = async () => {
    if (dying) throw new Error('No SW');
    return {};
  };
  const clock = createVirtualClock(0);
  let alive = false;
  const asked = untilAlive({ runtime: { getPlatformInfo } as never }, clock).then(() => {
    alive = true;
  });
  for (let second = 0; second < 5; second++) {
    await settle();
    clock.advanceTo(clock.now() + 1000);
  }
  expect(alive).toBe(false);
  dying = false;
  await settle();
  clock.advanceTo(clock.now() + 1000);
  await asked;
  expect(alive).toBe(true);
});
