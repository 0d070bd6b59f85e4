import type { RunRow } from '../../model/run.ts';
import type { Commit } from '../../ports/index.ts';

/** What runs are looked up by; all but the status is fixed when a run is created. */
export type RunKeys = Pick<RunRow, 'runId' | 'workflowId' | 'status' | 'createdAt' | 'startKey'> & {
  parent?: { runId: string };
};

export function keysOf({ runId, workflowId, status, createdAt, startKey, parent }: RunRow): RunKeys {
  return {
    runId,
    workflowId,
    status,
    createdAt,
    ...(startKey === undefined ? {} : { startKey }),
    ...(parent && { parent: { runId: parent.runId } }),
  };
}

type Known = Map<string, { seq: number; status: string }>;

/**
 * Remembers which keys this writer has stored, so that they are written only when they change. What it knows of a run holds for a commit
 * that follows straight on its own last one: no two commits have the same `seq`, so nobody else can have written between them.
 */
export class KnownKeys {
  readonly #known: Known = new Map();

  /** The commits of a batch, in order, after which a run's keys are not as they were before. */
  changedBy(commits: readonly Commit[]): Set<Commit> {
    const now = new Map(this.#known);
    const changed = new Set<Commit>();
    for (const commit of commits) {
      const { runId, events, run } = commit;
      const known = now.get(runId);
      if (!known || known.status !== run.status || events[0]?.seq !== known.seq + 1) changed.add(commit);
      note(now, commit);
    }
    return changed;
  }

  /** The batch has been written. */
  written(commits: readonly Commit[]): void {
    for (const commit of commits) note(this.#known, commit);
  }

  /** It has not, or it is not known whether it has. */
  failed(commits: readonly Commit[]): void {
    for (const { runId } of commits) this.#known.delete(runId);
  }
}

function note(known: Known, { runId, events, run }: Commit): void {
  const seq = events.at(-1)?.seq;
  // Little is written to a run after its end.
  if (seq === undefined || run.endedAt !== undefined) known.delete(runId);
  else known.set(runId, { seq, status: run.status });
}
