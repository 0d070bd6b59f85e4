import { taskIdOf } from '../../engine/people/task.ts';
import { redactJson, secretError } from '../../engine/secrets/index.ts';
import { triggerRoot } from '../../engine/triggers/input.ts';
import { addFiring, debounceMs, failuresInARow, lookAtSchedule, MOST_FAILURES } from '../../engine/triggers/rules.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { StepRunRow } from '../../model/run.ts';
import type { Firing, FiringTab, TriggerState } from '../../model/triggers.ts';
import type { Random } from '../../ports/clock.ts';
import type { Commit } from '../../ports/store.ts';
import type { App } from '../app.ts';
import { beginFiring, type Outcome } from './begin.ts';
import { TriggerBook } from './book.ts';
import { type KnownTrigger, KnownTriggers } from './known.ts';

/** Before a firing is tried again whose run could not be stored, milliseconds. */
const AGAIN = 30_000;
/** A due time that is nearer than this has a timer beside the alarm, which fires no earlier than in 30 s. Milliseconds. */
const NEAR = 60_000;
/** Newest runs of a workflow among which failures in a row are looked for, and of all among which tasks are. */
const LOOK_BACK = 200;

export interface TriggerParts {
  random: Pick<Random, 'id'>;
  /** Zone of schedules that name none. */
  zone: string;
  /** The earliest time at which the triggers want to be woken, epoch milliseconds. */
  dueAt(at: number | undefined): void;
  log?(message: string): void;
}

export type Base = Omit<App, 'triggers'>;

/**
 * Starts runs by triggers. What has fired is stored before anything is begun, under the key of the run to come, and taken away once the run is
 * there: a worker may die at any point, and there is one run. All work goes one after another.
 */
export class Triggers {
  readonly known: KnownTriggers;
  readonly book: TriggerBook;
  readonly #app: Base;
  readonly #parts: TriggerParts;
  #queue: Promise<unknown> = Promise.resolve();
  #cancelTimer = () => {};
  #stopped = false;
  #loaded = false;
  /** Called when triggers were switched, or their workflows have changed. */
  onChange: (() => void) | undefined;

  constructor(app: Base, parts: TriggerParts) {
    this.#app = app;
    this.#parts = parts;
    this.book = new TriggerBook(app.store);
    this.known = new KnownTriggers(this.book);
  }

