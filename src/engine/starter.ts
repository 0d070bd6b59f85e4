import { hashJson } from '../model/canonical.ts';
import type { Command, CommandResult, InboxCommand } from '../model/commands.ts';
import { reasonOf } from '../model/errors.ts';
import type { PinnedDocument } from '../model/knowledge.ts';
import { FINAL_RUN } from '../model/run.ts';
import type { Revision } from '../model/workflow.ts';
import type { KnowledgePort } from '../ports/knowledge.ts';
import { refuse } from './approvals/decide.ts';
import { type CallRefusal, pinNow } from './children/pins.ts';
import type { EngineDeps } from './engine.ts';
import { createState } from './fold.ts';
import { STOPPED } from './intake.ts';
import { pinDocuments } from './knowledge/base.ts';
import { createMachine, type Machine } from './machine.ts';
import { actedIn, actorsOf } from './newer/acts.ts';
import type { Plan } from './plan.ts';
import type { Plans } from './plans.ts';
import { checkInput } from './preflight/input.ts';
import { readRun } from './read-run.ts';
import { begunBeside, type Reuse, rerunProblem } from './rerun.ts';
import type { RunActor } from './run-actor.ts';
import { createdEntry, existingRun, prepareStart, type StartRequest, type StartResult } from './start.ts';
import type { RunState } from './state.ts';
import { Turns } from './turns.ts';

/** What the starter needs of its engine. */
export interface Home {
  stopped(): boolean;
  disposed(): boolean;
  readonly plans: Plans;
  /** Drives a run that is about to begin. */
  adopt(machine: Machine): RunActor;
  knowledge: KnowledgePort;
}

/** A plan with the revisions of the documents that it names. */
interface Ready {
  plan: Plan;
  documents: PinnedDocument[];
}

/** A run that it still began would be at work with nobody to stop it, beside the engine that has taken over. */
const GONE = { ok: false, code: 'internal', message: 'The engine has stopped; try again.' } as const;

/** Begins runs: new ones, called ones, and those that go on from a step of an earlier one. */
export class Starter {
  private readonly deps: EngineDeps;
  private readonly home: Home;
  private readonly starting = new Turns();

  constructor(deps: EngineDeps, home: Home) {
    this.deps = deps;
    this.home = home;
  }

  /**
   * Begins a run of a revision that preflight has accepted. With a key, the same key and input return the run that is there.
   * Resolves as soon as the run is stored.
   * @returns refusals `emergency_stop`, `key_conflict`, `secret_detected` and those of the workflows it calls, and `internal` where the
   * store has failed: there is no run then
   */
  start(request: StartRequest): Promise<StartResult> {
    const { revision, key } = request;
    if (key === undefined) return this.begin(request);
    // Two starts with one key at the same moment are one run as well.
    return this.starting.after(JSON.stringify([revision.workflowId, key]), () => this.begin(request));
  }

  /**
   * As `start`, under a given id.
   * @param reuse the run whose outputs are used again
   */
  async begin(request: StartRequest, given?: string, reuse?: Reuse): Promise<StartResult> {
    const { store, clock, random, ports } = this.deps;
    if (this.home.stopped()) return STOPPED;
    const prepared = prepareStart(request);
    if ('refused' in prepared) return prepared.refused;
    const { input, inputHash } = prepared;
    const existing = await existingRun(store, request, inputHash);
    if (existing) return existing;
    const called = await this.pin(request);
    if ('code' in called) return { ok: false, ...called };
    const ready = await this.ready(request.revision, called.pins).catch(notStored);
    if ('ok' in ready) return ready;
    const { plan, documents } = ready;
    // Asked again: the stop, or the end of this engine, may have come while the store was looking.
    if (this.home.stopped()) return STOPPED;
    if (this.home.disposed()) return GONE;
    const runId = given ?? random.id();
    const created = createdEntry({ ...request, pins: called.pins }, input, inputHash, clock.now(), documents);
    const machine = createMachine(createState(plan, runId, created));
    const actor = this.home.adopt(machine);
    machine.at = created.at;
    try {
      await actor.begin(created, reuse);
    } catch (error) {
      ports.pages.release(runId);
      return notStored(error);
    }
    return { ok: true, runId, existing: false };
  }

