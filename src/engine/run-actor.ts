import type { CommandResult, InboxCommand } from '../model/commands.ts';
import { type ErrorInfo, toErrorInfo } from '../model/errors.ts';
import { type JsonObject, wellFormed } from '../model/json.ts';
import { type CacheRow, FINAL_RUN, type RunRow } from '../model/run.ts';
import type { Commit } from '../ports/store.ts';
import { CommitRetry } from './commit-retry.ts';
import { type Decision, decide, type Input } from './decide.ts';
import type { ActorDeps } from './deps.ts';
import { type Head, packCommit } from './journal.ts';
import type { Effect, Machine } from './machine.ts';
import type { Onto } from './newer/move.ts';
import type { Reuse } from './rerun.ts';
import { nextDue } from './state.ts';
import type { WorkContext, WorkResult } from './step-type.ts';

/** `undefined`: another engine has written to the run, and this one has let go of it; the command is still to be taken. */
export type Taken = CommandResult | undefined;

interface Queued {
  input: Input;
  answer?: (result: Taken) => void;
}

interface Answer {
  item: Queued;
  result: CommandResult;
  inbox: InboxCommand;
  changed: boolean;
}

/** Said of a command that stays in the inbox while the store fails. */
function keptAnswer({ message }: Error): CommandResult {
  return {
    ok: false,
    code: 'internal',
    message: `The store does not answer (${message}). What you asked for is kept, and will be done as soon as it does.`,
  };
}

/**
 * One run at work: takes inputs one after another, commits what `decide` says, and only then starts the effects. Results of work come
 * back as inputs. Inputs that arrive while a commit is under way share the next one.
 */
export class RunActor {
  readonly machine: Machine;
  private readonly head: Head;
  private readonly deps: ActorDeps;
  private queue: Queued[] = [];
  private pumping = false;
  dead = false;
  private pending: Machine['entries'] = [];
  private waiters: (() => void)[] = [];
  private readonly controllers = new Map<string, AbortController>();
  /** Attempts that have said that they have not begun to act yet. */
  private readonly looking = new Map<string, string>();
  private working = 0;
  private readonly writing: CommitRetry;
  /** Commands whose sender was told that they are kept. */
  private readonly kept = new Set<Queued>();
  private firstCommit: { resolve: () => void; reject: (error: Error) => void } | undefined;
  /** When something happens by itself, as of the last turn. */
  due: number | undefined;

  constructor(machine: Machine, head: Head, deps: ActorDeps) {
    this.machine = machine;
    machine.price = (model) => deps.ports.model.price(model);
    machine.above = () => [...deps.family.above(machine.state.run), ...deps.months.now()];
    machine.inside = () => deps.family.inside(machine);
    machine.tool = (server, tool) => deps.ports.mcp?.known(server, tool);
    this.head = head;
    this.deps = deps;
    this.writing = new CommitRetry(deps.store, deps.clock);
  }

  get runId(): string {
    return this.machine.state.run.runId;
  }

  get row(): RunRow {
    return this.machine.state.run;
  }

  /** True when it does nothing by itself at this moment; a commit that the store has refused waits for its next try. */
  get idle(): boolean {
    return this.stuck || this.atRest;
  }

  private get atRest(): boolean {
    return !this.pumping && this.queue.length === 0;
  }

  /** True while a result of work is kept in memory because the store fails. */
  get stuck(): boolean {
    return this.writing.waiting;
  }

  /** Number of attempts whose work is under way in this process. */
  get inFlight(): number {
    return this.controllers.size;
  }

  /** True when nothing more will come from this actor: its run has ended and all its work has returned. */
  get spent(): boolean {
    return this.finished && this.atRest && this.working === 0;
  }

  /** Writes the run's first entry and starts it. Resolves once that is stored. @throws Error of the store when it is not */
  begin(created: Machine['entries'][number], reuse?: Reuse): Promise<void> {
    this.pending.push(created);
    this.push({ type: 'start', reuse });
    return new Promise((resolve, reject) => {
      this.firstCommit = { resolve, reject };
    });
  }

