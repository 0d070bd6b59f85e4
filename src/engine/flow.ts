import type { ErrorInfo } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { outputProblem, startStep } from './begin.ts';
import { toolOutcome } from './calls/around.ts';
import { apartFailed, finalFailure } from './failure.ts';
import { isFinal } from './fold.ts';
import { interrupted, verifyDone } from './interrupted.ts';
import { attempt, emit, type Machine, pathIn, positionOf, scopeOf } from './machine.ts';
import { revised } from './people/review.ts';
import { dropPlaces, holdPlace, nextOfLoop, parkedTasks, releasePlace } from './places.ts';
import type { PlanStep } from './plan.ts';
import { compensationDone } from './rollback.ts';
import { endRun } from './run-end.ts';
import { type ListState, onInterruptedOf, type StepState, unfinished } from './state.ts';
import { evaluateCondition } from './values/condition.ts';
import { resolve } from './values/template.ts';

/** Entries after which a transition is cut, so that one commit stays bounded however much falls due at once. */
export const MAX_ENTRIES = 400;

/**
 * Works the agenda off: every step whose dependencies have settled starts now, whatever its neighbours do. Returns early, leaving the
 * rest on the agenda, when the transition has become long.
 */
export function drain(m: Machine): void {
  for (;;) {
    let at = 0;
    while (at < m.agenda.length) {
      if (m.entries.length > MAX_ENTRIES) {
        m.agenda = m.agenda.slice(at);
        m.effects.push({ type: 'continue' });
        return;
      }
      const task = m.agenda[at++];
      if (!task) continue;
      if (task.kind === 'consider') consider(m, task.list, task.step);
      else if (task.kind === 'settled') settleList(m, task.list);
      else nextMove(m, task.owner);
    }
    m.agenda = [];
    if (!freePlaces(m)) return;
  }
}

/** A container that may open lists: not one whose fallback stands in for it, nor an agent between two attempts. */
function isOpen(owner: StepState): boolean {
  return owner.row.status === 'running' && !owner.holding && owner.retryAt === undefined;
}

/** Items that only wait give up their place (SPEC §5). True when that put something on the agenda. */
function freePlaces(m: Machine): boolean {
  if (m.state.paused || m.state.failing) return false;
  for (const [loop, held] of m.places) {
    if (!isOpen(loop) || !loop.fields || !loop.plan.type.container?.yields?.(loop.fields)) continue;
    for (const list of held)
      if (list.status === 'open' && list.working === 0 && list.waiting > 0) releasePlace(m, loop, list);
    if (nextOfLoop(m, loop)) m.agenda.push(...parkedTasks(m, loop), { kind: 'next', owner: loop });
  }
  return m.agenda.length > 0;
}

/** Begins a list: looks at the steps that depend on nothing. */
export function enterList(m: Machine, list: ListState): void {
  if (list.left === 0) m.agenda.push({ kind: 'settled', list });
  // In a list that was here before some steps may be done: what comes after them is looked at too.
  const fresh = list.left === list.plan.steps.length;
  for (const step of list.plan.steps)
    if (!fresh || step.deps.length === 0) m.agenda.push({ kind: 'consider', list, step });
}

/** Starts, skips or cancels a step once all its dependencies have settled (SPEC §3). */
function consider(m: Machine, list: ListState, plan: PlanStep): void {
  if (list.status !== 'open' || m.state.failing || m.state.paused) return;
  if (list.plan.call && list.owner && !isOpen(list.owner)) return;
  const path = pathIn(list, plan);
  const known = m.state.steps.get(path);
  if (known && known.row.status !== 'pending') return;
  if (known?.unknown && onInterruptedOf(known) !== 'retry') {
    interrupted(m, known);
    return;
  }
  const sources = plan.deps.map((edge) => m.state.steps.get(list.prefix + edge.from));
  if (!sources.every(isFinal)) return;

  const blocker = sources.find(
    (source) => source && ((source.row.status === 'failed' && !source.handled) || source.row.status === 'cancelled'),
  );
  if (blocker) {
    if (known) dropCalls(m, known);
    emit(m, 'step.cancelled', path, { reason: `${blocker.row.name} before it did not succeed` });
    afterStep(m, path);
    return;
  }
  const verdict = known?.letIn
    ? { ok: 'run' as const }
    : attempt(path, () => verdictOf(m, list, plan, sources as StepState[]));
  if ('error' in verdict) {
    if (!holdPlace(m, list, { kind: 'consider', list, step: plan })) return;
    emit(m, 'step.opened', path, {});
    finalFailure(m, m.state.steps.get(path) as StepState, verdict.error);
    return;
  }
  if (verdict.ok !== 'run') {
    const reason = verdict.ok === 'edges' ? 'no path leads to it' : 'its condition is false';
    if (known) dropCalls(m, known);
    emit(m, 'step.skipped', path, { kind: verdict.ok, reason });
    afterStep(m, path);
    return;
  }
  if (!holdPlace(m, list, { kind: 'consider', list, step: plan })) return;
  startStep(m, list, plan);
}

