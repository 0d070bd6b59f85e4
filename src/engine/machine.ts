import { canonicalJson } from '../model/canonical.ts';
import { type ErrorInfo, toErrorInfo } from '../model/errors.ts';
import { type Json, type JsonObject, wellFormed } from '../model/json.ts';
import type { KnowledgeWrite } from '../model/knowledge.ts';
import type { OutboxRow } from '../model/outbox.ts';
import { NO_STANDING, type RuleUse, type Standing, type StandingRule } from '../model/rules.ts';
import type { ApprovalRow, ArtifactRow, BlobRef, CacheRow, CoveredAct } from '../model/run.ts';
import type { SecretUse } from '../ports/pages.ts';
import type { OuterBudget, Spending } from './budget.ts';
import { applyEntry, type Entry } from './fold.ts';
import type { Plan, PlanStep } from './plan.ts';
import { type Position, scopeAt } from './scope.ts';
import { isKnownClean, redactJson } from './secrets/index.ts';
import type { ListState, RunState, StepState } from './state.ts';
import type { Around, KnownTool } from './step-type.ts';

/** Work to be started or stopped once the entries that say so are on disk. */
export type Effect =
  | {
      type: 'attempt';
      path: string;
      attempt: number;
      step: PlanStep;
      fields: JsonObject;
      secrets: SecretUse[];
      covered?: CoveredAct;
      key: string;
      timeoutMs: number;
      previous?: { error?: ErrorInfo; meta?: Json };
      /** Where an equal earlier result may be found, to be used instead. */
      cacheKey?: string;
      earlier: readonly ErrorInfo[];
      around?: Around;
    }
  /** To find the last result, however old, for `fallback: {cached: true}`. */
  | { type: 'cached'; path: string; key: string }
  | { type: 'abort'; path: string; attempt: number; reason: string }
  /** More to decide: the transition was cut so that one commit stays bounded. */
  | { type: 'continue' }
  | { type: 'ended' };

export type Task =
  | { kind: 'consider'; list: ListState; step: PlanStep }
  | { kind: 'next'; owner: StepState }
  | { kind: 'settled'; list: ListState };

/**
 * One run in work: its folded state, and what one transition has gathered so far. The machine owns the state and changes it in place;
 * nothing outside may keep a reference to its parts over a transition.
 */
export interface Machine {
  /** Of the state: another one after a retry under a newer revision. */
  readonly plan: Plan;
  readonly state: RunState;
  /** Time of the input that is being decided, epoch milliseconds. */
  at: number;
  random: () => number;
  /** USD per million tokens of a model, where known; asked before a call of a run that has a budget. What came of it is in the journal. */
  price: (model: string | undefined) => { input: number; output: number } | undefined;
  /** Budgets of the runs around this one, and what is spent of each; asked like `price`. */
  above: () => OuterBudget[];
  /** What runs called from this one have spent or promised beyond what this one has heard of. */
  inside: () => Required<Spending>;
  /** An MCP tool as far as it is known; asked before a call. What came of it is in the journal. */
  tool: KnownTool;
  entries: Entry[];
  effects: Effect[];
  touched: Set<StepState>;
  /** Paths of steps that are no longer known, and whose rows go. */
  dropped: string[];
  approvals: Map<string, ApprovalRow>;
  artifacts: { row: ArtifactRow; bytes: Uint8Array }[];
  cache: CacheRow[];
  outbox: OutboxRow[];
  knowledge: KnowledgeWrite[];
  /** What decides in the person's name as of this transition; an input, like the time. */
  standing: Standing;
  /** Standing rules that were given, and decisions that such rules took. */
  rules: StandingRule[];
  ruleUses: RuleUse[];
  agenda: Task[];
  /** Loops with `concurrency`: which items hold a place. Not journaled: recovery deals places out anew. */
  places: Map<StepState, Set<ListState>>;
  /** Steps that wait for a place of a loop. */
  parked: Map<StepState, Task[]>;
  /** Canonical JSON of values that this transition has spelled out; they are not changed. */
  texts: Map<object, string>;
  /** What was found out about values of the state when they were stored: the blob that holds them, or none. */
  sizes: WeakMap<object, { ref: BlobRef | undefined }>;
}

export function createMachine(state: RunState): Machine {
  return {
    get plan() {
      return state.plan;
    },
    state,
    at: state.lastAt,
    random: () => 0,
    price: () => undefined,
    above: () => [],
    inside: () => ({ tokens: 0, usd: 0 }),
    tool: () => undefined,
    entries: [],
    effects: [],
    touched: new Set(),
    dropped: [],
    approvals: new Map(),
    artifacts: [],
    cache: [],
    outbox: [],
    knowledge: [],
    standing: NO_STANDING,
    rules: [],
    ruleUses: [],
    agenda: [],
    places: new Map(),
    parked: new Map(),
    texts: new Map(),
    sizes: new WeakMap(),
  };
}

/** Journals something that happened and folds it into the state. What still looks like a secret is taken out, under either policy. */
export function emit(m: Machine, type: string, path: string | undefined, data: Record<string, unknown> = {}): void {
  const clean: JsonObject = {};
  for (const [key, value] of Object.entries(data)) {
    if (value === undefined) continue;
    clean[key] = isKnownClean(value) ? (value as Json) : redactJson(wellFormed(value));
  }
  const entry: Entry = { type, at: m.at, data: clean };
  if (path !== undefined) entry.path = path;
  applyEntry(m.state, entry, (step) => m.touched.add(step));
  m.entries.push(entry);
  if (path !== undefined && type.startsWith('approval.')) {
    const approval = m.state.steps.get(path)?.approval;
    if (approval) m.approvals.set(approval.approvalId, approval);
  }
}

/** Canonical JSON of a value that is not changed until this transition is written: it is spelled out once. @throws as `canonicalJson` */
export function textOf(m: Pick<Machine, 'texts'>, value: Json): string {
  if (typeof value !== 'object' || value === null) return canonicalJson(value);
  let text = m.texts.get(value);
  if (text === undefined) {
    text = canonicalJson(value);
    m.texts.set(value, text);
  }
  return text;
}

export function positionOf(list: ListState): Position {
  return { frame: list.frame, list };
}

export function scopeOf(m: Machine, list: ListState) {
  return scopeAt(m.state, positionOf(list));
}

export function pathIn(list: ListState, step: PlanStep): string {
  return list.prefix + step.id;
}

/** Runs `work`; what it throws becomes an error of that step. */
export function attempt<T>(path: string, work: () => T): { ok: T } | { error: ErrorInfo } {
  try {
    return { ok: work() };
  } catch (error) {
    const info = toErrorInfo(error);
    return { error: { ...info, step: info.step ?? path } };
  }
}

/** Canonical JSON of a value may have at most this many characters (SPEC §6, *Limits*: 1 MiB). */
export const MAX_VALUE = 1_048_576;
