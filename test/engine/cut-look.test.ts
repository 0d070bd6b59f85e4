import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { click, fails, gate, look, World, workflow } from '../support/engine.ts';

/** A *once* step of which it is not known whether it acted stays an open question, also when the run ends before it is answered. */

/** A look that fails after so long, once. */
const failsAfter = (time: string): JsonObject[] => [
  { id: 'later', type: 'wait', for: time, dependsOn: [] },
  look('bad', { retry: { maxAttempts: 1 } }),
];
const verify = { steps: [look('see', { timeout: '30s' })], done: 'step.see.sent == true' };

it('a look that was cut off by a failure elsewhere: a retry looks again, and does not act again unseen', async () => {
  const world: World = new World({
    outside: ({ path, signal }) => {
      if (path === 'send') return world.hang(signal);
      if (path === 'bad') return world.count('bad') === 1 ? fails('bad_request') : null;
      return world.count(path) === 1 ? world.hang(signal) : { sent: true };
    },
  });
  await world.start(workflow([click('send', { timeout: '5s', verify }), ...failsAfter('6s')]));
  await world.advance(6000);
  expect([(await world.run()).status, await world.status('send'), world.count('send[1]/see')]).toEqual([
    'failed',
    'cancelled',
    1,
  ]);
  await world.do('retry');
  expect([world.count('send'), world.count('send[1]/see'), await world.status('send')]).toEqual([1, 2, 'completed']);
});

it('what a look has seen before a retry does not count after it', async () => {
  let sent = false;
  const world: World = new World({
    outside: ({ path, signal }) => (path === 'send' ? world.hang(signal) : { sent: sent || 'who knows' }),
  });
  // The condition is no truth at first, so that a person is asked.
  const asks = { ...verify, done: 'step.see.sent' };
  await world.start(workflow([click('send', { timeout: '5s', verify: asks })]));
  await world.advance(5000);
  expect((await world.run()).waitingFor).toEqual(['recovery']);
  await world.recover('send', 'fail');
  sent = true;
  await world.do('retry');
  expect([(await world.run()).status, world.count('send'), world.count('send[1]/see')]).toEqual(['completed', 1, 2]);
});

it('an open question that a pause has put off is asked after a retry', async () => {
  const world: World = new World({ outside: ({ signal }) => world.hang(signal) });
  await world.start(workflow([click('send', { verify }), gate('ok', { dependsOn: [], expiresAfter: '10s' })]));
  await world.engine.emergencyStop(true);
  await world.engine.emergencyStop(false);
  await world.advance(10_000);
  expect([(await world.run()).status, await world.status('send')]).toEqual(['failed', 'cancelled']);
  await world.do('retry');
  expect([world.count('send'), world.count('send[1]/see')]).toEqual([1, 1]);
});
