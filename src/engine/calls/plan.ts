import type { WorkflowDefinition } from '../../model/workflow.ts';
import { mergeRetry, type PlanList, type PlanStep, WORK_RETRY } from '../plan.ts';
import type { StepRegistry } from '../step-type.ts';

/**
 * What the engine itself tries again of a tool call: only what has nothing to do with the call. All else is told to the model at once,
 * which knows better what to do about it.
 */
const PASSING = ['rate_limited', 'provider_unavailable', 'network', 'mcp_unavailable'];

/** Gives a step that makes calls the plans of all that it may call, each alone in a list of its own. */
export function compileCalls(owner: PlanStep, workflow: WorkflowDefinition, registry: StepRegistry): void {
  const calls = new Map<string, PlanStep>();
  for (const { call, def, type: own } of owner.type.calls?.(owner.def, workflow) ?? []) {
    const general = own ?? registry.get(def.type);
    const type = general?.variant?.(def) ?? general;
    // Preflight has told, or will tell, that this version has no such steps.
    if (!type) continue;
    const list: PlanList = {
      id: `${owner.id}:${def.id}`,
      name: def.id,
      role: 'body',
      kind: 'items',
      call,
      owner,
      steps: [],
      pointer: owner.pointer,
    };
    const retry = mergeRetry(WORK_RETRY, workflow.defaults?.retry, owner.def.retry);
    const step: PlanStep = {
      id: def.id,
      def,
      type,
      list,
      call,
      deps: [],
      dependents: [],
      joinAll: false,
      effect: type.effect(def),
      timeoutMs: owner.timeoutMs,
      // A model turn that fails is a failed attempt of its agent, which says how often.
      retry: call === 'model' ? { ...retry, maxAttempts: 1 } : { ...retry, on: PASSING },
      counted: false,
      lists: [],
      coveredBy: [],
      pointer: owner.pointer,
    };
    list.steps.push(step);
    owner.lists.push(list);
    calls.set(def.id, step);
  }
  owner.calls = calls;
}
