import type { StoreConflict } from '../../ports/index.ts';

/** The error of a commit whose `[runId, seq]` is taken: another engine has written it, and this one must stop working on that run. */
export class StoreConflictError extends Error implements StoreConflict {
  override readonly name = 'StoreConflict';
  readonly runId: string;
  constructor(runId: string, seq?: number) {
    const what = seq === undefined ? 'an event' : `event ${seq}`;
    super(`Another engine has already written ${what} of run ${runId}; load the run again before going on with it.`);
    this.runId = runId;
  }
}

/** Recognises a conflict by its name, since errors also arrive from other realms. */
export function isStoreConflict(error: unknown): error is StoreConflict {
  return error instanceof Error && error.name === 'StoreConflict';
}

/** The error of a commit that came after one of the same run which was not written: alone it would leave a gap in the journal. */
export function followsFailure(runId: string, cause: unknown): Error {
  if (isStoreConflict(cause)) return new StoreConflictError(runId);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(`An earlier commit of run ${runId} was not written, so this one was not either: ${why}`, { cause });
}
