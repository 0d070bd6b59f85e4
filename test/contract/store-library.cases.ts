import { equal, rejected } from './check.ts';
import { revision, workflow } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

export const libraryCases: StoreCase[] = [
  [
    'a saved workflow: its row and its revision',
    async (store) => {
      const [row, kept] = [workflow('w', 'h1', { draft: true, enabled: false }), revision('w', 'h1')];
      await store.saveWorkflow(row, kept);
      equal(await store.workflow('w'), row, 'row');
      equal(await store.revision('h1'), kept, 'revision');
      equal(await store.workflow('other'), undefined, 'another');
      equal(await store.revision('h2'), undefined, 'another revision');
    },
  ],
  [
    'a revision without a workflow: it is found, it stays as it was, and nothing is listed',
    async (store) => {
      await store.saveRevision(revision('w', 'h1'));
      await store.saveRevision(revision('w', 'h1', { createdAt: 9 }));
      equal(await store.revision('h1'), revision('w', 'h1'), 'revision');
      equal(await store.workflows(), [], 'workflows');
    },
  ],
  [
    'a new revision: the row points to it, the old one stays',
    async (store) => {
      await store.saveWorkflow(workflow('w', 'h2'), revision('w', 'h2', { createdAt: 1 }));
      await store.saveWorkflow(
        workflow('w', 'h1', { updatedAt: 2 }),
        revision('w', 'h1', { parent: 'h2', createdAt: 2 }),
      );
      await store.saveWorkflow(workflow('v', 'h3'), revision('v', 'h3'));
      equal((await store.workflow('w'))?.revision, 'h1', 'row');
      equal(
        (await store.revisions('w')).map((one) => one.revision),
        ['h1', 'h2'],
        'newest first',
      );
      equal(await store.revisions('none'), [], 'of no workflow');
    },
  ],
  [
    'a revision that is saved again: it stays as it was, the row is updated',
    async (store) => {
      const first = revision('w', 'h1');
      await store.saveWorkflow(workflow('w', 'h1'), first);
      await store.saveWorkflow(
        workflow('w', 'h1', { name: 'New name' }),
        revision('w', 'h1', { source: 'changed', createdAt: 9 }),
      );
      equal(await store.revision('h1'), first, 'revision');
      equal((await store.workflow('w'))?.name, 'New name', 'row');
      equal((await store.revisions('w')).length, 1, 'revisions');
    },
  ],
  [
    'workflows: in order of their ids',
    async (store) => {
      for (const id of ['b', 'a', 'B']) await store.saveWorkflow(workflow(id, id), revision(id, id));
      equal(
        (await store.workflows()).map((row) => row.workflowId),
        ['B', 'a', 'b'],
        'ids',
      );
    },
  ],
  [
    'a workflow that is switched off and on: only that changes',
    async (store) => {
      const row = workflow('w', 'h1');
      await store.saveWorkflow(row, revision('w', 'h1'));
      await store.setWorkflowEnabled('w', false);
      equal(await store.workflow('w'), { ...row, enabled: false }, 'off');
      await store.setWorkflowEnabled('w', true);
      equal(await store.workflow('w'), row, 'on');
      equal(
        ((await rejected(store.setWorkflowEnabled('none', true), 'missing')) as Error & { code?: string }).code,
        'workflow_missing',
        'code',
      );
    },
  ],
  [
    'a workflow that is removed: its revisions stay for the runs that started with them',
    async (store) => {
      await store.saveWorkflow(workflow('w', 'h1'), revision('w', 'h1'));
      await store.removeWorkflow('w');
      equal(await store.workflow('w'), undefined, 'row');
      equal(await store.workflows(), [], 'list');
      equal((await store.revision('h1'))?.revision, 'h1', 'revision');
    },
  ],
];
