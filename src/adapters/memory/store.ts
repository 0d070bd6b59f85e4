import { TabloomError } from '../../model/errors.ts';
import { FINAL_RUN } from '../../model/run.ts';
import type { Commit, Store } from '../../ports/index.ts';
import { followsFailure } from './conflict.ts';
import { copyData } from './copy.ts';
import { compareKeys, newestFirst } from './ordered.ts';
import { startKeyOf, Tables } from './tables.ts';

/** The memory store, with what only tests need. */
export interface MemoryStore extends Store {
  /** The next commit that is written rejects with `error` and leaves nothing, as when a database aborts its transaction. */
  failNext(error: Error): void;
}

interface Asked {
  commit: Commit;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The reference implementation of `Store`. Values are copied on the way in and on the way out, so nobody shares objects with it.
 * Commits are written in the next micro-task, in the order they were asked for; after one that fails, those of the same run which were
 * already waiting fail too. `close` only waits for them: the data stay, so that the next engine can be given the same store.
 */
export function createMemoryStore(): MemoryStore {
  const tables = new Tables();
  const failures: Error[] = [];
  let queue: Asked[] = [];

  function flush(): void {
    const batch = queue;
    queue = [];
    const failed = new Map<string, unknown>();
    for (const { commit, resolve, reject } of batch) {
      try {
        if (failed.has(commit.runId)) throw followsFailure(commit.runId, failed.get(commit.runId));
        const failure = failures.shift();
        if (failure) throw failure;
        tables.apply(commit);
        resolve();
      } catch (error) {
        failed.set(commit.runId, error);
        reject(error);
      }
    }
  }

  return {
    failNext: (error) => void failures.push(error),

    commit(commit) {
      return new Promise((resolve, reject) => {
        const copy = copyData(commit);
        if (queue.length === 0) queueMicrotask(flush);
        queue.push({ commit: copy, resolve, reject });
      });
    },

    run: async (runId) => copyOf(tables.runs.get(runId)?.run),
    async runs(query = {}) {
      const { status, workflowId, limit, before, outermost } = query;
      const found = [];
      for (const { run } of tables.runs.values()) {
        if (!run || (status && !status.includes(run.status)) || (outermost && run.parent)) continue;
        if (workflowId !== undefined && run.workflowId !== workflowId) continue;
        if (before === undefined || run.createdAt < before) found.push(run);
      }
      return copyData(newestFirst(found, (run) => run.runId).slice(0, limit));
    },
    async runByStartKey(workflowId, key) {
      const ids = tables.startKeys.get(startKeyOf(workflowId, key)) ?? [];
      const runs = [...ids].flatMap((id) => tables.runs.get(id)?.run ?? []);
      return copyOf(newestFirst(runs, (run) => run.runId)[0]);
    },
    events: async (runId, after = 0) => copyData(tables.runs.get(runId)?.events.after(after) ?? []),
    async steps(runId) {
      const rows = [...(tables.runs.get(runId)?.steps.values() ?? [])];
      return copyData(rows.sort((a, b) => a.order - b.order || compareKeys(a.path, b.path)));
    },
    step: async (runId, path) => copyOf(tables.runs.get(runId)?.steps.get(path)),
    async approvals({ status, runId, limit }) {
      const ids = runId === undefined ? tables.approvals.keys() : (tables.runs.get(runId)?.approvals ?? []);
      const rows = [...ids].flatMap((id) => tables.approvals.get(id) ?? []);
      const found = rows.filter((row) => status === undefined || row.status === status);
      return copyData(newestFirst(found, (row) => row.approvalId).slice(0, limit));
    },
    async artifact(artifactId) {
      const row = tables.artifacts.get(artifactId);
      const file = row && tables.files.get(row.sha256);
      return file && copyData({ row, bytes: file.content });
    },
    async artifacts(runId) {
      const rows = [...(tables.runs.get(runId)?.artifacts ?? [])].flatMap((id) => tables.artifacts.get(id) ?? []);
      return copyData(newestFirst(rows, (row) => row.artifactId).reverse());
    },
    cached: async (key) => copyOf(tables.cache.get(key)),
    async forgetCached(before) {
      for (const [key, row] of tables.cache) if (row.until < before) tables.cache.delete(key);
    },
    blob: async (hash) => tables.blobs.get(hash)?.content,

    appendCommand: async (command) => copyData(tables.append(copyData(command))),
    answerCommand: async (command) => tables.answer(copyData(command)),
    async pendingCommands() {
      return copyData([...tables.pending].flatMap((id) => tables.inbox.get(id) ?? []));
    },
    command: async (commandId) => copyOf(tables.inbox.get(commandId)),

    async workflows() {
      return copyData([...tables.workflows.values()].sort((a, b) => compareKeys(a.workflowId, b.workflowId)));
    },
    workflow: async (workflowId) => copyOf(tables.workflows.get(workflowId)),
    revision: async (revision) => copyOf(tables.revisions.get(revision)),
    async revisions(workflowId) {
      const rows = [...tables.revisions.values()].filter((row) => row.workflowId === workflowId);
      return copyData(newestFirst(rows, (row) => row.revision));
    },
    async saveWorkflow(row, revision) {
      const copy = copyData({ row, revision });
      if (!tables.revisions.has(revision.revision)) tables.revisions.set(revision.revision, copy.revision);
      tables.workflows.set(row.workflowId, copy.row);
    },
    async saveRevision(revision) {
      if (!tables.revisions.has(revision.revision)) tables.revisions.set(revision.revision, copyData(revision));
    },
    async setWorkflowEnabled(workflowId, enabled) {
      const row = tables.workflows.get(workflowId);
      if (!row) throw workflowMissing(workflowId);
      tables.workflows.set(workflowId, { ...row, enabled });
    },
    removeWorkflow: async (workflowId) => void tables.workflows.delete(workflowId),

    async rules() {
      return copyData(
        newestFirst([...tables.rules.values()], (rule) => rule.ruleId).map((rule) => tables.listed(rule)),
      );
    },
    async removeRule(ruleId) {
      tables.rules.delete(ruleId);
      tables.ruleUses.delete(ruleId);
    },

    async outbox() {
      const rows = newestFirst([...tables.outbox.values()], (row) => row.outboxId);
      return copyData(
        rows.map((row) => {
          const sentAt = tables.sent.get(row.outboxId);
          return sentAt === undefined ? row : { ...row, sentAt };
        }),
      );
    },
    async markSent(outboxId, at) {
      if (tables.outbox.has(outboxId)) tables.sent.set(outboxId, at);
    },
    removeOutbox: async (outboxId) => tables.removeOutbox(outboxId),
    knowledge: async (query = {}) => copyData(tables.knowledge.find(query)),
    async addKnowledge(...writes) {
      for (const write of copyData(writes)) tables.knowledge.add(write);
    },
    eraseKnowledge: async (documentId, before) => tables.knowledge.erase(documentId, before),
    knowledgeIndex: async () => copyData(tables.knowledge.index()),
    changeKnowledgeIndex: async (change) => tables.knowledge.change(copyData(change)),
    passages: async (asked) => copyData(asked.map((each) => tables.knowledge.passage(each))),

    setting: async (key) => copyOf(tables.settings.get(key)),
    setSetting: async (key, value) => void tables.settings.set(key, copyData(value)),

    async removeRun(runId) {
      const runs = tables.withCalled(runId);
      for (const id of runs) {
        const run = tables.runs.get(id)?.run;
        if (run && !FINAL_RUN.includes(run.status)) throw runUnfinished(id);
      }
      for (const id of runs) tables.removeRun(id);
    },
    close: () => new Promise((resolve) => queueMicrotask(resolve)),
  };
}

/** The refusal of `setWorkflowEnabled` for a workflow that is not there. */
export function workflowMissing(workflowId: string): TabloomError {
  return new TabloomError('workflow_missing', `There is no workflow ${workflowId}; import or save it first.`);
}

/** The refusal of `removeRun` for a run that has not ended. */
export function runUnfinished(runId: string): TabloomError {
  return new TabloomError('bad_request', `Run ${runId} has not ended; cancel it before removing it.`);
}

function copyOf<T>(value: T | undefined): T | undefined {
  return value === undefined ? undefined : copyData(value);
}
