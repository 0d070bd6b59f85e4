import { TabloomError } from '../../model/errors.ts';
import { type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import type { CoveredAct } from '../../model/run.ts';
import { resolveStep } from '../begin.ts';
import { revisionFor } from '../children/call.ts';
import { type Machine, pathIn, positionOf } from '../machine.ts';
import type { PlanList, PlanStep } from '../plan.ts';
import { type Extra, type Position, pathFrom } from '../scope.ts';
import type { Frame, ListState } from '../state.ts';
import type { ContainerType } from '../step-type.ts';

/** One approval shows at most this many acts: more than that nobody reads. */
const MAX_ACTS = 1000;

function originOfUrl(url: string | undefined): string | undefined {
  if (!url) return undefined;
  try {
    const { origin } = new URL(url);
    return origin === 'null' ? undefined : origin;
  } catch {
    return undefined;
  }
}

/** What a covered step would do: resolved arguments, target, tab and origin, as shown and hashed (SPEC §6, *Approval*). */
export function describeAct(m: Machine, plan: PlanStep, path: string, fields: JsonObject): CoveredAct {
  const { def } = plan;
  // A called workflow has tabs of its own, but for the one that it is given.
  const called = plan.type.child && !plan.call;
  const current = called ? undefined : m.state.tabs.current;
  const tab = typeof fields.tab === 'string' ? fields.tab : current;
  const input = plan.type.inputField ? fields[plan.type.inputField] : undefined;
  const act: CoveredAct = { path, stepId: plan.id, name: def.name ?? plan.id, type: def.type, arguments: input ?? {} };
  if (called) {
    const workflow = def.workflow as string;
    // What it does is what its revision says.
    const revision = revisionFor(m.state.pins, workflow);
    act.arguments = { workflow, ...(revision !== undefined && { revision }), input: input ?? {} };
  }
  if (typeof def.action === 'string') act.action = def.action;
  // With its server: a tool of another one may have the same name, or that of a browser action.
  if (typeof def.tool === 'string') act.action = `${def.tool} (${def.server})`;
  if (tab !== undefined) act.tab = tab;
  const origin = originOfUrl(m.state.tabs.list.find((known) => known.tab === tab)?.url);
  if (origin !== undefined) act.origin = origin;
  return act;
}

function notVisible(gate: PlanStep, covered: PlanStep, why: string): TabloomError {
  return new TabloomError(
    'not_visible',
    `The approval ${gate.id} covers ${covered.id}, but what it would do is not known at the gate: ${why}`,
    {
      step: gate.id,
      field: 'covers',
    },
  );
}

/** Lists between the gate's own list and the covered step, outermost first. */
function listsBetween(gate: PlanStep, covered: PlanStep): PlanList[] {
  const between: PlanList[] = [];
  // Preflight has seen that it is in the gate's list or inside a step of it.
  for (let { list } = covered; list !== gate.list; { list } = list.owner as PlanStep) between.unshift(list);
  return between;
}

/**
 * Every act that a gate covers, resolved as if the gate had said yes to `show`: once for each item of the loops in between.
 * @throws TabloomError `not_visible` where a covered step's fields cannot be resolved at the gate
 */
export function coveredActs(m: Machine, list: ListState, gate: PlanStep, show: Json): CoveredAct[] {
  const outputs = new Map<string, Json>([[pathIn(list, gate), { decision: 'approved', value: show }]]);
  const extra: Extra = { outputs };
  const acts: CoveredAct[] = [];
  const walk = (covered: PlanStep, position: Position, prefix: string, lists: PlanList[]): void => {
    const [next, ...rest] = lists;
    if (!next) {
      if (acts.length >= MAX_ACTS)
        throw notVisible(gate, covered, `it would be more than ${MAX_ACTS} acts; approve them in smaller batches.`);
      acts.push(describeAct(m, covered, prefix + covered.id, resolved(covered, covered, position)));
      return;
    }
    const owner = next.owner as PlanStep;
    if (next.kind === 'once') {
      walk(covered, position, prefix, rest);
      return;
    }
    if (next.role !== 'body') throw notVisible(gate, covered, 'it is in a list that is not run as the step’s work.');
    const item = owner.type.container?.item as NonNullable<ContainerType['item']>;
    const fields = resolved(covered, owner, position);
    for (let index = 0; item(fields, index) !== undefined; index++) {
      const inner = `${prefix}${owner.id}[${index}]/`;
      const frame: Frame = { list: next, prefix: inner, index, item: item(fields, index), outer: position.frame };
      walk(covered, { frame }, inner, rest);
    }
  };
  const resolved = (covered: PlanStep, step: PlanStep, position: Position): JsonObject => {
    try {
      return resolveStep(m, position, step, extra).fields;
    } catch (error) {
      if (TabloomError.is(error) && error.code === 'secret_detected') throw error;
      throw notVisible(gate, covered, (error as Error).message);
    }
  };
  for (const id of (gate.def.covers as string[] | undefined) ?? []) {
    const covered = m.plan.steps.get(id) as PlanStep;
    walk(covered, positionOf(list), list.prefix, listsBetween(gate, covered));
  }
  return acts;
}

export type Cover =
  | { verdict: 'free'; act?: undefined; approvalId?: undefined }
  | { verdict: 'approved'; act: CoveredAct; approvalId: string }
  | { verdict: 'ask'; gate: string; act: CoveredAct; reason: string; approvalId?: undefined }
  | { verdict: 'refused'; reason: string; act?: undefined; approvalId?: undefined };

/** What was approved for a path, by whichever gate. */
export function approvedAct(m: Machine, path: string): CoveredAct | undefined {
  return m.state.covers.get(path)?.values().next().value?.act;
}

/**
 * Whether a step may act now: free, approved to the letter, to be asked about, or refused. Every gate that covers it must have said yes:
 * one gate's yes never overrules another's no. Gates on paths that were not taken have no say.
 */
export function coverOf(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject): Cover {
  if (plan.coveredBy.length === 0) return { verdict: 'free' };
  const path = pathIn(list, plan);
  const act = describeAct(m, plan, path, fields);
  const gates: string[] = [];
  for (const gate of plan.coveredBy) {
    const asked = pathFrom(m.plan, positionOf(list), gate);
    if (asked !== undefined && m.state.refused.has(asked)) {
      const name = plan.def.name ?? plan.id;
      return { verdict: 'refused', reason: `${name} was not done: the approval ${gate} was rejected.` };
    }
    if (asked === undefined || m.state.steps.get(asked)?.row.status !== 'skipped') gates.push(gate);
  }
  if (gates.length === 0) gates.push(plan.coveredBy[0] as string);
  let approvalId = '';
  for (const gate of gates) {
    const approved = m.state.covers.get(path)?.get(gate);
    if (!approved) return { verdict: 'ask', gate, act, reason: 'it was not among what was approved' };
    if (!jsonEqual(approved.act as unknown as Json, act as unknown as Json)) {
      return { verdict: 'ask', gate, act, reason: 'what it would do has changed since it was approved' };
    }
    approvalId = approved.approvalId;
  }
  return { verdict: 'approved', act, approvalId };
}
