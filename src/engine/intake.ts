import type { Command, CommandResult, InboxCommand } from '../model/commands.ts';
import { reasonOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { ofClosed } from './approvals/closed.ts';
import { refuse } from './approvals/decide.ts';
import { addressed } from './children/tree.ts';
import type { EngineDeps } from './engine.ts';
import { type Fence, refusedBy } from './fence.ts';
import type { Onto } from './newer/move.ts';
import type { Plans } from './plans.ts';
import { readRun } from './read-run.ts';
import type { RunActor, Taken } from './run-actor.ts';
import { redactJson, secretError } from './secrets/index.ts';
import { commitEndOfUnreadable } from './unreadable.ts';

/** How often in a row a command may meet another engine that is at work on its run. */
const MAX_CLASHES = 5;
/** Refused during the emergency stop (SPEC §6, *Control*). */
export const STOPPED = {
  ok: false,
  code: 'emergency_stop',
  message: 'Everything is stopped; lift the stop first.',
} as const;
const STOPPED_COMMANDS = new Set([
  'review',
  'completeTask',
  'decide',
  'edit',
  'wake',
  'signal',
  'pageSeen',
  'resume',
  'retry',
  'rerun',
  'recover',
]);

/** What the intake needs of its engine. */
export interface Taker {
  stopped(): boolean;
  disposed(): boolean;
  actor(runId: string): Promise<RunActor | undefined>;
  /** Holds a run in memory. @returns the actor that drives it, which may be another one */
  keep(loaded: RunActor): RunActor;
  retire(actor: RunActor): void;
  readonly plans: Plans;
  rerun(inbox: InboxCommand, command: Extract<Command, { type: 'rerun' }>): Promise<CommandResult>;
  /** What a run needs to go on under the newest revision, or why it cannot. */
  onto(runId: string): Promise<{ onto?: Onto } | { refused: CommandResult }>;
}

/** Where commands come in: each is stored in the inbox first, given to its run, and answered once, however often it is sent. */
export class Intake {
  private readonly deps: EngineDeps;
  private readonly fence: Fence;
  private readonly engine: Taker;
  private readonly answering = new Map<string, Promise<CommandResult>>();

  constructor(deps: EngineDeps, fence: Fence, engine: Taker) {
    this.deps = deps;
    this.fence = fence;
    this.engine = engine;
  }

  /** Takes a command; one whose id was answered before, or is being answered now, gets the same answer. */
  send(inbox: InboxCommand): Promise<CommandResult> {
    let answer = this.answering.get(inbox.commandId);
    if (!answer) {
      answer = this.receive(inbox).finally(() => this.answering.delete(inbox.commandId));
      this.answering.set(inbox.commandId, answer);
    }
    return answer;
  }

  private async receive(given: InboxCommand): Promise<CommandResult> {
    const { store } = this.deps;
    const inbox = { ...given, command: await addressed(store, given.command) };
    let command = redactJson(inbox.command as unknown as Json) as unknown as InboxCommand['command'];
    if (command !== inbox.command) {
      // The inbox is a store too: what may not be kept is refused before it gets there.
      const { runId } = command;
      const fenced = this.fence.has(runId);
      const run = await (fenced ? readRun(store, runId, this.engine.plans) : this.engine.actor(runId));
      const policy = run?.machine.plan.workflow.secretPolicy;
      const secret = secretError(
        command.type === 'pageSeen' ? 'The page' : 'What you sent',
        inbox.command as unknown as Json,
      );
      if (policy !== 'redact' && secret) {
        if (command.type !== 'pageSeen') return refuse(secret.code, secret.message);
        // Nobody is there to be told: the step that would get it fails.
        command = { ...command, problem: { code: 'secret_detected', message: secret.message } };
      }
    }
    const stored = await store.appendCommand({ ...inbox, command });
    if (stored.result) return stored.result;
    return this.consume(stored);
  }

  /** Answers a command that is in the inbox. */
  async consume(inbox: InboxCommand): Promise<CommandResult> {
    const { store } = this.deps;
    const { command } = inbox;
    const answer = (result: CommandResult) => this.answer(inbox, result);
    if (this.engine.stopped() && STOPPED_COMMANDS.has(command.type)) {
      return answer(STOPPED);
    }
    if (command.type === 'rerun') return answer(await this.engine.rerun(inbox, command));
    let taken: Taken;
    for (let tries = 0; taken === undefined; tries++) {
      if (tries === MAX_CLASHES)
        return answer(refuse('internal', 'Another Tabloom works on this run; try again in a moment.'));
      try {
        // What has clashed may have been this very command, out of the inbox.
        taken = (tries > 0 && (await store.appendCommand(inbox)).result) || (await this.take(inbox));
      } catch (error) {
        const why = reasonOf(error);
        if (command.type === 'cancel') return answer(await this.endUnreadable(command.runId, why));
        return answer(refuse('internal', `This run cannot be read (${why}); it can only be cancelled.`));
      }
    }
    return ofClosed(store, command, inbox.by, taken);
  }

  private async answer(inbox: InboxCommand, result: CommandResult): Promise<CommandResult> {
    await this.deps.store.answerCommand({ ...inbox, result });
    return result;
  }

  /** Gives a command to its run. @returns `undefined` when another engine was faster @throws Error when the run cannot be read */
  private async take(inbox: InboxCommand): Promise<Taken> {
    const { store, clock } = this.deps;
    const { command } = inbox;
    const { runId } = command;
    const newest = command.type === 'retry' && command.revision === 'newest';
    const ready = newest ? await this.engine.onto(runId) : {};
    if ('refused' in ready) return this.answer(inbox, ready.refused);
    const { onto } = ready;
    if (this.fence.has(runId)) {
      const read = await readRun(store, runId, this.engine.plans);
      const refused = read && refusedBy(read.machine, inbox, clock.now(), onto);
      if (refused) return this.answer(inbox, refused);
      this.fence.lift(runId);
    }
    const loaded = await this.engine.actor(runId);
    // Not answered in the inbox: the next engine takes it.
    if (this.engine.disposed()) return refuse('internal', 'The engine has stopped; try again.');
    if (!loaded) return this.answer(inbox, refuse('run_missing', 'There is no such run.'));
    const actor = this.engine.keep(loaded);
    const result = await actor.command(inbox, onto);
    this.engine.retire(actor);
    return result;
  }

  private async endUnreadable(runId: string, why: string): Promise<CommandResult> {
    const { store, clock, ports, onCommit } = this.deps;
    const commit = await commitEndOfUnreadable(store, runId, why, clock.now());
    if (!commit) return refuse('run_finished', 'The run has ended.');
    ports.pages.release(runId);
    onCommit?.(commit);
    return { ok: true };
  }
}
