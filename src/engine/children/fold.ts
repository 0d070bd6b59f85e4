import type { JsonObject } from '../../model/json.ts';
import type { WaitKind } from '../../model/run.ts';
import { setMode, setStatus } from '../fold-steps.ts';
import { spend } from '../spend.ts';
import type { RunState, StepState } from '../state.ts';
import { NO_USAGE } from '../usage.ts';

/** What each entry about a call of another workflow does to the state of the run that calls, in place. */
export const CHILD_EVENTS: Record<string, (state: RunState, step: StepState, at: number, data: JsonObject) => void> = {
  /** The intent: from here on the run called so is this step's work. */
  'child.called': (state, step, at, data) => {
    const { row } = step;
    step.letIn = true;
    row.attempt = data.attempt as number;
    row.attempts = [...row.attempts, { number: row.attempt, startedAt: at }];
    row.startedAt ??= at;
    step.fields = (data.input ?? {}) as JsonObject;
    row.input = step.fields;
    const runId = data.child as string;
    const { spent = NO_USAGE, generation = 0 } = step.child ?? {};
    step.child = {
      runId,
      revision: data.revision as string,
      generation,
      of: generation,
      passage: data.passage as number,
      active: true,
      waitingFor: [],
      spent: step.child?.runId === runId ? spent : NO_USAGE,
    };
    row.child = runId;
    state.run.children = true;
    setStatus(state, step, 'running');
    step.retryAt = undefined;
    step.deadline = typeof data.timeoutMs === 'number' ? at + data.timeoutMs : undefined;
    if (step.deadline === undefined) state.due.delete(step);
    else state.due.add(step);
    state.children.add(step);
  },
  'child.moved': (state, step, _at, data) => {
    const { child } = step;
    if (!child) return;
    child.active = data.active === true;
    child.waitingFor = data.waitingFor as WaitKind[];
    if (data.total) child.spent = data.total as unknown as typeof child.spent;
    spend(state, step, data);
    if (!state.children.has(step)) return;
    // Not by `setStatus`: its deadline goes on while it waits.
    step.row.status = child.active ? 'running' : 'waiting';
    setMode(state, step, child.active ? 'work' : 'wait');
  },
  /** The run cannot be gone on with: the next call is of a new one. */
  'child.gone': (state, step, _at, data) => {
    if (step.child) step.child.generation += 1;
    // What was approved was that run. One that was never begun has used up nothing.
    if (data.unbegun !== true) state.covers.delete(step.row.path);
  },
};
