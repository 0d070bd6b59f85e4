import type { Standing } from '../model/rules.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Commit, Store } from '../ports/store.ts';
import type { Children } from './children/keeper.ts';
import type { MonthBook } from './month-book.ts';
import type { RunActor } from './run-actor.ts';
import type { OutsidePorts, StepRegistry, WorkPorts } from './step-type.ts';

/** What an engine is given. */
export interface EngineDeps {
  store: Store;
  clock: Clock;
  random: Random;
  registry: StepRegistry;
  ports: OutsidePorts;
  /** After each commit. */
  onCommit?(commit: Commit): void;
  /** Earliest moment at which the engine wants to be woken, or undefined. For the alarm that outlives the worker. */
  onDue?(at: number | undefined): void;
  /** A fault worth a line in the log; never holds data of a run. */
  onFault?(message: string): void;
  /**
   * Resolves when this process is known to live on. In one that is being ended everything outside fails, for no reason of its own: no
   * failure of an attempt is taken for one before this has resolved.
   */
  alive?(): Promise<void>;
}

/** What the actor of a run is given. */
export interface ActorDeps {
  store: Store;
  clock: Clock;
  random: Random;
  ports: WorkPorts;
  /** What decides in the person's name at the moment. */
  standing(): Standing;
  /** See `EngineDeps.alive`. */
  alive?(): Promise<void>;
  /** What the runs around this one and in it spend and may spend. */
  family: Pick<Children, 'above' | 'inside'>;
  /** What all runs may spend in a month. */
  months: Pick<MonthBook, 'now'>;
  /** After each commit; nothing is shown to anybody before it. */
  committed(actor: RunActor, commit: Commit): void;
  /** After each turn, also one that had nothing to write: what is due next may have changed. */
  turned(): void;
  /** Nothing is queued any more. */
  rested(actor: RunActor): void;
  /** The run can't go on here: another engine has written (`conflict`), the store has failed, or we have (`fault`). */
  lost(actor: RunActor, why: 'conflict' | 'store' | 'fault', error: Error): void;
}