  /** Resolves when nothing is queued or being written; work in flight goes on. */
  async quiet(): Promise<void> {
    while (!this.idle && !this.dead) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  push(input: Input): void {
    this.enqueue({ input });
  }

  command(inbox: InboxCommand, onto?: Onto): Promise<Taken> {
    return new Promise((resolve) => this.enqueue({ input: { type: 'command', inbox, onto }, answer: resolve }));
  }

  /**
   * Drops the run without a trace: work is aborted, nothing more is written. What the journal holds is what was.
   * @param fenced commands that wait here are then taken by whoever drives the run, instead of being refused
   */
  drop(reason: string, fenced = false): void {
    this.dead = true;
    this.writing.abandon();
    this.firstCommit?.reject(new Error(reason));
    for (const controller of this.controllers.values()) controller.abort(new Error(reason));
    this.controllers.clear();
    const refusal: Taken = fenced ? undefined : { ok: false, code: 'internal', message: reason };
    for (const { answer } of this.queue.splice(0)) answer?.(refusal);
  }

  private enqueue(item: Queued): void {
    if (this.dead) {
      item.answer?.({ ok: false, code: 'internal', message: 'The engine has stopped; try again.' });
      return;
    }
    this.queue.push(item);
    // Stopping does not wait for the store. A command has just been stored, so the store works.
    if (item.input.type === 'stop') this.writing.abandon();
    else if (item.input.type === 'command') this.writing.nudge();
    if (this.pumping) return;
    this.pumping = true;
    // One micro-task later: inputs of the same moment are decided together and share a commit.
    queueMicrotask(() => void this.pump());
  }

  private async pump(): Promise<void> {
    try {
      while (this.queue.length > 0 && !this.dead) await this.turn(this.queue.splice(0));
    } finally {
      this.pumping = false;
      for (const resolve of this.waiters.splice(0)) resolve();
      if (!this.dead) this.deps.rested(this);
    }
  }

  private async turn(batch: Queued[]): Promise<void> {
    const { store, clock, random } = this.deps;
    const effects: Effect[] = [];
    const entries: Machine['entries'] = this.pending.splice(0);
    const answers: Answer[] = [];
    for (const item of batch) {
      let decision: Decision;
      this.machine.standing = this.deps.standing();
      try {
        const { input } = item;
        const known: Input = input.type === 'tick' ? { ...input, looking: [...this.looking.values()] } : input;
        decision = decide(this.machine, known, clock.now(), () => random.next());
        this.holdBack(decision.effects);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(toErrorInfo(thrown).message);
        for (const { answer } of batch)
          answer?.({ ok: false, code: 'internal', message: `This failed: ${error.message}` });
        this.deps.lost(this, 'fault', error);
        return;
      }
      entries.push(...decision.entries);
      effects.push(...decision.effects);
      if (item.input.type === 'command') {
        const result = decision.answer ?? { ok: true };
        answers.push({ item, result, inbox: { ...item.input.inbox, result }, changed: decision.entries.length > 0 });
      }
    }
    try {
      if (entries.length > 0) {
        this.machine.entries = entries;
        const commit: Commit = {
          ...packCommit(this.machine, this.head),
          inbox: answers.filter((a) => a.changed).map((a) => a.inbox),
        };
        await this.write(commit, batch, answers);
        if (this.dead) return;
        this.firstCommit?.resolve();
        this.firstCommit = undefined;
        this.deps.committed(this, commit);
      }
      const unchanged = answers.filter(({ changed }) => !changed);
      if (unchanged.length > 0) await this.checkCurrent();
      for (const { inbox } of unchanged) await store.answerCommand(inbox);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(toErrorInfo(thrown).message);
      if (error.name === 'StoreConflict') {
        if (!this.dead) this.deps.lost(this, 'conflict', error);
        for (const { item } of answers) if (!this.kept.delete(item)) item.answer?.(undefined);
        return;
      }
      for (const { item, inbox } of answers)
        if (!this.kept.delete(item)) item.answer?.(await this.giveUp(inbox, error));
      if (!this.dead) this.deps.lost(this, 'store', error);
      return;
    }
    for (const { item, result } of answers) {
      this.kept.delete(item);
      item.answer?.(result);
    }
    for (const effect of effects) this.carryOut(effect);
    this.due = this.finished ? undefined : nextDue(this.machine.state);
    this.deps.turned();
  }

  /** A refusal writes no event, so nothing would clash: what is refused must not be judged by a state that another engine has left behind. */
  private async checkCurrent(): Promise<void> {
    const row = await this.deps.store.run(this.runId);
    if (!row || row.seq === this.head.seq) return;
    throw Object.assign(new Error('Another engine has written to this run.'), { name: 'StoreConflict' });
  }

  /** Writes a commit; one with a result of work in it is kept and tried again while the store fails. */
  private write(commit: Commit, batch: readonly Queued[], answers: readonly Answer[]): Promise<void> {
    const keep =
      this.firstCommit === undefined && batch.some(({ input: { type } }) => type === 'result' || type === 'error');
    return this.writing.write(commit, keep, (error) => {
      // Decided before whatever has come due meanwhile.
      this.queue.unshift({ input: { type: 'stalled' } });
      for (const { item, changed } of answers) {
        if (!changed) continue;
        this.kept.add(item);
        item.answer?.(keptAnswer(error));
      }
      for (const resolve of this.waiters.splice(0)) resolve();
    });
  }

  /**
   * Answers a command that could not be carried out. It is taken out of the inbox, so that nothing happens later that its sender was told
   * had failed; where even that cannot be stored, the answer says so.
   */
  private async giveUp(inbox: InboxCommand, error: Error): Promise<CommandResult> {
    const result: CommandResult = {
      ok: false,
      code: 'internal',
      message: `This was not done, since it could not be stored: ${error.message}`,
    };
    try {
      // The commit may have been written all the same; then the inbox, which is part of it, knows the true answer.
      const stored = await this.deps.store.appendCommand({ ...inbox, result: undefined });
      if (stored.result) return stored.result;
      await this.deps.store.answerCommand({ ...inbox, result });
      return result;
    } catch {
      return keptAnswer(error);
    }
  }

  /** What ran out of time before it acted must not act while that is being stored. */
  private holdBack(effects: readonly Effect[]): void {
    for (const effect of effects) {
      const id = effect.type === 'abort' && `${effect.path}#${effect.attempt}`;
      if (id && this.looking.has(id)) this.controllers.get(id)?.abort(new Error('timeout'));
    }
  }

  private carryOut(effect: Effect): void {
    if (this.dead) return;
    if (effect.type === 'continue') this.push({ type: 'continue' });
    else if (effect.type === 'abort') {
      const key = `${effect.path}#${effect.attempt}`;
      this.controllers.get(key)?.abort(new Error(effect.reason));
      this.controllers.delete(key);
    } else if (effect.type === 'ended') {
      for (const controller of this.controllers.values()) controller.abort(new Error('the run has ended'));
      this.controllers.clear();
    } else if (effect.type === 'cached') void this.lookUp(effect);
    else void this.work(effect);
  }

  private async work(effect: Extract<Effect, { type: 'attempt' }>): Promise<void> {
    const { path, attempt, step, fields, secrets, covered, key, timeoutMs, previous, earlier, around } = effect;
    const id = `${path}#${attempt}`;
    const prefix = this.row.parent?.prefix;
    const controller = new AbortController();
    this.controllers.set(id, controller);
    this.working += 1;
    const context: WorkContext = {
      runId: this.runId,
      path,
      ...(prefix === undefined ? {} : { fullPath: `${prefix}/${path}` }),
      attempt,
      step: step.def,
      workflow: this.machine.plan.workflow,
      // The engine's own must not change under the work's hands.
      fields: wellFormed(fields) as JsonObject,
      secrets,
      covered,
      timeoutMs,
      previous,
      earlier,
      around,
      tabs: this.machine.state.tabs,
      idempotencyKey: key,
      signal: controller.signal,
      looking: () => void this.looking.set(id, path),
      acting: () => void this.looking.delete(id),
      documents: this.machine.state.documents,
      ports: this.deps.ports,
      now: () => this.deps.clock.now(),
    };
    let outcome: { result: WorkResult } | { error: ErrorInfo };
    try {
      if (!step.type.run) throw new Error(`step type ${step.def.type} has no work`);
      const known = effect.cacheKey === undefined ? undefined : await this.cached(effect.cacheKey);
      // It may have been called off while the cache was looked at.
      controller.signal.throwIfAborted();
      outcome = {
        result:
          known && known.until > this.deps.clock.now()
            ? { output: known.output, cachedAt: known.at, saved: known.usage }
            : await step.type.run(context),
      };
    } catch (error) {
      outcome = { error: toErrorInfo(error) };
      if (outcome.error.step === context.fullPath) outcome.error.step = path;
      await this.deps.alive?.();
    }
    this.working -= 1;
    this.looking.delete(id);
    if (this.controllers.get(id) === controller) this.controllers.delete(id);
    if (this.dead) return;
    if ('result' in outcome) this.push({ type: 'result', path, attempt, result: outcome.result });
    else this.push({ type: 'error', path, attempt, error: outcome.error, more: attachmentOf(outcome.error) });
  }

  private async lookUp({ path, key }: Extract<Effect, { type: 'cached' }>): Promise<void> {
    const known = await this.cached(key);
    if (!this.dead) this.push({ type: 'cached', path, ...(known ? { output: known.output } : {}) });
  }

  /** A cache that fails never stops a run (SPEC §6, *Limits*). */
  private async cached(key: string): Promise<CacheRow | undefined> {
    return this.deps.store.cached(key).catch(() => undefined);
  }

  get finished(): boolean {
    return FINAL_RUN.includes(this.row.status);
  }
}

/** What failing work leaves beside its error (usage, meta, tabs) travels under `details.attempt`. */
function attachmentOf(error: ErrorInfo): Partial<WorkResult> | undefined {
  const details = error.details;
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return undefined;
  const kept = details.attempt as unknown as Partial<WorkResult> | undefined;
  if (kept !== undefined) delete details.attempt;
  if (Object.keys(details).length === 0) delete error.details;
  return kept;
}
