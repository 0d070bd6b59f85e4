import type { Json } from '../../src/model/json.ts';
import { equal, rejected, truthy } from './check.ts';
import { approval, artifact, command, commit, event, run, step } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

const MIB = 1024 * 1024;
const STRANGE = 'Grüße 🧵 ‮ \u0000 \ud800 line\nbreak {{x}}';

export const contentCases: StoreCase[] = [
  [
    'text of every kind: it comes back to the letter',
    async (store) => {
      const data: { [key: string]: Json } = {
        [STRANGE]: STRANGE,
        '': [null, true, -0.5, 1e300, [], {}],
        constructor: 'own',
        'a.b[0]': 1,
      };
      await store.commit(
        commit('r 1/ü', {
          events: [{ ...event('r 1/ü', 1), data }],
          steps: [step('r 1/ü', 'each[0]/ß', 1, { output: data })],
        }),
      );
      equal((await store.events('r 1/ü'))[0]?.data, data, 'event');
      equal((await store.steps('r 1/ü'))[0]?.output, data, 'output');
    },
  ],
  [
    'a key called __proto__: kept as data',
    async (store) => {
      const data = JSON.parse('{"__proto__": {"polluted": true}}') as { [key: string]: Json };
      await store.commit(commit('r1', { events: [{ ...event('r1', 1), data }] }));
      const [found] = await store.events('r1');
      equal(Object.keys(found?.data ?? {}), ['__proto__'], 'own key');
      equal('polluted' in (found?.data ?? {}), false, 'prototype');
    },
  ],
  [
    'values of 1 MiB: in an event, a step, a blob and an artifact',
    async (store) => {
      const text = 'ä€🧵x'.repeat(MIB / 10);
      const bytes = Uint8Array.from({ length: MIB }, (_, i) => (i * 7) % 256);
      await store.commit(
        commit('r1', {
          events: [event('r1', 1, { text })],
          steps: [step('r1', 'a', 1, { output: text })],
          blobs: [{ hash: 'big', text }],
          artifacts: [artifact('big', 'r1', bytes)],
        }),
      );
      truthy((await store.events('r1'))[0]?.data.text === text, 'event');
      truthy((await store.steps('r1'))[0]?.output === text, 'step');
      truthy((await store.blob('big')) === text, 'blob');
      equal((await store.artifact('big'))?.bytes, bytes, 'bytes');
    },
  ],
  [
    'a part of a larger buffer as an artifact, and an empty one: just those bytes',
    async (store) => {
      const part = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4);
      await store.commit(
        commit('r1', { artifacts: [artifact('part', 'r1', part), artifact('none', 'r1', new Uint8Array())] }),
      );
      equal((await store.artifact('part'))?.bytes, new Uint8Array([1, 2, 3]), 'part');
      equal((await store.artifact('none'))?.bytes, new Uint8Array(), 'none');
    },
  ],
  [
    'artifacts of a run: oldest first, without their bytes',
    async (store) => {
      const kept = [
        artifact('b', 'r1', new Uint8Array([1]), { createdAt: 1 }),
        artifact('a', 'r1', new Uint8Array([2]), { createdAt: 2 }),
      ];
      await store.commit(commit('r1', { artifacts: kept }));
      await store.commit(commit('r2', { artifacts: [artifact('c', 'r2', new Uint8Array([3]))] }));
      equal(
        await store.artifacts('r1'),
        kept.map(({ row }) => row),
        'rows',
      );
    },
  ],
  [
    'settings: the last value of each key',
    async (store) => {
      await store.setSetting('profile', { roles: ['owner'] });
      await store.setSetting('ui', { theme: 'dark' });
      const value = { roles: ['owner', 'finance'], nested: { a: [1] } };
      await store.setSetting('profile', value);
      value.nested.a.push(2);
      equal(await store.setting('profile'), { roles: ['owner', 'finance'], nested: { a: [1] } }, 'profile');
      equal(await store.setting('ui'), { theme: 'dark' }, 'ui');
    },
  ],
  [
    'a run that is removed: all that belongs to it goes, and nothing else',
    async (store) => {
      const shared = { sha256: 'same-bytes' };
      for (const id of ['r1', 'r2']) {
        await store.appendCommand(command(`pending-${id}`, id));
        await store.commit(
          commit(id, {
            run: run(id, { status: 'completed', startKey: id }),
            events: [event(id, 1), event(id, 2)],
            steps: [step(id, 'a', 1)],
            approvals: [approval(`ap-${id}`, id)],
            artifacts: [
              artifact(`art-${id}`, id, new Uint8Array([1]), shared),
              artifact(`own-${id}`, id, new Uint8Array([2])),
            ],
            blobs: [
              { hash: 'shared', text: 'both' },
              { hash: `only-${id}`, text: id },
            ],
            inbox: [command(`done-${id}`, id, { result: { ok: true } })],
          }),
        );
      }
      await store.removeRun('r1');
      equal(await store.run('r1'), undefined, 'run');
      equal(
        (await store.runs()).map(({ runId }) => runId),
        ['r2'],
        'runs',
      );
      equal(await store.runByStartKey('expenses', 'r1'), undefined, 'start key');
      equal(await store.events('r1'), [], 'events');
      equal(await store.steps('r1'), [], 'steps');
      equal(
        (await store.approvals({})).map((row) => row.approvalId),
        ['ap-r2'],
        'approvals',
      );
      equal(await store.artifact('art-r1'), undefined, 'artifact');
      equal(await store.artifacts('r1'), [], 'artifacts');
      equal(await store.blob('only-r1'), undefined, 'blob');
      equal(
        (await store.pendingCommands()).map((one) => one.commandId),
        ['pending-r2'],
        'commands',
      );
      equal((await store.appendCommand(command('done-r1', 'r3'))).result, undefined, 'a consumed command');

      equal((await store.events('r2')).length, 2, 'events of the other');
      equal((await store.steps('r2')).length, 1, 'steps of the other');
      equal((await store.artifact('art-r2'))?.bytes, new Uint8Array([1]), 'bytes that both had');
      equal(await store.blob('shared'), 'both', 'text that both had');
      await store.removeRun('r2');
      equal(await store.blob('shared'), undefined, 'text that nobody has any more');
    },
  ],
  [
    'a run that is not over: it is not removed',
    async (store) => {
      for (const status of ['queued', 'running', 'waiting', 'paused'] as const) {
        await store.commit(commit(status, { run: run(status, { status }) }));
        await rejected(store.removeRun(status), status);
        truthy(await store.run(status), `${status} is still there`);
      }
    },
  ],
  [
    'a run id that was removed: it can be used again',
    async (store) => {
      const asked = commit('r1', { run: run('r1', { status: 'cancelled' }), events: [event('r1', 1)] });
      await store.commit(asked);
      await store.removeRun('r1');
      await store.commit(asked);
      equal((await store.events('r1')).length, 1, 'events');
    },
  ],
  [
    'a cached result: found by its key, written over by a newer one, and forgotten once its time was up long enough',
    async (store) => {
      const row = (key: string, output: string, until: number) => ({ key, workflowId: 'w', output, at: 1, until });
      await store.commit(
        commit('r1', { events: [event('r1', 1)], cache: [row('a', 'old', 10), row('b', 'kept', 30)] }),
      );
      await store.commit(commit('r1', { events: [event('r1', 2)], cache: [row('a', 'new', 20)] }));
      equal(await store.cached('a'), row('a', 'new', 20), 'newer');
      equal(await store.cached('none'), undefined, 'none');
      await store.forgetCached(30);
      equal(await store.cached('a'), undefined, 'forgotten');
      equal(await store.cached('b'), row('b', 'kept', 30), 'kept');
    },
  ],
  [
    'what runs have spent: by month, whole sums over those before, and kept when the run goes',
    async (store) => {
      const row = (month: string, runId: string, usd: number) => ({
        month,
        runId,
        workflowId: 'w',
        workflowName: 'W',
        usage: { inputTokens: 1, outputTokens: 2, usd },
        calls: 1,
        unpriced: 0,
      });
      await store.commit(commit('r1', { events: [event('r1', 1)], spending: [row('2026-01', 'r1', 1)] }));
      await store.commit(
        commit('r1', { events: [event('r1', 2)], spending: [row('2026-01', 'r1', 3), row('2026-02', 'r1', 1)] }),
      );
      await store.commit(commit('r2', { events: [event('r2', 1)], spending: [row('2026-01', 'r2', 5)] }));
      // A commit that fails counts nothing.
      const clash = commit('r2', { events: [event('r2', 1)], spending: [row('2026-01', 'r2', 50)] });
      await rejected(store.commit(clash), 'conflict');
      equal(await store.spending({ month: '2026-01' }), [row('2026-01', 'r1', 3), row('2026-01', 'r2', 5)], 'month');
      await store.commit(commit('r1', { run: run('r1', { status: 'completed' }), events: [event('r1', 3)] }));
      await store.removeRun('r1');
      equal((await store.spending()).length, 3, 'all');
      equal(await store.spending({ month: '2025-12' }), [], 'none');
    },
  ],
];
