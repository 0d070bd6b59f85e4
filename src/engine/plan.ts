import { durationMs } from '../model/duration.ts';
import type { EffectClass } from '../model/effect.ts';
import { TabloomError } from '../model/errors.ts';
import type { Condition, RetryDefinition, StepDefinition, WorkflowDefinition } from '../model/workflow.ts';
import { compileCalls } from './calls/plan.ts';
import type { StepRegistry, StepType } from './step-type.ts';

/** How a list belongs to its owner. Bodies run as the step's work; the others at their own moments. */
export type ListRole = 'body' | 'fallback' | 'compensate' | 'verify' | 'revise';

/** Names of the lists that any step may have. `@` keeps them apart from a container's own names, such as a branch called `fallback`. */
export const FALLBACK = '@fallback';
export const VERIFY = '@verify';
export const REVISE = '@revise';
export const COMPENSATE = '@compensate';

/** A step list of the definition, compiled. `id` is unique in the plan: '' for the root, else `<owner>:<name>`. */
export interface PlanList {
  id: string;
  name: string;
  role: ListRole;
  kind: 'once' | 'items';
  owner?: PlanStep;
  steps: PlanStep[];
  pointer: string;
  /** What its one step is, where the owner makes such calls as it goes (an agent). */
  call?: 'model' | 'tool';
  /** A step in it, at any depth, can be undone: a rollback must find it, also when its round is long over. */
  undoable?: boolean;
}

export interface PlanEdge {
  from: string;
  when?: Condition;
  output?: string;
  input?: string;
  /** Carries data into the step's input. */
  carries: boolean;
}

export interface RetryPolicy {
  maxAttempts: number;
  backoff: 'exponential' | 'linear' | 'none';
  delayMs: number;
  maxDelayMs: number;
  jitter: boolean;
  on?: string[];
}

export interface PlanStep {
  id: string;
  def: StepDefinition;
  type: StepType;
  list: PlanList;
  deps: PlanEdge[];
  /** Ids of steps of the same list that depend on this one. */
  dependents: string[];
  joinAll: boolean;
  effect: EffectClass;
  timeoutMs?: number;
  retry: RetryPolicy;
  /** It holds other steps or waits, and its attempts count all the same: `retry` or `timeout` is written on it. */
  counted: boolean;
  lists: PlanList[];
  /** Set for a model turn or a tool call of an agent: what the step is below it. */
  call?: 'model' | 'tool';
  /** What an agent may call, by name. These are not among the plan's `steps`: they have no ids in the file. */
  calls?: ReadonlyMap<string, PlanStep>;
  /** Gates whose `covers` names this step. */
  coveredBy: string[];
  pointer: string;
}

/** A revision made ready to run. Pure data over the definition; nothing in it changes during runs. */
export interface Plan {
  workflow: WorkflowDefinition;
  revision: string;
  /** What tells it from other plans of that revision: what it has from the library may be newer. The revision where it has nothing from there. */
  key: string;
  root: PlanList;
  steps: ReadonlyMap<string, PlanStep>;
  lists: ReadonlyMap<string, PlanList>;
  timeoutMs: number;
  onFailure: 'stop' | 'finish' | 'rollback';
}

/** SPEC §4: what steps that work themselves get by default. */
export const WORK_RETRY: RetryPolicy = {
  maxAttempts: 3,
  backoff: 'exponential',
  delayMs: 2000,
  maxDelayMs: 30_000,
  jitter: true,
};
const NO_RETRY: RetryPolicy = { ...WORK_RETRY, maxAttempts: 1 };
const WORK_TIMEOUT_MS = 60_000;
const RUN_TIMEOUT_MS = 300_000;

export function mergeRetry(base: RetryPolicy, ...layers: (RetryDefinition | undefined)[]): RetryPolicy {
  const merged = { ...base };
  for (const layer of layers) {
    if (!layer) continue;
    if (layer.maxAttempts !== undefined) merged.maxAttempts = layer.maxAttempts;
    if (layer.backoff !== undefined) merged.backoff = layer.backoff;
    if (layer.delay !== undefined) merged.delayMs = durationMs(layer.delay);
    if (layer.maxDelay !== undefined) merged.maxDelayMs = durationMs(layer.maxDelay);
    if (layer.jitter !== undefined) merged.jitter = layer.jitter;
    if (layer.on !== undefined) merged.on = layer.on;
  }
  return merged;
}

function policyOf(
  def: StepDefinition,
  type: StepType,
  workflow: WorkflowDefinition,
): { retry: RetryPolicy; timeoutMs?: number } {
  if (!type.works) {
    return {
      retry: def.retry ? mergeRetry(WORK_RETRY, def.retry) : NO_RETRY,
      // A wait's own `timeout` is one of its fields: it may hold a template, and is resolved when the wait begins.
      timeoutMs: def.timeout === undefined || type.wait === 'wait' ? undefined : durationMs(def.timeout),
    };
  }
  const timeout = def.timeout ?? workflow.defaults?.timeout;
  return {
    retry: mergeRetry(WORK_RETRY, workflow.defaults?.retry, def.retry),
    timeoutMs: timeout === undefined ? WORK_TIMEOUT_MS : durationMs(timeout),
  };
}

