import type { Commit, Store } from '../../../src/ports/store.ts';

export type Fault = 'die-before' | 'die-after' | 'fail' | 'fail-after';

/** A store that fails, or during which the engine dies, at the commit that is named. */
export class FaultyStore {
  readonly store: Store;
  /** Commits to go until the fault. */
  private countdown = 0;
  private fault: Fault | undefined;
  commits = 0;
  onDeath: () => void = () => {};
  onCommit: (commit: Commit) => void = () => {};

  constructor(inner: Store) {
    this.store = {
      ...inner,
      commit: (commit) => {
        this.commits += 1;
        this.onCommit(commit);
        const fault = this.fault !== undefined && this.countdown-- <= 0 ? this.fault : undefined;
        if (fault === undefined) return inner.commit(commit);
        this.fault = undefined;
        if (fault === 'fail') return Promise.reject(new Error('the disk is full'));
        if (fault === 'fail-after')
          return inner.commit(commit).then(() => {
            throw new Error('the connection was lost');
          });
        const never = new Promise<never>(() => {});
        if (fault === 'die-before') {
          this.onDeath();
          return never;
        }
        return inner.commit(commit).then(() => {
          this.onDeath();
          return never;
        });
      },
    };
  }

  arm(fault: Fault, commits: number): void {
    this.fault = fault;
    this.countdown = commits;
  }

  disarm(): void {
    this.fault = undefined;
  }
}