  /** Begins a run that goes on from a step of an ended one (SPEC §6, *Control*). The same command, however often it is taken, is one run. */
  async rerun({ commandId }: InboxCommand, command: Extract<Command, { type: 'rerun' }>): Promise<CommandResult> {
    const { store } = this.deps;
    const runId = hashJson({ rerun: commandId }).slice(0, 26);
    if (await store.run(runId)) return { ok: true, data: { runId } };
    const read = await readRun(store, command.runId, this.home.plans);
    if (!read) return refuse('run_missing', 'There is no such run.');
    const before = read.machine.state;
    const { run } = before;
    if (!FINAL_RUN.includes(run.status))
      return refuse(
        'not_waiting',
        `Wait for the end of the run, or cancel it, before it is run again: it is ${run.status}.`,
      );
    if (before.undo) return refuse('rolled_back', 'Start a new run instead: what this one had done was undone.');
    const row = await store.workflow(run.workflowId);
    if (!row) return refuse('workflow_missing', `Import ${run.workflowName} again: it is no longer there.`);
    if (!row.enabled || row.draft) return refuse('workflow_disabled', `Switch on ${row.name} before you start it.`);
    const same = command.revision !== 'newest';
    const revision = await store.revision(same ? run.revision : row.revision);
    if (!revision)
      return refuse('workflow_missing', `Import ${run.workflowName} again: this revision is no longer there.`);
    const called = await this.pin({ revision, ...(same ? { pins: before.pins } : {}) });
    if ('code' in called) return refuse(called.code, called.message);
    const { pins } = called;
    const plan = await this.home.plans.of(revision, pins, store);
    const problem = rerunProblem(before, plan, command.from);
    if (problem) return refuse('unknown_step', problem);
    const again = await this.doneAgain(before, plan, command.from);
    if (again) return refuse('interrupted', again);
    const [unfit] = checkInput(revision.definition, run.input);
    if (unfit) return refuse(unfit.code, unfit.message);
    const { input, trigger } = run;
    const { tabs } = before;
    const rerunOf = { runId: run.runId, from: command.from };
    const request = { revision, input, trigger, tabs, rerunOf, pins };
    const result = await this.begin(request, runId, { before, from: command.from });
    return result.ok ? { ok: true, data: { runId } } : refuse(result.code, result.message);
  }

  /**
   * Why a run cannot be run again from a step: beside that, something was not completed that has acted, or may have, and would do so again.
   * Whoever wants that names it.
   */
  private async doneAgain(before: RunState, plan: Plan, from: string): Promise<string | undefined> {
    const anew = begunBeside(before, plan, from);
    const acted = new Set(actorsOf(anew));
    for (const { child } of anew)
      if (child) for (const id of await actedIn(this.deps.store, this.home.plans, child.runId)) acted.add(id);
    if (acted.size === 0) return undefined;
    const first = before.run.status === 'cancelled' ? 'Start a new run' : 'Retry the run first, until that is settled';
    return `${first}: ${[...acted].join(', ')} has acted, or may have, and did not end well, so it would be done again beside ${from}.`;
  }

  private async ready(revision: Revision, pins: Record<string, string>): Promise<Ready> {
    const plan = await this.home.plans.of(revision, pins, this.deps.store);
    return { plan, documents: await pinDocuments(this.home.knowledge, plan) };
  }

  /** The revisions that the run calls, as they are now; or why it cannot call them. */
  private async pin({
    revision,
    pins,
  }: Pick<StartRequest, 'revision' | 'pins'>): Promise<{ pins: Record<string, string> } | CallRefusal> {
    if (pins) return { pins };
    const { store, registry } = this.deps;
    const followed = await pinNow(revision.definition, registry, store);
    const [problem] = followed.problems;
    return problem ? { code: problem.code, message: problem.message } : followed;
  }
}

/** There is no run where the store has failed. */
function notStored(error: unknown): Extract<StartResult, { ok: false }> {
  const why = reasonOf(error);
  return { ok: false, code: 'internal', message: `The run could not be stored, so it was not started: ${why}` };
}
