import type { Json } from '../model/json.ts';
import type { RootName, Scope } from '../model/roots.ts';
import { itemLists, type Plan, type PlanList } from './plan.ts';
import type { Frame, ListState, RunState } from './state.ts';

/** Where a template stands: the round it is in, and the list for what is only known there. */
export interface Position {
  frame?: Frame;
  list?: ListState;
}

/** What else a template may see: values of roots, and outputs of steps that have none yet (a gate's, while it is asked about). */
export interface Extra {
  roots?: Partial<Record<RootName, Json>>;
  outputs?: ReadonlyMap<string, Json>;
}

const chains = new WeakMap<PlanList, PlanList[]>();

function chainOf(list: PlanList): PlanList[] {
  let chain = chains.get(list);
  if (!chain) {
    chain = itemLists(list);
    chains.set(list, chain);
  }
  return chain;
}

/** Path of a step as seen from a position; undefined where that step sits in a loop that the position is not in. */
export function pathFrom(plan: Plan, position: Position, id: string): string | undefined {
  const step = plan.steps.get(id);
  if (!step) return undefined;
  const chain = chainOf(step.list);
  const inner = chain.at(-1);
  if (!inner) return id;
  for (let frame = position.frame; frame; frame = frame.outer) if (frame.list === inner) return frame.prefix + id;
  return undefined;
}

function loopFrame(frame: Frame | undefined, id?: string): Frame | undefined {
  for (let at = frame; at; at = at.outer)
    if (at.list.role === 'body' && (id === undefined || at.list.owner?.id === id)) return at;
  return undefined;
}

function fallbackError(list: ListState | undefined): Json | undefined {
  for (let at = list; at?.owner; at = at.owner.list) {
    if (at.plan.role !== 'fallback') continue;
    const error = at.owner.failedWith;
    return error && { code: error.code, message: error.message, step: at.owner.row.path };
  }
  return undefined;
}

function reviewed(list: ListState | undefined): Json | undefined {
  for (let at = list; at?.owner; at = at.owner.list)
    if (at.plan.role === 'revise') return at.owner.review && { ...at.owner.review };
  return undefined;
}

/** The names visible at a position (SPEC §2, *Roots*). Looks values up when asked; builds no object of all outputs. */
export function scopeAt(state: RunState, position: Position, extra: Extra = {}): Scope {
  const roots = extra.roots ?? {};
  return {
    root(name) {
      if (Object.hasOwn(roots, name)) return roots[name];
      switch (name) {
        case 'workflow_input':
          return state.run.input;
        case 'trigger':
          return state.run.trigger;
        case 'run':
          return {
            id: state.run.runId,
            startedAt: new Date(state.run.startedAt as number).toISOString(),
            workflow: state.run.workflowId,
            revision: state.run.revision,
          };
        case 'loop_item':
          return loopFrame(position.frame)?.item;
        case 'loop_index':
          return loopFrame(position.frame)?.index;
        case 'review':
          return reviewed(position.list);
        case 'error':
          return fallbackError(position.list);
        default:
          return undefined;
      }
    },
    member(name, key) {
      if (name === 'loop') {
        const frame = loopFrame(position.frame, key);
        return frame && { index: frame.index, item: frame.item as Json };
      }
      if (name !== 'step' && name !== 'status') return undefined;
      const path = pathFrom(state.plan, position, key);
      if (path === undefined) return undefined;
      if (extra.outputs?.has(path)) return name === 'step' ? extra.outputs.get(path) : 'completed';
      const row = state.steps.get(path)?.row;
      if (name === 'status') return row?.status ?? 'pending';
      return row?.status === 'completed' ? (row.output ?? null) : undefined;
    },
  };
}
