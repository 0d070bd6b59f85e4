import type { Json } from '../../model/json.ts';
import type { Machine } from '../machine.ts';
import type { Plan, PlanStep } from '../plan.ts';
import type { ListState } from '../state.ts';
import type { Around } from '../step-type.ts';

/*
 * An agent is a container that makes up its steps as it goes: each model turn and each tool call is a step run of its own below it, at
 * `<agent>[n]/model` or `<agent>[n]/<tool>`, alone in a list that is opened for it.
 */

/** The plan of the step at a path; a call of an agent is found by the agent, since its name is no id of the file. */
export function planAt({ steps }: Plan, path: string): PlanStep | undefined {
  const slash = path.lastIndexOf('/');
  const id = path.slice(slash + 1);
  if (slash < 0) return steps.get(id);
  const above = path.slice(path.lastIndexOf('/', slash - 1) + 1, slash);
  const owner = steps.get(above.replace(/\[\d+\]$/, ''));
  return owner?.calls ? owner.calls.get(id) : steps.get(id);
}

/** The agent around a call, as its work sees it; `undefined` for any other list. */
export function aroundOf({ plan, owner }: ListState): Around | undefined {
  if (!plan.call || !owner) return undefined;
  return { step: owner.plan.def, path: owner.row.path, fields: owner.fields ?? {}, outcomes: [...owner.outcomes] };
}

/** What a tool call gave, for its agent: `{output}`, or `{error: {code, message}}`. */
export function toolOutcome(m: Machine, list: ListState): Json {
  const row = m.state.steps.get(list.prefix + list.plan.steps[0]?.id)?.row;
  if (row?.error) return { error: { code: row.error.code, message: row.error.message } };
  return { output: row?.output ?? null };
}

/** Failures of a tool call that end its agent: the person has said no or nothing, or the run may not go on as it is. */
const ENDS_THE_AGENT = new Set([
  'approval_rejected',
  'approval_expired',
  'secret_detected',
  'budget_exceeded',
  'interrupted',
  'cancelled',
  'internal',
]);

/** Whether a failed tool call is told to the model, which may then do something else. */
export function toldToModel(code: string): boolean {
  return !ENDS_THE_AGENT.has(code);
}
