import type { CommandResult, InboxCommand } from '../model/commands.ts';
import { reasonOf } from '../model/errors.ts';
import { FINAL_RUN } from '../model/run.ts';
import type { Store } from '../ports/store.ts';
import { decide } from './decide.ts';
import type { Machine } from './machine.ts';
import type { Onto } from './newer/move.ts';
import type { Plans } from './plans.ts';
import { readRun } from './read-run.ts';
import type { RunState } from './state.ts';

/** How long after a clash, and between two looks at a run that moves, milliseconds. */
const LOOK_MS = 2000;
/** A live engine meets its due times; one that is so late, milliseconds, is gone. */
const GRACE_MS = 5000;

/** What follows from a look at a run of another engine. */
interface Then {
  /** It stands still, or nobody drives it: to be read and driven. */
  left(runId: string): unknown;
  ended(runId: string): void;
  /** A look is over, and what is due next may have changed. @param fault why it failed */
  looked(fault?: string): void;
}

/**
 * The runs that another engine has written to while this one held them too (a clash of `[runId, seq]`), or drives alone. This one has stepped back from
 * them: what it had in flight is aborted, it starts and writes nothing more. The journal itself says when such a run may be taken up
 * again: not while it moves, nor while an attempt is under way whose deadline has not passed, since a second look at what is being done just
 * now would find it undone. A run that stands still (it waits for a person, or its engine has died) is read again and driven from there.
 */
export class Fence {
  private readonly store: Store;
  /** By run: number of its last event at the last look, and when to look again. */
  private readonly runs = new Map<string, { seq?: number; lookAt: number }>();

  private readonly then: Then;
  private pending = 0;

  constructor(store: Store, then: Then) {
    this.store = store;
    this.then = then;
  }

  /** Whether a look is under way. */
  get looking(): boolean {
    return this.pending > 0;
  }

  has(runId: string): boolean {
    return this.runs.has(runId);
  }

  /** Another engine has written to this run. */
  add(runId: string, now: number): void {
    this.runs.set(runId, { lookAt: now + LOOK_MS });
  }

  /** Another engine seems to drive this run. One that is watched already stays as it is. */
  watch(runId: string, now: number): void {
    if (!this.runs.has(runId)) this.add(runId, now);
  }

  /** This engine drives the run again. */
  lift(runId: string): void {
    this.runs.delete(runId);
  }

  /**
   * A run of another engine in which an attempt or backoff of its own is under way, as its journal says it. One that is only at work through
   * what it has called, or not at all, is no longer fenced afterwards: it may be read and driven together with a run that was called from it.
   */
  async atWork(runId: string, plans: Plans): Promise<RunState | undefined> {
    if (!this.runs.has(runId)) return undefined;
    const state = (await readRun(this.store, runId, plans))?.machine.state;
    if (state && [...state.busy].some(({ mode, plan }) => mode === 'work' && !plan.type.child)) return state;
    this.lift(runId);
    return undefined;
  }

  /** When the next look is due, or undefined. */
  get due(): number | undefined {
    const times = [...this.runs.values()].map(({ lookAt }) => lookAt);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Looks at the runs that are to be looked at now. */
  tick(now: number): void {
    for (const [runId, run] of this.runs) {
      if (run.lookAt > now) continue;
      // Due again a while later, also when the look fails.
      run.lookAt = now + LOOK_MS;
      this.pending += 1;
      this.look(runId, now)
        .then((found) => {
          if (found === 'ended') this.then.ended(runId);
          else if (found === 'left') return this.then.left(runId);
        })
        .then(
          () => this.done(),
          (error: unknown) => {
            this.add(runId, now);
            this.done(`Run ${runId} could not be read: ${reasonOf(error)}`);
          },
        );
    }
  }

  private done(fault?: string): void {
    this.pending -= 1;
    this.then.looked(fault);
  }

  /** All but a run at work are no longer fenced afterwards. */
  private async look(runId: string, now: number): Promise<'ended' | 'at-work' | 'left'> {
    const row = await this.store.run(runId);
    const known = this.runs.get(runId);
    // Taken up by a command meanwhile.
    if (!known) return 'at-work';
    if (!row || FINAL_RUN.includes(row.status)) {
      this.runs.delete(runId);
      return 'ended';
    }
    const moved = row.seq !== known.seq;
    known.seq = row.seq;
    if (moved) return 'at-work';
    const overdue = (row.nextDue ?? 0) + GRACE_MS;
    if (row.status === 'running' && overdue > now) {
      known.lookAt = Math.max(known.lookAt, overdue);
      return 'at-work';
    }
    this.runs.delete(runId);
    return 'left';
  }
}

/**
 * How a command on a run of another engine is refused, or answered without a change; `undefined` when it would change something.
 * @param machine of the run as its journal says it, to be thrown away afterwards
 */
export function refusedBy(machine: Machine, inbox: InboxCommand, now: number, onto?: Onto): CommandResult | undefined {
  const { entries, answer } = decide(machine, { type: 'command', inbox, onto }, now, () => 0);
  return entries.length === 0 ? (answer ?? { ok: true }) : undefined;
}
