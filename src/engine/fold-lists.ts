import type { ErrorInfo } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { forget, isFinal, openList } from './fold-steps.ts';
import type { PlanList } from './plan.ts';
import { type ListState, listKey, type RunState, type StepState } from './state.ts';

/** How many rounds there were inside of one that is about to be forgotten: their rows stay in the store, and may have to be found. */
function noteRounds(state: RunState, owner: StepState, list: ListState): void {
  const note = (id: string, count: number): void => {
    owner.rounds ??= {};
    owner.rounds[id] = Math.max(owner.rounds[id] ?? 0, count);
  };
  for (const plan of list.plan.steps) {
    const inner = state.steps.get(list.prefix + plan.id);
    if (!inner) continue;
    for (const [id, count] of Object.entries(inner.rounds ?? {})) note(id, count);
    if (inner.opened > 0)
      for (const { id, kind, role } of plan.lists) if (kind === 'items' && role === 'body') note(id, inner.opened);
    for (const one of inner.lists.values()) {
      if (one.index !== undefined) note(one.plan.id, one.index + 1);
      noteRounds(state, owner, one);
    }
  }
}

/** What each entry about a list of a step does to the state, in place. */
export const LIST_EVENTS: Record<string, (state: RunState, step: StepState, at: number, data: JsonObject) => void> = {
  'list.opened': (state, step, _at, data) => {
    const name = data.name as string;
    const plan = step.plan.lists.find((list) => list.name === name) as PlanList;
    const index = data.index as number | undefined;
    const list = openList(step, plan, index);
    if (plan.call) list.input = data.input as JsonObject | undefined;
    step.lists.set(listKey(name, index), list);
    // A fallback that runs again after a retry: what it has done already stays done.
    for (const inner of plan.steps) {
      const known = state.steps.get(list.prefix + inner.id);
      if (!known) continue;
      known.list = list;
      if (isFinal(known)) list.left -= 1;
    }
    if (plan.role === 'body') step.opened += 1;
    if (plan.role === 'revise') step.revisions = (step.revisions ?? 0) + 1;
  },
  'list.skipped': (_state, step, _at, data) => {
    const plan = step.plan.lists.find((list) => list.name === data.name) as PlanList;
    const list = openList(step, plan, undefined);
    list.status = 'skipped';
    step.lists.set(plan.name, list);
  },
  'list.settled': (state, step, _at, data) => {
    const { name, index } = data as { name: string; index?: number };
    const key = listKey(name, index);
    const list = step.lists.get(key) as ListState;
    list.status = data.status as ListState['status'];
    if (list.plan.role === 'compensate' && data.error && state.undo)
      state.undo.failed ??= data.error as unknown as ErrorInfo;
    if (list.plan.role !== 'body') return;
    const outcome = {
      name,
      index,
      status: data.status as 'completed' | 'failed',
      output: data.output ?? null,
      error: data.error as ErrorInfo | undefined,
    };
    step.outcomes[index ?? step.outcomes.length] = outcome;
    if (step.plan.type.container?.newestOnly && index !== undefined) delete step.outcomes[index - 1];
    else if (outcome.status === 'failed') step.firstFailed ??= outcome;
    const kept = list.status === 'failed' && !step.plan.type.container?.tolerates?.(step.plan.def);
    if (index !== undefined && !kept && !list.plan.undoable) {
      noteRounds(state, step, list);
      forget(state, list);
      step.lists.delete(key);
    }
  },
  'list.reopened': (_state, step, _at, data) => {
    const { name, index } = data as { name: string; index?: number };
    const list = step.lists.get(listKey(name, index)) as ListState;
    list.status = 'open';
    list.error = undefined;
    if (index !== undefined) delete step.outcomes[index];
    else step.outcomes = step.outcomes.filter((outcome) => outcome.name !== name);
    step.firstFailed = step.outcomes.find((outcome) => outcome?.status === 'failed');
  },
};