function verdictOf(m: Machine, list: ListState, plan: PlanStep, sources: StepState[]): 'run' | 'edges' | 'when' {
  const scope = scopeOf(m, list);
  let live = 0;
  plan.deps.forEach((edge, index) => {
    const cut =
      sources[index]?.skip === 'edges' ||
      (edge.when !== undefined && !evaluateCondition(edge.when, scope, { step: plan.id, field: 'dependsOn' }));
    if (!cut) live += 1;
  });
  if (plan.deps.length > 0 && (live === 0 || (plan.joinAll && live < plan.deps.length))) return 'edges';
  if (plan.def.when !== undefined && !evaluateCondition(plan.def.when, scope, { step: plan.id, field: 'when' }))
    return 'when';
  return 'run';
}

/** After a step has settled: its dependents, its list, its failure if nobody took it. */
export function afterStep(m: Machine, path: string): void {
  const step = m.state.steps.get(path);
  if (!step || !isFinal(step)) return;
  const { list } = step;
  if (list.status === 'open' && failedFast(m, list)) {
    if (!list.owner) endRun(m, 'failed', list.error);
    else settleList(m, list);
    return;
  }
  for (const id of step.plan.dependents)
    m.agenda.push({ kind: 'consider', list, step: m.plan.steps.get(id) as PlanStep });
  if (list.left === 0) m.agenda.push({ kind: 'settled', list });
}

/** A list that has failed and does not wait for the rest of its steps; under `finish` all that does not depend on the failure goes on. */
function failedFast(m: Machine, list: ListState): boolean {
  return list.error !== undefined && (m.plan.onFailure !== 'finish' || list.plan.role !== 'body');
}

/** True when nothing more happens in a list. */
export function isOver(m: Machine, list: ListState): boolean {
  return list.left === 0 || failedFast(m, list);
}

/** The output of a list's last step, in file order, that completed; else null (SPEC §5). */
export function lastOutput(m: Machine, list: ListState): Json {
  for (let index = list.plan.steps.length - 1; index >= 0; index--) {
    const row = m.state.steps.get(pathIn(list, list.plan.steps[index] as PlanStep))?.row;
    if (row?.status === 'completed') return row.output ?? null;
  }
  return null;
}

function settleList(m: Machine, list: ListState): void {
  if (list.status !== 'open') return;
  if (!isOver(m, list)) return;
  const { owner } = list;
  if (!owner) {
    if (m.state.undo) return;
    endRun(m, list.error ? 'partial' : 'completed', list.error);
    return;
  }
  let error = list.error;
  let output: Json = null;
  if (!error) {
    output = list.plan.call === 'tool' ? toolOutcome(m, list) : lastOutput(m, list);
    const field = owner.plan.type.container?.collect;
    const template = field === undefined ? undefined : owner.plan.def[field];
    if (list.plan.role === 'body' && field !== undefined && template !== undefined) {
      const collected = attempt(owner.row.path, () =>
        resolve(template as Json, scopeOf(m, list), { step: owner.plan.id, field }),
      );
      if ('error' in collected) error = collected.error;
      else output = collected.ok;
    }
  }
  if (error) cancelList(m, list, 'a step beside it failed');
  const { role, name } = list.plan;
  if (role === 'compensate') {
    compensationDone(m, owner, list, error);
    return;
  }
  if (role === 'revise') {
    revised(m, owner, list, output, error);
    return;
  }
  if (role === 'verify') {
    verifyDone(m, owner, list, error);
    return;
  }
  emit(m, 'list.settled', owner.row.path, {
    name,
    index: list.index,
    status: error ? 'failed' : 'completed',
    output: error ? undefined : output,
    error,
  });
  if (role === 'fallback') {
    if (error) finalFailure(m, owner, { ...error, cause: owner.failedWith }, 'fallback');
    else complete(m, owner, output, { degraded: true });
    return;
  }
  releasePlace(m, owner, list);
  m.agenda.push(...parkedTasks(m, owner), { kind: 'next', owner });
}

