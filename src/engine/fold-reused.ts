import type { ErrorInfo } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { StepStatus } from '../model/run.ts';
import { openList, setStatus } from './fold-steps.ts';
import type { PlanList } from './plan.ts';
import type { ListState, RunState, SkipKind, StepState } from './state.ts';

/** What entries about outputs of an earlier run do to the state, in place. */
export const REUSE_EVENTS: Record<string, (state: RunState, step: StepState, at: number, data: JsonObject) => void> = {
  'step.reused': (state, step, at, data) => {
    const { row } = step;
    row.reused = true;
    row.startedAt = at;
    row.endedAt = at;
    const { output, error, reason, child } = data as { output?: Json; reason?: string; child?: string; error?: Json };
    if (output !== undefined) row.output = output;
    if (error !== undefined) row.error = error as unknown as ErrorInfo;
    if (reason !== undefined) row.reason = reason;
    if (child !== undefined) {
      row.child = child;
      state.run.children = true;
    }
    if (data.degraded === true) row.degraded = true;
    if (data.handled === true) step.handled = true;
    step.skip = data.skip as SkipKind | undefined;
    if (data.status === 'completed') step.done = state.completions++;
    setStatus(state, step, data.status as StepStatus);
  },
  'list.reused': (_state, step, _at, data) => {
    const plan = step.plan.lists.find((list) => list.name === data.name) as PlanList;
    const list = openList(step, plan, undefined);
    list.status = data.status as ListState['status'];
    step.lists.set(plan.name, list);
  },
};
