import type { Commit } from '../../ports/index.ts';
import { followsFailure, StoreConflictError } from '../memory/conflict.ts';
import { copyData } from '../memory/copy.ts';
import type { TabloomDatabase } from './database.ts';
import { abortsAfterCommit } from './early-commit.ts';
import { storeError } from './errors.ts';
import { storesOf, writeCommit } from './rows.ts';
import { KnownKeys } from './run-keys.ts';

interface Asked {
  commit: Commit;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Why a transaction was not written, and which of its commits was to blame, where that is known. */
class NotWritten {
  readonly error: Error;
  readonly culprit: number | undefined;
  constructor(error: Error, culprit?: number) {
    this.error = error;
    this.culprit = culprit;
  }
}

/**
 * The one batched writer of the journal. Commits asked for in one micro-task, or while a transaction is under way, share the next one: a
 * transaction costs far more than what is in it. It goes round Dexie, which doubles that cost. Commits are written in the order they were
 * asked for; when one fails, the others of its transaction are written without it, except those of the same run that came after it.
 */
export class CommitWriter {
  readonly #db: TabloomDatabase;
  #queue: Asked[] = [];
  #busy: Promise<void> | undefined;
  /** Whether transactions may be told to commit at once; not until the browser has shown that this is safe. */
  #early: boolean | undefined;
  readonly #keys = new KnownKeys();

  constructor(db: TabloomDatabase) {
    this.#db = db;
  }

  /** Resolves once written. Rejects with `StoreConflict` or a readable error; nothing of the commit is stored then. */
  commit(commit: Commit): Promise<void> {
    return new Promise((resolve, reject) => {
      try {
        // The caller goes on with its objects, and they may wait here for a transaction.
        this.#queue.push({ commit: copyData(commit), resolve, reject });
        this.#busy ??= this.#drain();
      } catch (error) {
        reject(storeError(error));
      }
    });
  }

  /** Resolves when nothing waits to be written. */
  async idle(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  async #drain(): Promise<void> {
    await null;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      await this.#write(batch);
    }
    this.#busy = undefined;
  }

  async #write(batch: Asked[]): Promise<void> {
    let left = batch;
    while (left.length > 0) {
      const failure = await this.#transact(left.map(({ commit }) => commit));
      if (!failure) {
        for (const { resolve } of left) resolve();
        return;
      }
      const culprit = left.length === 1 ? 0 : failure.culprit;
      if (culprit === undefined) {
        // Nobody in particular (a full disk, an abort): what fits or works alone is still written.
        await this.#writeSingly(left);
        return;
      }
      left = this.#rejectWithFollowers(left, culprit, failure.error);
    }
  }

  async #writeSingly(batch: Asked[]): Promise<void> {
    let left = batch;
    for (let next = left[0]; next; next = left[0]) {
      const failure = await this.#transact([next.commit]);
      if (failure) {
        left = this.#rejectWithFollowers(left, 0, failure.error);
      } else {
        next.resolve();
        left = left.slice(1);
      }
    }
  }

  /** Rejects one commit and those of its run behind it, in the batch and in the queue; gives what is left of the batch. */
  #rejectWithFollowers(batch: Asked[], index: number, error: Error): Asked[] {
    const failed = batch[index];
    if (!failed) return [];
    const { runId } = failed.commit;
    failed.reject(error);
    const dropFollowers = (asked: Asked[]): Asked[] =>
      asked.filter((one) => {
        if (one.commit.runId !== runId) return true;
        one.reject(followsFailure(runId, error));
        return false;
      });
    this.#queue = dropFollowers(this.#queue);
    return [...batch.slice(0, index), ...dropFollowers(batch.slice(index + 1))];
  }

  /** One transaction over all commits; gives why it was not written, or nothing. */
  async #transact(commits: Commit[]): Promise<NotWritten | undefined> {
    const keyed = this.#keys.changedBy(commits);
    const failure = await this.#put(commits, keyed);
    if (failure) this.#keys.failed(commits);
    else this.#keys.written(commits);
    return failure;
  }

  async #put(commits: Commit[], keyed: ReadonlySet<Commit>): Promise<NotWritten | undefined> {
    let transaction: IDBTransaction;
    try {
      transaction = await this.#begin(commits, keyed);
    } catch (error) {
      return new NotWritten(storeError(error));
    }
    return new Promise((resolve) => {
      let failure: NotWritten | undefined;
      const blame = (error: unknown, index: number): void => {
        failure ??= new NotWritten(storeError(error), index);
      };
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => resolve(failure ?? new NotWritten(storeError(transaction.error ?? abortError())));
      const all = commits.every((commit, index) => {
        try {
          writeCommit(transaction, commit, keyed.has(commit), (request, seq) => {
            request.onerror = () => {
              const taken = seq !== undefined && request.error?.name === 'ConstraintError';
              // An abort from outside fails every request under way; none of them is its cause.
              if (request.error?.name !== 'AbortError')
                blame(taken ? new StoreConflictError(commit.runId, seq) : request.error, index);
            };
          });
          return true;
        } catch (error) {
          blame(error, index);
          transaction.abort();
          return false;
        }
      });
      // Saves the browser from asking whether more is to come.
      if (all && this.#early) transaction.commit();
    });
  }

  async #begin(commits: Commit[], keyed: ReadonlySet<Commit>): Promise<IDBTransaction> {
    const stores = storesOf(commits, keyed);
    const durability = commits.some(({ strict }) => strict) ? 'strict' : 'relaxed';
    const db = await this.#db.backend();
    if (this.#early === undefined) {
      this.#early = false;
      void abortsAfterCommit(db).then((aborts) => {
        this.#early = aborts;
      });
    }
    try {
      return db.transaction(stores, 'readwrite', { durability });
    } catch (error) {
      // The browser may cut a connection at any time; that shows only here.
      if ((error as DOMException).name !== 'InvalidStateError') throw error;
      return (await this.#db.reconnect()).transaction(stores, 'readwrite', { durability });
    }
  }
}

function abortError(): DOMException {
  return new DOMException('The transaction was aborted.', 'AbortError');
}