/** Asks a container what comes next, and does it. */
export function nextMove(m: Machine, owner: StepState): void {
  const type = owner.plan.type.container;
  if (!type || !isOpen(owner) || m.state.failing) return;
  const open = [...owner.lists.values()].filter((list) => list.status === 'open' && list.plan.role === 'body').length;
  const move = attempt(owner.row.path, () =>
    type.next({
      workflow: m.plan.workflow,
      step: owner.plan.def,
      path: owner.row.path,
      fields: owner.fields ?? {},
      condition: (field) =>
        evaluateCondition(owner.plan.def[field] as string, scopeOf(m, owner.list), { step: owner.plan.id, field }),
      has: (name) => owner.lists.has(name),
      opened: owner.opened,
      settled: owner.opened - open,
      outcomes: owner.outcomes,
      failed: owner.firstFailed,
      busy: m.places.get(owner)?.size ?? 0,
    }),
  );
  if ('error' in move) {
    failContainer(m, owner, move.error);
    return;
  }
  for (const name of move.ok.skip ?? []) skipList(m, owner, name);
  if (move.ok.done && 'error' in move.ok.done) {
    failContainer(m, owner, move.ok.done.error);
    return;
  }
  if (move.ok.done) {
    const { output } = move.ok.done;
    const problem = outputProblem(m, owner.plan, output);
    if (problem) unfit(m, owner, { ...problem.info, step: owner.row.path });
    else complete(m, owner, output);
    return;
  }
  if (m.state.paused) return;
  for (const { name, index, input } of move.ok.start ?? []) {
    emit(m, 'list.opened', owner.row.path, { name, index, input });
    const list = owner.lists.get(index === undefined ? name : `${name}[${index}]`) as ListState;
    const places = m.places.get(owner) ?? new Set();
    m.places.set(owner, places.add(list));
    enterList(m, list);
  }
}

/** What a step that holds others gives does not fit. Where all in it is done and stays, a further attempt would give the same again. */
function unfit(m: Machine, owner: StepState, error: ErrorInfo): void {
  if (unfinished(owner).length > 0) {
    failContainer(m, owner, error);
    return;
  }
  if (owner.plan.counted) emit(m, 'step.attempt', owner.row.path, { attempt: owner.row.attempt, error });
  finalFailure(m, owner, error);
}

/** A step that holds others has failed: what is open in it is given up, and it is tried again where that is written on it. */
export function failContainer(
  m: Machine,
  owner: StepState,
  error: ErrorInfo,
  reason = 'the step around it failed',
): void {
  for (const list of owner.lists.values()) if (list.status === 'open') cancelList(m, list, reason);
  dropPlaces(m, owner);
  apartFailed(m, owner, error);
}

/** A branch that does not run: its steps are skipped, those inside them too. */
export function skipList(m: Machine, owner: StepState, name: string): void {
  emit(m, 'list.skipped', owner.row.path, { name });
  const list = owner.lists.get(name) as ListState;
  for (const plan of list.plan.steps) {
    const path = pathIn(list, plan);
    emit(m, 'step.skipped', path, { kind: 'branch', reason: 'its branch was not taken' });
    const step = m.state.steps.get(path) as StepState;
    for (const inner of plan.lists) if (inner.kind === 'once' && inner.role === 'body') skipList(m, step, inner.name);
  }
}

/** Ends a step well. */
export function complete(m: Machine, step: StepState, output: Json, more: Record<string, unknown> = {}): void {
  dropCalls(m, step);
  dropPlaces(m, step);
  emit(m, 'step.completed', step.row.path, { output, ...more });
  afterStep(m, step.row.path);
}

/** A step that was held up goes on in its turn: when its loop has a place for it, and not before a pause is over. */
export function goOn(m: Machine, step: StepState): void {
  m.agenda.push({ kind: 'consider', list: step.list, step: step.plan });
}

/** An agent that ends otherwise than by its own calls, or is stood in for: the one that is open is given up. */
export function dropCalls(m: Machine, agent: StepState): void {
  for (const list of agent.lists.values())
    if (list.status === 'open' && list.plan.call) cancelList(m, list, 'the agent around it has ended');
}

/**
 * Stops everything in a list: work in flight is aborted, what waits or has not begun is cancelled.
 * @param by who cancelled the run, where somebody did
 */
export function cancelList(m: Machine, list: ListState, reason: string, by?: string): void {
  for (const plan of list.plan.steps) {
    const path = pathIn(list, plan);
    const step = m.state.steps.get(path);
    if (isFinal(step)) continue;
    for (const inner of step?.lists.values() ?? []) if (inner.status === 'open') cancelList(m, inner, reason, by);
    if (step) dropPlaces(m, step);
    if (step?.approval?.status === 'pending') emit(m, 'approval.closed', path, { status: 'cancelled', by });
    const inFlight = step?.inFlight === true;
    if (inFlight && step) m.effects.push({ type: 'abort', path, attempt: step.row.attempt, reason });
    const asked = step?.unknown !== undefined || step?.row.wait?.kind === 'recovery';
    emit(m, 'step.cancelled', path, {
      reason,
      // Also while it was being looked at, or was to be: nobody knows yet.
      unknown: (inFlight && step?.row.effect === 'once') || asked || undefined,
    });
  }
}

export { positionOf };
