import type { Commit, Store } from '../../src/ports/index.ts';
import { equal, rejected, truthy } from './check.ts';
import { approval, artifact, command, commit, event, run, step } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

const bytes = new Uint8Array([0, 255, 128, 7]);

/** A commit that writes into every store, with its first event at `seq`. */
function everything(runId: string, seq: number): Commit {
  return commit(runId, {
    run: run(runId, { seq: seq + 1, startKey: 'once' }),
    events: [event(runId, seq), event(runId, seq + 1)],
    steps: [step(runId, 'read', 1), step(runId, 'gate', 2)],
    approvals: [approval('ap', runId)],
    artifacts: [artifact('art', runId, bytes)],
    blobs: [{ hash: 'h1', text: 'large' }],
    inbox: [command('c1', runId, { result: { ok: true } })],
    strict: true,
  });
}

async function nothingOf(store: Store, runId: string): Promise<void> {
  equal(await store.run(runId), undefined, 'no run');
  equal(await store.runs(), [], 'no runs');
  equal(await store.runByStartKey('expenses', 'once'), undefined, 'no start key');
  equal(await store.events(runId), [], 'no events');
  equal(await store.steps(runId), [], 'no steps');
  equal(await store.approvals({ runId }), [], 'no approvals');
  equal(await store.artifact('art'), undefined, 'no artifact');
  equal(await store.artifacts(runId), [], 'no artifact rows');
  equal(await store.blob('h1'), undefined, 'no blob');
}

