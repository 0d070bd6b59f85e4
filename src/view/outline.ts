import { listsOf } from '../engine/plan.ts';
import type { StepRegistry } from '../engine/step-type.ts';
import type { StepDefinition } from '../model/workflow.ts';

/** A step as the workflow's text has it: what may run, whether it has begun or not. */
export interface OutlineStep {
  id: string;
  type: string;
  name: string;
  lists: OutlineList[];
}

/** A step list inside a step. */
export interface OutlineList {
  /** `then`, `else`, `steps`, a branch's name; `@fallback`, `@compensate`, `@verify` for those that any step may have. */
  name: string;
  /** `once`: its steps have their own ids as paths. `items`: they sit below `<path>[n]/`. */
  kind: 'once' | 'items';
  /** Runs only when something went wrong. */
  spare: boolean;
  steps: OutlineStep[];
}

/** The structure of a definition that preflight has accepted. Steps of an unknown type stand without what is inside them. */
export function outlineOf(steps: readonly StepDefinition[], registry: StepRegistry): OutlineStep[] {
  return steps.map((step) => {
    const type = registry.get(step.type);
    const lists = type ? listsOf(step, type) : [];
    return {
      id: step.id,
      type: step.type,
      name: step.name ?? step.id,
      lists: lists.map(({ name, kind, role, steps: inner }) => ({
        name,
        kind,
        spare: role !== 'body',
        steps: outlineOf(inner, registry),
      })),
    };
  });
}
