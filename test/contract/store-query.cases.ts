import { equal } from './check.ts';
import { approval, command, commit, event, run, step } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

const ids = (rows: { runId: string }[]): string[] => rows.map(({ runId }) => runId);

export const queryCases: StoreCase[] = [
  [
    'an empty store: nothing is found and nothing fails',
    async (store) => {
      equal(await store.run('none'), undefined, 'run');
      equal(await store.events('none'), [], 'events');
      equal(await store.steps('none'), [], 'steps');
      equal(await store.approvals({}), [], 'approvals');
      equal(await store.pendingCommands(), [], 'commands');
      equal(await store.workflows(), [], 'workflows');
      equal(await store.setting('none'), undefined, 'setting');
      equal(await store.blob('none'), undefined, 'blob');
      await store.removeRun('none');
      await store.removeWorkflow('none');
    },
  ],
  [
    'runs: newest first, by status, workflow, limit and time',
    async (store) => {
      await store.commit(commit('r1', { run: run('r1', { createdAt: 10, status: 'completed' }) }));
      await store.commit(commit('r4', { run: run('r4', { createdAt: 40, status: 'waiting', workflowId: 'other' }) }));
      await store.commit(commit('r2', { run: run('r2', { createdAt: 20, status: 'waiting' }) }));
      await store.commit(commit('r3', { run: run('r3', { createdAt: 30, status: 'failed' }) }));
      equal(ids(await store.runs()), ['r4', 'r3', 'r2', 'r1'], 'all');
      equal(ids(await store.runs({ limit: 2 })), ['r4', 'r3'], 'limit');
      equal(ids(await store.runs({ limit: 0 })), [], 'a limit of none');
      equal(ids(await store.runs({ before: 30 })), ['r2', 'r1'], 'before is exclusive');
      equal(ids(await store.runs({ status: ['waiting'] })), ['r4', 'r2'], 'one status');
      equal(ids(await store.runs({ status: ['waiting', 'completed', 'waiting'] })), ['r4', 'r2', 'r1'], 'several');
      equal(
        ids(await store.runs({ status: ['waiting', 'completed'], limit: 2, before: 40 })),
        ['r2', 'r1'],
        'several, limited',
      );
      equal(ids(await store.runs({ status: [] })), [], 'no status');
      equal(ids(await store.runs({ workflowId: 'expenses' })), ['r3', 'r2', 'r1'], 'workflow');
      equal(
        ids(await store.runs({ workflowId: 'expenses', status: ['waiting', 'failed'], limit: 1 })),
        ['r3'],
        'workflow and status',
      );
      equal(ids(await store.runs({ workflowId: 'expenses', before: 20 })), ['r1'], 'workflow and time');
    },
  ],
  [
    'runs that others have called: left out where only the outermost are asked for',
    async (store) => {
      const parent = { runId: 'r1', path: 'child', root: 'r1', prefix: 'child' };
      await store.commit(commit('r1', { run: run('r1', { createdAt: 10, status: 'completed' }) }));
      await store.commit(commit('r2', { run: run('r2', { createdAt: 20, status: 'completed', parent }) }));
      await store.commit(commit('r3', { run: run('r3', { createdAt: 30, status: 'failed', parent }) }));
      equal(ids(await store.runs({ outermost: true })), ['r1'], 'all');
      equal(ids(await store.runs({ outermost: true, status: ['completed', 'failed'], limit: 1 })), ['r1'], 'status');
      equal(ids(await store.runs({ outermost: true, workflowId: 'expenses' })), ['r1'], 'workflow');
      equal(ids(await store.runs({})), ['r3', 'r2', 'r1'], 'with them');
    },
  ],
  [
    'a run that is removed: the runs that it has called go too, at any depth, and it stays while one of them is at work',
    async (store) => {
      const from = (runId: string) => ({ runId, path: 'child', root: 'r1', prefix: 'child' });
      const ended = { status: 'completed' as const };
      const below = (status: 'running' | 'completed') =>
        commit('r3', { run: run('r3', { status, parent: from('r2') }) });
      await store.commit(commit('r1', { run: run('r1', ended) }));
      await store.commit(
        commit('r2', { run: run('r2', { ...ended, parent: from('r1') }), steps: [step('r2', 'a', 0)] }),
      );
      await store.commit(below('running'));
      await store.commit(commit('r4', { run: run('r4', ended) }));
      const refusal = await store.removeRun('r1').catch((error: unknown) => (error as Error).message);
      equal(typeof refusal, 'string', 'refused');
      equal((await store.runs({})).length, 4, 'all are still there');
      await store.commit(below('completed'));
      await store.removeRun('r1');
      equal(ids(await store.runs({})), ['r4'], 'left');
      equal(await store.steps('r2'), [], 'steps');
    },
  ],
  [
    'a run that changes its status: it is found by the new one only',
    async (store) => {
      await store.commit(commit('r1', { run: run('r1', { status: 'waiting' }) }));
      await store.commit(commit('r1', { run: run('r1', { status: 'completed' }) }));
      equal(ids(await store.runs({ status: ['waiting'] })), [], 'old');
      equal(ids(await store.runs({ status: ['completed'] })), ['r1'], 'new');
    },
  ],
  [
    'runs of one millisecond: always in the same order, whatever the query',
    async (store) => {
      for (const id of ['b', 'a', 'c']) await store.commit(commit(id));
      equal(ids(await store.runs()), ['c', 'b', 'a'], 'all');
      equal(ids(await store.runs({ status: ['running', 'failed'] })), ['c', 'b', 'a'], 'by status');
      equal(ids(await store.runs({ workflowId: 'expenses' })), ['c', 'b', 'a'], 'by workflow');
    },
  ],
  [
    'a start key: found by workflow and key together, the newest where there are two',
    async (store) => {
      await store.commit(commit('r1', { run: run('r1', { startKey: 'k', createdAt: 1 }) }));
      await store.commit(commit('r2', { run: run('r2', { startKey: 'k', createdAt: 2, workflowId: 'other' }) }));
      await store.commit(commit('r3', { run: run('r3', { createdAt: 3 }) }));
      equal((await store.runByStartKey('expenses', 'k'))?.runId, 'r1', 'expenses');
      equal((await store.runByStartKey('other', 'k'))?.runId, 'r2', 'other');
      equal(await store.runByStartKey('expenses', 'K'), undefined, 'another key');
      await store.commit(commit('r4', { run: run('r4', { startKey: 'k', createdAt: 4 }) }));
      equal((await store.runByStartKey('expenses', 'k'))?.runId, 'r4', 'the newest');
    },
  ],
  [
    'events: in order of seq, whole or after one',
    async (store) => {
      await store.commit(commit('r1', { events: [event('r1', 2), event('r1', 1)] }));
      await store.commit(commit('r2', { events: [event('r2', 1)] }));
      await store.commit(commit('r1', { events: Array.from({ length: 10 }, (_, i) => event('r1', i + 3)) }));
      equal(
        (await store.events('r1')).map(({ seq }) => seq),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        'all',
      );
      equal(
        (await store.events('r1', 10)).map(({ seq }) => seq),
        [11, 12],
        'after 10',
      );
      equal(await store.events('r1', 12), [], 'after the last');
      equal(await store.events('r'), [], 'a run whose id starts the same');
    },
  ],
  [
    'steps: in their order, not by path, of their run only',
    async (store) => {
      await store.commit(commit('r1', { steps: [step('r1', 'each[10]/x', 3), step('r1', 'z', 1)] }));
      await store.commit(commit('r1', { steps: [step('r1', 'each[2]/x', 2)] }));
      await store.commit(commit('r10', { steps: [step('r10', 'q', 1)] }));
      equal(
        (await store.steps('r1')).map(({ path }) => path),
        ['z', 'each[2]/x', 'each[10]/x'],
        'paths',
      );
    },
  ],
  [
    'approvals: newest first, by status, run and limit',
    async (store) => {
      await store.commit(
        commit('r1', { approvals: [approval('a1', 'r1', { createdAt: 1 }), approval('a3', 'r1', { createdAt: 3 })] }),
      );
      await store.commit(commit('r2', { approvals: [approval('a2', 'r2', { createdAt: 2, status: 'expired' })] }));
      const found = async (query: Parameters<typeof store.approvals>[0]) =>
        (await store.approvals(query)).map((row) => row.approvalId);
      equal(await found({}), ['a3', 'a2', 'a1'], 'all');
      equal(await found({ limit: 1 }), ['a3'], 'limit');
      equal(await found({ status: 'pending' }), ['a3', 'a1'], 'pending');
      equal(await found({ runId: 'r1' }), ['a3', 'a1'], 'run');
      equal(await found({ runId: 'r2', status: 'pending' }), [], 'run and status');
      await store.commit(commit('r1', { approvals: [approval('a1', 'r1', { createdAt: 1, status: 'approved' })] }));
      equal(await found({ status: 'pending' }), ['a3'], 'after a decision');
      equal(await found({ status: 'approved', limit: 5 }), ['a1'], 'decided');
    },
  ],
  [
    'commands: pending in the order they came, also within a millisecond',
    async (store) => {
      for (const id of ['z', 'a', 'm']) await store.appendCommand(command(id, 'r1'));
      equal(
        (await store.pendingCommands()).map((one) => one.commandId),
        ['z', 'a', 'm'],
        'order',
      );
    },
  ],
  [
    'a command that is appended twice: the first stays, and both callers get it',
    async (store) => {
      const first = command('c1', 'r1');
      equal(await store.appendCommand(first), first, 'first');
      equal(await store.appendCommand(command('c1', 'r1', { by: 'client:x', at: 5 })), first, 'second');
      equal(await store.pendingCommands(), [first], 'pending');
    },
  ],
  [
    'one command appended by many at once: it is stored once',
    async (store) => {
      const all = await Promise.all(['p', 'q', 'r'].map((by) => store.appendCommand(command('c1', 'r1', { by }))));
      equal(new Set(all.map(({ by }) => by)).size, 1, 'all got the same');
      equal((await store.pendingCommands()).length, 1, 'pending');
    },
  ],
  [
    'commands that are consumed or answered: no longer pending, their results kept',
    async (store) => {
      for (const id of ['c1', 'c2', 'c3']) await store.appendCommand(command(id, 'r1'));
      const consumed = command('c1', 'r1', { result: { ok: true, data: { n: 1 } } });
      const answered = command('c2', 'r1', { result: { ok: false, code: 'run_finished', message: 'Over.' } });
      await store.commit(commit('r1', { inbox: [consumed] }));
      await store.answerCommand(answered);
      equal(
        (await store.pendingCommands()).map((one) => one.commandId),
        ['c3'],
        'pending',
      );
      equal(await store.appendCommand(command('c1', 'r1')), consumed, 'consumed');
      equal(await store.appendCommand(command('c2', 'r1')), answered, 'answered');
      equal(await store.command('c1'), consumed, 'by its id');
      equal(await store.command('c3'), command('c3', 'r1'), 'one that is pending, by its id');
      equal(await store.command('none'), undefined, 'one that nobody sent');
      await store.appendCommand(command('c0', 'r1'));
      equal(
        (await store.pendingCommands()).map((one) => one.commandId),
        ['c3', 'c0'],
        'a later one comes later',
      );
    },
  ],
];