  /** After recovery: looks what has come due, failed or been done while nobody was there. */
  async boot(): Promise<void> {
    await this.known.load(this.#app);
    this.#loaded = true;
    for (const { workflow, trigger, on } of this.known.all())
      if (on) await this.#countFailures(workflow.workflowId, trigger.id);
    for (const one of this.known.on('task_event')) await this.#missedTasks(one);
    this.#push();
    await this.pump();
  }

  /** A workflow was imported, switched or removed. */
  async changed(): Promise<void> {
    const before = this.known.enabled();
    await this.known.load(this.#app);
    const now = this.#app.clock.now();
    // Times that came while the workflow was off were not missed: nobody wanted them.
    for (const { workflow, trigger, on } of this.known.all())
      if (on && trigger.type === 'schedule' && !before.has(workflow.workflowId))
        await this.inTurn(() =>
          this.book.change(workflow.workflowId, trigger.id, (state) => ({ ...state, past: now })),
        );
    this.#push();
    await this.pump();
  }

  async forget(workflowId: string): Promise<void> {
    await this.inTurn(() => this.book.forget(workflowId));
    await this.changed();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  /** One piece of work after another; a failed one does not keep back the next. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(work, work);
    this.#queue = mine.catch(() => undefined);
    return mine;
  }

  /**
   * Something happened that a trigger waits for. Resolves once it is stored; the run begins after that.
   * @param key of the run, where the same happening may be told twice
   */
  async fire(
    one: KnownTrigger,
    fields: Record<string, Json | undefined>,
    more: { tab?: FiringTab; key?: string; past?: number } = {},
  ): Promise<void> {
    const { workflow, trigger } = one;
    const now = this.#app.clock.now();
    const root = triggerRoot(trigger, fields);
    const secret = this.secretIn(one, fields);
    await this.inTurn(async () => {
      if (secret) return this.note(one, secret.code, secret.message);
      const firing: Firing = {
        key: more.key ?? `trigger:${workflow.workflowId}:${trigger.id}:${this.#parts.random.id()}`,
        at: now,
        due: now + debounceMs(trigger),
        trigger: redactJson(root) as JsonObject,
        ...(more.tab && { tab: more.tab }),
      };
      await this.#add(one, firing, more.past);
    });
    void this.pump();
  }

  /** Why a firing may not be kept, nor its run begin: what started it holds a secret, which the workflow does not replace. */
  secretIn(
    { workflow, trigger }: KnownTrigger,
    fields: Record<string, Json | undefined>,
  ): ReturnType<typeof secretError> {
    if (workflow.definition.secretPolicy === 'redact') return undefined;
    return secretError('What started the run', triggerRoot(trigger, fields));
  }

  /** A person has answered the run form of a trigger. */
  begin(one: KnownTrigger, root: JsonObject, input: JsonObject, tabId: number | undefined): Promise<Outcome> {
    const { workflow, trigger } = one;
    return this.inTurn(async () => {
      const now = this.#app.clock.now();
      const firing: Firing = {
        key: `trigger:${workflow.workflowId}:${trigger.id}:${this.#parts.random.id()}`,
        at: now,
        due: now,
        trigger: root,
        input,
        ...(tabId !== undefined && { tab: { id: tabId, session: this.#app.session } }),
      };
      const outcome = await beginFiring(this.#app, one, firing, true);
      // What has to wait is stored, and so must hold no secret.
      const secret = outcome.is === 'wait' ? secretError('The input of the run', { root, input }) : undefined;
      if (secret) return { is: 'refused', code: secret.code, message: secret.message };
      if (outcome.is === 'wait') await this.#add(one, firing);
      return outcome;
    });
  }

  /** Begins what is due, and says when to come back. Never rejects. */
  pump(): Promise<void> {
    return this.inTurn(() => this.#pump()).catch((error: unknown) => {
      this.#parts.log?.(`Triggers could not be looked at: ${error instanceof Error ? error.message : String(error)}`);
      this.#comeBack(this.#app.clock.now() + AGAIN);
    });
  }

  /** After each commit: a run that has ended lets the next one begin, or was one failure too many; a task may have been done. */
  committed(commit: Commit): void {
    if (!this.#loaded || this.#stopped) return;
    const { run, runId } = commit;
    const done = commit.steps.filter(isDoneTask);
    for (const one of done.length > 0 ? this.known.on('task_event') : [])
      if (fitsTask(one, run.workflowId))
        for (const { path, endedAt } of done) void this.#taskDone(one, runId, run.workflowId, path, endedAt);
    if (typeof run.trigger.id !== 'string' || !commit.events.some(({ type }) => type === 'run.ended')) return;
    const { id } = run.trigger;
    void this.inTurn(() => this.#countFailures(run.workflowId, id))
      .catch(() => undefined)
      .then(() => this.pump());
  }

  /** Records why a firing led to nothing, and calls the person. */
  async note({ workflow, trigger }: KnownTrigger, code: string, message: string): Promise<void> {
    const at = this.#app.clock.now();
    await this.book.change(workflow.workflowId, trigger.id, (state) => ({ ...state, note: { at, code, message } }));
    this.#app.attention.told(workflow.workflowId, workflow.name, 'triggers.toldRefused');
    this.#push();
  }

  async #add({ workflow, trigger }: KnownTrigger, firing: Firing, past?: number): Promise<void> {
    const { workflowId } = workflow;
    const { waiting = [] } = this.book.get(workflowId, trigger.id);
    const next = addFiring(waiting, firing, this.#app.clock.now());
    if (!next) return;
    await this.book.change(workflowId, trigger.id, (state) => ({
      ...state,
      waiting: next,
      ...(past !== undefined && { past }),
    }));
  }

  async #pump(): Promise<void> {
    if (this.#stopped) return;
    let next: number | undefined;
    const sooner = (at: number | undefined) => {
      if (at !== undefined && (next === undefined || at < next)) next = at;
    };
    for (const one of this.known.all()) {
      if (one.on) sooner(await this.#schedule(one));
      sooner(await this.#waiting(one));
    }
    this.#comeBack(next);
  }

  /** Turns the times of a schedule that have come into firings, in one write with the mark that they have been dealt with. */
  async #schedule({ workflow, trigger, state }: KnownTrigger): Promise<number | undefined> {
    if (trigger.type !== 'schedule') return undefined;
    const now = this.#app.clock.now();
    const before = state.past ?? state.since ?? now;
    const { past, fire, next } = lookAtSchedule(trigger, this.#parts.zone, before, now);
    if (past === before) return next;
    const { workflowId } = workflow;
    const waiting = state.waiting ?? [];
    const firing: Firing | undefined = fire === undefined ? undefined : scheduled(workflowId, trigger, fire);
    await this.book.change(workflowId, trigger.id, (kept) => ({
      ...kept,
      past,
      waiting: firing ? (addFiring(waiting, firing, now) ?? waiting) : waiting,
    }));
    return next;
  }

  /** Begins what waits, oldest first. @returns when the next one is due */
  async #waiting(one: KnownTrigger): Promise<number | undefined> {
    const { workflowId } = one.workflow;
    const { id } = one.trigger;
    for (const firing of this.book.get(workflowId, id).waiting ?? []) {
      const now = this.#app.clock.now();
      if (!one.on) {
        await this.#settled(workflowId, id, firing, {});
        continue;
      }
      if (firing.due > now) return firing.due;
      // A person's own start needs nobody to be asked once more.
      const outcome = await beginFiring(this.#app, one, firing, firing.input !== undefined);
      if (outcome.is === 'wait') return undefined;
      if (outcome.is === 'again') return now + AGAIN;
      await this.#settled(workflowId, id, firing, outcome.is === 'started' ? { note: undefined } : {});
      // `concurrency: skip` is what the person has asked for, and no news.
      if (outcome.is === 'refused' && outcome.code !== 'trigger_busy')
        await this.note(one, outcome.code, outcome.message);
    }
    return undefined;
  }

  #settled(workflowId: string, id: string, { key }: Firing, more: { note?: undefined }): Promise<void> {
    return this.book.change(workflowId, id, (state) => {
      const next: TriggerState = { ...state, waiting: (state.waiting ?? []).filter((each) => each.key !== key) };
      if ('note' in more) delete next.note;
      return next;
    });
  }

  /** Switches a trigger off whose last runs have all failed. */
  async #countFailures(workflowId: string, id: string): Promise<void> {
    const one = this.known.find(workflowId, id);
    if (!one?.on || one.trigger.type === 'manual') return;
    const runs = await this.#app.store.runs({ workflowId, limit: LOOK_BACK });
    const failures = failuresInARow(runs, id, one.state.since ?? 0);
    if (failures < MOST_FAILURES) return;
    const at = this.#app.clock.now();
    await this.book.change(workflowId, id, (state) => ({ ...state, on: false, off: { at, failures }, waiting: [] }));
    this.#app.attention.told(workflowId, one.workflow.name, 'triggers.toldOff');
    this.#push();
  }

  #taskDone(one: KnownTrigger, runId: string, workflow: string, path: string, endedAt = 0): Promise<void> {
    const taskId = taskIdOf(runId, path);
    const key = `trigger:${one.workflow.workflowId}:${one.trigger.id}:${taskId}`;
    return this.fire(one, { taskId, workflow }, { key, past: endedAt }).catch((error: unknown) =>
      this.#parts.log?.(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Tasks whose completion was stored and the firing was not: the worker died in between. */
  async #missedTasks(one: KnownTrigger): Promise<void> {
    const { store } = this.#app;
    const { past = 0, since = 0 } = one.state;
    for (const run of await store.runs({ limit: LOOK_BACK })) {
      if (!fitsTask(one, run.workflowId)) continue;
      const done = (await store.steps(run.runId)).filter(isDoneTask);
      for (const { path, endedAt } of done)
        if (endedAt !== undefined && endedAt > Math.max(past, since))
          await this.#taskDone(one, run.runId, run.workflowId, path, endedAt);
    }
  }

  #comeBack(at: number | undefined): void {
    this.#cancelTimer();
    if (this.#stopped) return;
    this.#parts.dueAt(at);
    if (at === undefined) return;
    const { clock } = this.#app;
    const left = at - clock.now();
    if (left < NEAR) this.#cancelTimer = clock.setTimer(Math.max(0, left), () => void this.pump());
  }

  #push(): void {
    this.#app.updates.push(['workflows']);
    this.onChange?.();
  }
}

function scheduled(workflowId: string, trigger: KnownTrigger['trigger'], at: number): Firing {
  return {
    key: `trigger:${workflowId}:${trigger.id}:${at}`,
    at,
    due: at + debounceMs(trigger),
    trigger: triggerRoot(trigger, { scheduledAt: new Date(at).toISOString() }),
  };
}

function isDoneTask({ type, status }: StepRunRow): boolean {
  return type === 'task' && status === 'completed';
}

function fitsTask({ trigger }: KnownTrigger, workflowId: string): boolean {
  return trigger.type === 'task_event' && (trigger.workflow === undefined || trigger.workflow === workflowId);
}