function isCounted(def: StepDefinition, type: StepType): boolean {
  const apart = (type.container !== undefined && !type.calls) || type.wait !== undefined;
  return apart && (def.retry !== undefined || def.timeout !== undefined);
}

/** Edges of a step as written, or the implicit one to the step above it (SPEC §3). */
export function edgesOf(def: StepDefinition, above: StepDefinition | undefined): PlanEdge[] {
  if (def.dependsOn === undefined) return above ? [{ from: above.id, carries: false }] : [];
  return def.dependsOn.map((entry) =>
    typeof entry === 'string'
      ? { from: entry, carries: false }
      : {
          from: entry.step,
          when: entry.when,
          output: entry.output,
          input: entry.input,
          carries: entry.output !== undefined || entry.input !== undefined,
        },
  );
}

/** All lists inside a step, those of its type and the common ones. */
export function listsOf(
  def: StepDefinition,
  type: StepType,
): { name: string; pointer: string; kind: 'once' | 'items'; role: ListRole; steps: StepDefinition[] }[] {
  const lists: ReturnType<typeof listsOf> = [];
  for (const list of type.lists?.(def) ?? []) lists.push({ ...list, role: list.role ?? 'body' });
  const fallback = def.fallback;
  if (fallback && 'steps' in fallback)
    lists.push({ name: FALLBACK, pointer: '/fallback/steps', kind: 'once', role: 'fallback', steps: fallback.steps });
  if (def.compensate)
    lists.push({ name: COMPENSATE, pointer: '/compensate', kind: 'once', role: 'compensate', steps: def.compensate });
  if (def.verify)
    lists.push({ name: VERIFY, pointer: '/verify/steps', kind: 'items', role: 'verify', steps: def.verify.steps });
  return lists;
}

/**
 * Compiles a definition that preflight has accepted.
 * @throws TabloomError `internal` for an unknown step type, which preflight refuses before.
 */
export function compilePlan(workflow: WorkflowDefinition, revision: string, registry: StepRegistry): Plan {
  const steps = new Map<string, PlanStep>();
  const lists = new Map<string, PlanList>();

  const compileList = (list: PlanList, defs: StepDefinition[]): void => {
    lists.set(list.id, list);
    defs.forEach((def, index) => {
      const general = registry.get(def.type);
      const type = general?.variant?.(def) ?? general;
      if (!type) throw new TabloomError('internal', `Step type ${def.type} is not known.`, { step: def.id });
      const effect = def.effect ?? type.effect(def);
      const step: PlanStep = {
        id: def.id,
        def,
        type,
        list,
        deps: edgesOf(def, defs[index - 1]),
        dependents: [],
        joinAll: def.join === 'all',
        effect,
        ...policyOf(def, type, workflow),
        counted: isCounted(def, type),
        lists: [],
        coveredBy: [],
        pointer: `${list.pointer}/${index}`,
      };
      list.steps.push(step);
      steps.set(step.id, step);
      for (const inner of listsOf(def, type)) {
        const compiled: PlanList = {
          id: `${step.id}:${inner.name}`,
          name: inner.name,
          role: inner.role,
          kind: inner.kind,
          owner: step,
          steps: [],
          pointer: `${step.pointer}${inner.pointer}`,
        };
        step.lists.push(compiled);
        compileList(compiled, inner.steps);
      }
      if (type.calls) compileCalls(step, workflow, registry);
    });
    for (const step of list.steps) {
      for (const edge of step.deps) steps.get(edge.from)?.dependents.push(step.id);
    }
  };

  const root: PlanList = { id: '', name: '', role: 'body', kind: 'once', steps: [], pointer: '/steps' };
  compileList(root, workflow.steps);
  for (const step of steps.values()) {
    const covers = step.type.wait === 'approval' ? (step.def.covers as string[] | undefined) : undefined;
    for (const id of covers ?? []) steps.get(id)?.coveredBy.push(step.id);
  }
  if (workflow.onFailure === 'rollback')
    for (const step of steps.values())
      if (step.def.compensate)
        for (let at: PlanList | undefined = step.list; at; at = at.owner?.list) at.undoable = true;
  return {
    workflow,
    revision,
    key: revision,
    root,
    steps,
    lists,
    timeoutMs: workflow.timeout === undefined ? RUN_TIMEOUT_MS : durationMs(workflow.timeout),
    onFailure: workflow.onFailure ?? 'stop',
  };
}

/** Loops (lists of kind `items`) around a list, outermost first: what the path prefix of its steps is made of. */
export function itemLists(list: PlanList): PlanList[] {
  const chain: PlanList[] = [];
  for (let at: PlanList | undefined = list; at; at = at.owner?.list) if (at.kind === 'items') chain.unshift(at);
  return chain;
}
