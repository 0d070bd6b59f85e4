import { expect, it } from 'vitest';
import { look, World, workflow } from '../support/engine.ts';
import { type Fault, FaultyStore } from '../support/sim/faulty-store.ts';

const FILE = workflow([
  look('before'),
  { id: 'tell', type: 'notification', title: 'Seen', dedupeKey: 'k' },
  { id: 'pass', type: 'handoff', to: 'support', message: 'Look' },
  look('after'),
]);

it.each<Fault>(['die-before', 'die-after', 'fail', 'fail-after'])(
  'the store or the engine fails at any commit (%s): each entry is told once, with its step',
  async (fault) => {
    for (let at = 0; at < 8; at++) {
      let faulty: FaultyStore | undefined;
      let dead = false;
      const told: string[] = [];
      const world: World = new World({
        wrap: (store) => {
          faulty = new FaultyStore(store);
          faulty.onDeath = () => {
            dead = true;
            world.engine.dispose();
          };
          return faulty.store;
        },
        onCommit: ({ outbox, steps }) => {
          for (const { path } of outbox ?? []) {
            told.push(path);
            expect(steps.find((step) => step.path === path)?.status).toBe('completed');
          }
        },
      });
      const revision = await world.save(FILE);
      faulty?.arm(fault, at);
      const start = () => world.engine.start({ revision, input: {}, trigger: { type: 'manual' }, key: 'k' });
      void start();
      for (let turn = 0; turn < 100 && !dead; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (dead) await world.crash();
      const again = await start();
      world.runId = again.ok ? again.runId : '';
      await world.runOut();
      expect((await world.run()).status, `at ${at}`).toBe('completed');
      expect(new Set(told).size).toBe(told.length);
      expect((await world.memory.outbox()).map(({ kind, to }) => [kind, to]).sort()).toEqual([
        ['handoff', 'support'],
        ['notification', undefined],
      ]);
    }
  },
);
