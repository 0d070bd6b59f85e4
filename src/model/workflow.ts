import type { Duration } from './duration.ts';
import type { Effect, EffectClass } from './effect.ts';
import type { Json, JsonObject } from './json.ts';
import type { TriggerDefinition } from './triggers.ts';

/** A condition: a path or CEL string, or one of the operator forms (SPEC §2). */
export type Condition =
  | string
  | { op: 'equals' | 'not_equals' | 'contains' | 'exists'; input: Json; expected?: Json }
  | { op: 'all_passed' | 'any_failed'; steps: string[] };

/** An entry of `dependsOn` written out. */
export interface EdgeDefinition {
  step: string;
  when?: Condition;
  output?: string;
  input?: string;
}

export interface RetryDefinition {
  maxAttempts?: number;
  backoff?: 'exponential' | 'linear' | 'none';
  delay?: Duration;
  maxDelay?: Duration;
  jitter?: boolean;
  on?: string[];
}

/** Keys that every step may have (SPEC §4); a step type adds its own. */
export interface StepDefinition {
  id: string;
  type: string;
  name?: string;
  dependsOn?: (string | EdgeDefinition)[];
  join?: 'all';
  when?: Condition;
  timeout?: Duration;
  retry?: RetryDefinition;
  onError?: 'fail' | 'skip' | 'continue';
  fallback?: { value: Json } | { steps: StepDefinition[] } | { cached: true };
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  cache?: { ttl: Duration; key?: Json };
  compensate?: StepDefinition[];
  effect?: Effect;
  onInterrupted?: 'retry' | 'ask' | 'fail';
  verify?: { steps: StepDefinition[]; done: Condition };
  [own: string]: unknown;
}

export interface RecipeDefinition {
  system?: string;
  prompt: string;
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  model?: string;
  temperature?: number;
  maxTokens?: number;
}

/** A profile of `agents`: what its steps have in common. */
export interface AgentDefinition {
  instructions: string;
  model?: string;
  /** Tools that its steps may use at most. */
  tools?: string[];
  /** Limits: model turns of one step, and tokens of one turn. */
  maxTurns?: number;
  maxTokens?: number;
}

/** A workflow file after schema validation (SPEC §1). Field for field what the file says; defaults are applied by the plan. */
export interface WorkflowDefinition {
  format: 'tabloom/v1';
  id: string;
  name: string;
  description?: string;
  inputs?: JsonObject;
  sites?: string[];
  context?: string[];
  timeout?: Duration;
  onFailure?: 'stop' | 'finish' | 'rollback';
  budget?: { tokens?: number; usd?: number; onExceeded?: 'ask' | 'fail' };
  secretPolicy?: 'block' | 'redact';
  defaults?: { timeout?: Duration; retry?: RetryDefinition };
  recipes?: Record<string, RecipeDefinition>;
  agents?: Record<string, AgentDefinition>;
  triggers?: TriggerDefinition[];
  steps: StepDefinition[];
  output?: Json;
}

/** One immutable version of a workflow: its definition and the SHA-256 of its canonical JSON. */
export interface Revision {
  workflowId: string;
  /** 64 hex digits. */
  revision: string;
  /** The revision before this one, if any. */
  parent?: string;
  definition: WorkflowDefinition;
  /** The file as it was written, comments included, where there was one. */
  source?: string;
  createdAt: number;
}

/** A problem found before anything runs (SPEC §7). */
export interface Problem {
  code: string;
  severity: 'error' | 'warning';
  message: string;
  /** JSON pointer into the definition. */
  pointer: string;
  step?: string;
  /** Position in the source file, from 1, where there is a file. */
  line?: number;
  column?: number;
}

export type { EffectClass };