export const commitCases: StoreCase[] = [
  [
    'a commit with everything: all of it can be read back',
    async (store) => {
      const asked = everything('r1', 1);
      await store.commit(asked);
      equal(await store.run('r1'), asked.run, 'run');
      equal(await store.events('r1'), asked.events, 'events');
      equal(await store.steps('r1'), asked.steps, 'steps');
      for (const one of asked.steps) equal(await store.step('r1', one.path), one, 'a step by its path');
      equal(await store.step('r1', 'none'), undefined, 'no such step');
      equal(await store.approvals({ runId: 'r1' }), asked.approvals, 'approvals');
      equal(await store.artifact('art'), asked.artifacts[0], 'artifact');
      equal(await store.artifacts('r1'), [asked.artifacts[0]?.row], 'artifact rows');
      equal(await store.blob('h1'), 'large', 'blob');
      equal(await store.appendCommand(command('c1', 'r1')), asked.inbox[0], 'consumed command');
    },
  ],
  [
    'a commit whose transaction is aborted: nothing of it is left, and it can be asked for again',
    async (store, test) => {
      test.abortNext();
      const error = await rejected(store.commit(everything('r1', 1)), 'aborted commit');
      truthy(error.message.length > 10, 'the error says something');
      await nothingOf(store, 'r1');
      await store.commit(everything('r1', 1));
      equal((await store.events('r1')).length, 2, 'events of the second try');
    },
  ],
  [
    'an aborted commit on top of an older one: the older state stays whole',
    async (store, test) => {
      const first = everything('r1', 1);
      await store.commit(first);
      test.abortNext();
      const next = commit('r1', {
        run: run('r1', { status: 'completed' }),
        events: [event('r1', 3)],
        steps: [step('r1', 'read', 1, { status: 'failed' })],
        dropSteps: ['gate'],
        approvals: [approval('ap', 'r1', { status: 'approved' })],
      });
      await rejected(store.commit(next), 'aborted commit');
      equal(await store.run('r1'), first.run, 'run');
      equal(await store.events('r1'), first.events, 'events');
      equal(await store.steps('r1'), first.steps, 'steps');
      equal(await store.approvals({ runId: 'r1' }), first.approvals, 'approvals');
    },
  ],
  [
    'a seq that is taken: StoreConflict, and nothing of the commit is written',
    async (store) => {
      await store.commit(commit('r1', { events: [event('r1', 1), event('r1', 2)] }));
      const clash = { ...everything('r1', 2), steps: [step('r1', 'stolen', 9)] };
      const error = await rejected(store.commit(clash), 'clash');
      equal(error.name, 'StoreConflict', 'name');
      equal((error as Error & { runId?: string }).runId, 'r1', 'runId');
      equal(await store.run('r1'), run('r1'), 'run');
      equal(await store.events('r1'), [event('r1', 1), event('r1', 2)], 'events');
      equal(await store.steps('r1'), [], 'steps');
      equal(await store.approvals({ runId: 'r1' }), [], 'approvals');
      equal(await store.blob('h1'), undefined, 'blob');
    },
  ],
  [
    'the same seq in two runs: no conflict',
    async (store) => {
      await store.commit(commit('r1', { events: [event('r1', 1)] }));
      await store.commit(commit('r2', { events: [event('r2', 1)] }));
      equal((await store.events('r2')).length, 1, 'events of r2');
    },
  ],
  [
    'two commits with one seq at once: the first is written, the second is a StoreConflict',
    async (store) => {
      const [first, second] = await Promise.allSettled([
        store.commit(commit('r1', { events: [event('r1', 1, { by: 'first' })] })),
        store.commit(commit('r1', { events: [event('r1', 1, { by: 'second' })] })),
      ]);
      equal(first.status, 'fulfilled', 'first');
      equal(second.status === 'rejected' && second.reason.name, 'StoreConflict', 'second');
      equal(await store.events('r1'), [event('r1', 1, { by: 'first' })], 'events');
    },
  ],
  [
    'one of many commits asked for at once clashes: only it and what follows it in its run fail',
    async (store) => {
      await store.commit(commit('bad', { events: [event('bad', 1)] }));
      const asked = [
        store.commit(commit('r1', { events: [event('r1', 1)] })),
        store.commit(commit('bad', { events: [event('bad', 1)] })),
        store.commit(commit('r1', { events: [event('r1', 2)] })),
        // Written, this would leave a gap where the fenced commit was meant to be.
        store.commit(commit('bad', { events: [event('bad', 2)] })),
        store.commit(commit('r2', { events: [event('r2', 1)] })),
      ];
      const settled = await Promise.allSettled(asked);
      equal(
        settled.map(({ status }) => status === 'fulfilled'),
        [true, false, true, false, true],
        'which were written',
      );
      equal(
        settled.map((one) => one.status === 'rejected' && one.reason.name),
        [false, 'StoreConflict', false, 'StoreConflict', false],
        'why',
      );
      equal(
        (await store.events('r1')).map(({ seq }) => seq),
        [1, 2],
        'r1',
      );
      equal(
        (await store.events('bad')).map(({ seq }) => seq),
        [1],
        'bad',
      );
      equal(
        (await store.events('r2')).map(({ seq }) => seq),
        [1],
        'r2',
      );
    },
  ],
  [
    'commits asked for at once: they are written in the order they were asked for',
    async (store) => {
      const many = Array.from({ length: 30 }, (_, i) => i + 1);
      await Promise.all(
        many.map((seq) =>
          store.commit(commit('r1', { run: run('r1', { seq }), events: [event('r1', seq)], strict: seq % 7 === 0 })),
        ),
      );
      equal(
        (await store.events('r1')).map(({ seq }) => seq),
        many,
        'events',
      );
      equal((await store.run('r1'))?.seq, 30, 'the last run row');
    },
  ],
  [
    'the caller changes its objects after asking: what was asked for is stored',
    async (store) => {
      const list = [1];
      const asked = commit('r1', {
        events: [event('r1', 1, { list })],
        artifacts: [artifact('art', 'r1', new Uint8Array([1, 2]))],
      });
      const done = store.commit(asked);
      asked.run.status = 'failed';
      list.push(2);
      asked.artifacts[0]?.bytes.fill(9);
      await done;
      equal((await store.run('r1'))?.status, 'running', 'run');
      equal((await store.events('r1'))[0]?.data, { list: [1] }, 'event');
      equal((await store.artifact('art'))?.bytes, new Uint8Array([1, 2]), 'bytes');
    },
  ],
  [
    'the caller changes what it read: the store keeps its own',
    async (store) => {
      await store.commit(everything('r1', 1));
      const [runRow, events, steps, kept] = [
        await store.run('r1'),
        await store.events('r1'),
        await store.steps('r1'),
        await store.artifact('art'),
      ];
      if (runRow) runRow.input.url = 'changed';
      if (events[0]) events[0].data.changed = true;
      if (steps[0]) steps[0].status = 'failed';
      kept?.bytes.fill(1);
      equal((await store.run('r1'))?.input, { url: 'https://example.com/' }, 'run');
      equal((await store.events('r1'))[0]?.data, {}, 'event');
      equal((await store.steps('r1'))[0]?.status, 'completed', 'step');
      equal((await store.artifact('art'))?.bytes, bytes, 'bytes');
    },
  ],
  [
    'dropSteps: those rows are gone, a path that is also written has its new row',
    async (store) => {
      await store.commit(commit('r1', { steps: [step('r1', 'a', 1), step('r1', 'b', 2), step('r1', 'c', 3)] }));
      await store.commit(commit('r2', { steps: [step('r2', 'a', 1)] }));
      await store.commit(
        commit('r1', { dropSteps: ['a', 'b', 'never'], steps: [step('r1', 'b', 4, { status: 'pending' })] }),
      );
      equal(await store.steps('r1'), [step('r1', 'c', 3), step('r1', 'b', 4, { status: 'pending' })], 'steps');
      equal((await store.steps('r2')).length, 1, 'the other run');
    },
  ],
  [
    'a store that is closed and opened again: all is there',
    async (store, test) => {
      const asked = everything('r1', 1);
      const pending = store.commit(asked);
      const again = await test.reopen();
      await pending;
      equal(await again.run('r1'), asked.run, 'run');
      equal(await again.events('r1'), asked.events, 'events');
      equal(await again.artifact('art'), asked.artifacts[0], 'artifact');
    },
  ],
];
