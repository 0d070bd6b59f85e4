import type { Effect } from '../../model/effect.ts';
import type { ErrorInfo } from '../../model/errors.ts';
import { type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import type { CoveredAct } from '../../model/run.ts';
import { describeAct } from '../approvals/covers.ts';
import { buildApproval, request } from '../approvals/gate.ts';
import type { Resolved } from '../begin.ts';
import { finalFailure } from '../failure.ts';
import { askRecovery, interrupted } from '../interrupted.ts';
import { attempt, emit, type Machine, pathIn } from '../machine.ts';
import type { PlanStep } from '../plan.ts';
import { withoutSecrets } from '../secrets/index.ts';
import type { ListState, StepState } from '../state.ts';

/** Begins an attempt of an agent. Its calls so far stand: the attempt goes on with the first one that has no result. */
export function beginCalls(m: Machine, list: ListState, plan: PlanStep, resolve: () => Resolved): void {
  const path = pathIn(list, plan);
  const known = m.state.steps.get(path);
  // The task is what it was when the agent began: its calls were made for that.
  const fields =
    known?.fields && known.outcomes.length > 0 ? { ok: known.fields } : attempt(path, () => resolve().fields);
  const input = 'ok' in fields ? fields.ok : {};
  emit(m, 'step.begun', path, { attempt: (known?.row.attempt ?? 0) + 1, input });
  const step = m.state.steps.get(path) as StepState;
  if ('error' in fields) {
    finalFailure(m, step, fields.error);
    return;
  }
  for (const inner of step.lists.values())
    if (inner.status === 'open')
      for (const one of inner.plan.steps) m.agenda.push({ kind: 'consider', list: inner, step: one });
  m.agenda.push({ kind: 'next', owner: step });
}

/** The fields of a call: what its agent opened the list with, taken to the letter. @throws TabloomError `secret_detected` */
export function resolveCall(m: Machine, list: ListState, plan: PlanStep): Resolved {
  const fields = withoutSecrets(
    m.plan.workflow,
    `The call of ${plan.id}`,
    list.input as JsonObject,
    pathIn(list, plan),
  );
  return { fields, secrets: [] };
}

/** The effect of a step as of now: as the file says it, as the outside says it, or as its type does. */
export function effectNow(m: Machine, plan: PlanStep): PlanStep['effect'] {
  return plan.def.effect ?? plan.type.effectNow?.(plan.def, m.tool) ?? plan.effect;
}

const WRITES: readonly (Effect | 'none')[] = ['idempotent', 'once'];

/** Whether a person is asked before a tool call, as the agent's `approve` says. */
function isAsked(approve: unknown, plan: PlanStep, effect: PlanStep['effect']): boolean {
  if (plan.call !== 'tool' || approve === 'none') return false;
  if (Array.isArray(approve)) return approve.includes(plan.def.name);
  return approve === 'all' || WRITES.includes(effect);
}

/**
 * Whether a call may act now: free, or approved to the letter. Otherwise a person is asked for exactly this call, and the answer is
 * `undefined`.
 */
export function coverCall(
  m: Machine,
  list: ListState,
  plan: PlanStep,
  fields: JsonObject,
): { act?: CoveredAct; approvalId?: string } | undefined {
  const agent = list.owner as StepState;
  const effect = effectNow(m, plan);
  if (!isAsked(agent.plan.def.approve ?? 'writes', plan, effect)) return {};
  const path = pathIn(list, plan);
  const act = describeAct(m, plan, path, fields);
  const approved = m.state.covers.get(path)?.get(plan.id);
  if (approved && jsonEqual(approved.act as unknown as Json, act as unknown as Json))
    return { act, approvalId: approved.approvalId };
  const show: JsonObject = {
    agent: agent.row.name,
    tool: plan.id,
    arguments: act.arguments,
    now: act as unknown as Json,
  };
  const asked = buildApproval(m, path, withRisk(plan, effect), {
    title: `${agent.row.name}: ${plan.id}`,
    message: `The ${agent.plan.type.title === 'Agent' ? 'agent' : agent.plan.type.title} ${agent.row.name} wants to do this.`,
    show: approved ? { ...show, approved: approved.act as unknown as Json } : show,
    covers: [act],
    ...(approved ? { replaces: { hash: approved.approvalId, reason: 'what it would do has changed' } } : {}),
  });
  request(m, path, asked);
  return undefined;
}

/** A call that may not be done twice is nothing that anybody should wave through. */
function withRisk(plan: PlanStep, effect: PlanStep['effect']): PlanStep {
  return { ...plan, def: { ...plan.def, risk: effect === 'once' ? 'irreversible' : 'reversible' } };
}

/**
 * A model turn or a looking call was cut off. It is simply made again, unless the agent's own `onInterrupted` says otherwise: then the
 * agent itself is what a person is asked about.
 * @param always ask whatever it says
 * @returns false where the call is made again
 */
export function interruptedInAgent(m: Machine, call: StepState, always: boolean): boolean {
  const agent = call.plan.call ? call.list.owner : undefined;
  const policy = agent?.plan.def.onInterrupted ?? 'retry';
  if (!agent || call.row.effect === 'once' || (policy === 'retry' && !always)) return false;
  const error = call.row.attempts.at(-1)?.error as ErrorInfo;
  emit(m, 'step.interrupted', agent.row.path, { attempt: agent.row.attempt, error, unknown: true });
  if (policy === 'retry') askRecovery(m, agent, error, 'was interrupted several times in a row');
  else interrupted(m, agent);
  return true;
}

/**
 * After a retry of the run, or of what is around the agent, before the calls themselves: the one that failed or was cut off is made again,
 * and all before it stands.
 * @param ask a person retries the run: they are asked, whatever `onInterrupted` says
 */
export function resetCalls(m: Machine, step: StepState, ask: boolean): void {
  const { path, attempt: number } = step.row;
  const { unknown } = step;
  const over = [...step.lists.values()].filter(
    ({ status, plan: { role } }) => (status === 'failed' || status === 'cancelled') && role === 'body',
  );
  emit(m, 'step.reset', path, {});
  for (const list of over) emit(m, 'list.reopened', path, { name: list.plan.name, index: list.index });
  if (unknown) emit(m, 'step.interrupted', path, { attempt: number, error: unknown.error, unknown: true, ask });
}
