import type { Store } from '../../ports/store.ts';
import type { Plans } from '../plans.ts';
import { readRun } from '../read-run.ts';
import { isTaken, type StepState } from '../state.ts';

/*
 * What a run has done that must not be done a second time unasked: looked at before something of it is to begin anew, under a newer
 * revision or as another run.
 */

const MAY_REPEAT: readonly string[] = ['pure', 'read', 'none'];

/** Whether what a step does must not be done again by itself. What an agent has done counts unless it only looked: nothing else knows of it. */
function counts({ plan, row }: StepState): boolean {
  return plan.call ? !MAY_REPEAT.includes(row.effect) : row.effect === 'once';
}

/** Whether a step has acted, or may have, also in rounds of it that are over. Judged by the effect that its attempts had. */
export function hasActed(step: StepState): boolean {
  if (step.unknown || step.acted || step.actsInside) return true;
  return step.row.status === 'completed' && counts(step);
}

/** Whether something of a list that is to be forgotten has acted. What the runs did that it has called is not known here, so they count. */
export function leavesActs(step: StepState): boolean {
  return hasActed(step) || (step.child !== undefined && step.row.status !== 'skipped');
}

/** A step that has acted, where nobody has taken the failure that came of it: it would be gone on with. */
export function isOpenAct(step: StepState): boolean {
  return (step.unknown !== undefined || step.acted === true) && !isTaken(step);
}

/** Ids of the steps that have acted in a run, in words for a person; of an agent's calls the agent. */
export function actorsOf(steps: Iterable<StepState>): string[] {
  const found = new Set<string>();
  for (const step of steps)
    if (hasActed(step)) found.add(step.plan.call ? (step.list.owner?.plan.id ?? step.plan.id) : step.plan.id);
  return [...found];
}

/**
 * Ids of the steps that have acted in a called run, and in those that it has called. None where it is not there, or was rolled back.
 * @throws Error when it cannot be read
 */
export async function actedIn(store: Store, plans: Plans, runId: string): Promise<string[]> {
  const state = (await readRun(store, runId, plans))?.machine.state;
  if (!state || state.undo) return [];
  const found = actorsOf(state.steps.values());
  for (const { child } of state.steps.values()) if (child) found.push(...(await actedIn(store, plans, child.runId)));
  return found;
}
