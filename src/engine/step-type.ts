import type { EffectClass } from '../model/effect.ts';
import type { ErrorInfo } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { KnowledgeWrite, PinnedDocument } from '../model/knowledge.ts';
import type { OutboxRow } from '../model/outbox.ts';
import type { Scope } from '../model/roots.ts';
import type { ArtifactRow, CoveredAct, RunTabs, Usage } from '../model/run.ts';
import type { Problem, RecipeDefinition, StepDefinition, WorkflowDefinition } from '../model/workflow.ts';
import type { z } from '../model/zod.ts';
import type { KnowledgePort } from '../ports/knowledge.ts';
import type { McpPort, McpTool } from '../ports/mcp.ts';
import type { ModelPort, ModelRequest } from '../ports/model.ts';
import type { PagePort, SecretUse } from '../ports/pages.ts';
import type { Store } from '../ports/store.ts';
import type { JsonType } from './preflight/types.ts';

/** A step list inside a step. `name` tells it from its siblings (`then`, `else`, `steps`, a branch's name). */
export interface NestedList {
  name: string;
  /** JSON pointer from the step to the list, for example `/then`. */
  pointer: string;
  steps: StepDefinition[];
  /** `once`: its steps have their own ids as paths. `items`: they sit below `<path>[n]/`. */
  kind: 'once' | 'items';
  /** `revise` for the list that changes what a review sent back; else the step's own work. */
  role?: 'revise';
}

/** What a step's work gets. */
export interface WorkContext {
  runId: string;
  path: string;
  /** The path from the outermost run, for a run that was called: `child/sum`. Absent: as `path`. */
  fullPath?: string;
  attempt: number;
  step: StepDefinition;
  workflow: WorkflowDefinition;
  /** Resolved own fields (those in `templated`), secrets as placeholders. */
  fields: JsonObject;
  secrets: SecretUse[];
  tabs: RunTabs;
  /** For a call of an agent: the agent, and what its calls so far gave. */
  around?: Around;
  /** The approved act, where an approval covers this step. */
  covered?: CoveredAct;
  idempotencyKey: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** The attempt before this one, where there was one: its error, and what its `meta` kept. */
  previous?: { error?: ErrorInfo; meta?: Json };
  /** Says that this attempt only looks and waits so far: if its time runs out now, it is known that it did nothing. */
  looking?(): void;
  /** Says that it acts from now on. Nothing may be awaited between this and the act. */
  acting?(): void;
  /** Errors of all attempts of this step before this one, oldest first. */
  earlier?: readonly ErrorInfo[];
  /** Documents of the knowledge base that the workflow names, as they were when the run started. */
  documents: readonly PinnedDocument[];
  ports: WorkPorts;
  now(): number;
}

/** The agent that a model turn or a tool call belongs to. */
export interface Around {
  step: StepDefinition;
  path: string;
  /** Its resolved fields. */
  fields: JsonObject;
  /** Outcomes of its calls, by index; see `ListOutcome`. */
  outcomes: readonly ListOutcome[];
}

/** What an agent may call: its name in paths, what it is, and the type that runs it where that is not in the registry. */
export interface CallDefinition {
  call: 'model' | 'tool';
  def: StepDefinition;
  type?: StepType;
}

/** A tool of an MCP server, as far as it is known at the moment. */
export type KnownTool = (server: string, tool: string) => McpTool | undefined;

/** What a model call is expected to take at most. */
export interface ModelEstimate {
  /** Tokens of the prompt, guessed from its length. */
  inputTokens: number;
  /** Tokens the reply may have. */
  outputTokens: number;
  /** As the step names it; absent: the default one. */
  model?: string;
}

export interface WorkPorts {
  model: ModelPort;
  pages: PagePort;
  /** Absent where there are no MCP servers at all. */
  mcp?: McpPort;
  knowledge: KnowledgePort;
  /** Kept files, of this run and of others: whoever reads one looks whose it is. */
  artifacts: Pick<Store, 'artifact'>;
}

/** What the engine is given; what it can make from its own store is made there. */
export type OutsidePorts = Pick<WorkPorts, 'model' | 'pages'> & Partial<WorkPorts>;

export interface WorkResult {
  output: Json;
  usage?: Usage;
  tabs?: RunTabs;
  meta?: Json;
  artifacts?: { row: ArtifactRow; bytes: Uint8Array }[];
  /** Not done, but taken from an earlier time; epoch milliseconds. Set by the engine. */
  cachedAt?: number;
  /** What that had cost then. Set by the engine. */
  saved?: Usage;
}

/** What a computing step gets: no signal, no ports, no time but the one it began at. */
export interface ComputeContext {
  runId: string;
  path: string;
  step: StepDefinition;
  workflow: WorkflowDefinition;
  scope: Scope;
  at: number;
}

export interface ComputeResult {
  output: Json;
  artifacts?: { row: ArtifactRow; bytes: Uint8Array }[];
  /** What is told to people once this is stored. */
  outbox?: OutboxRow[];
  /** Writes to the knowledge base. */
  knowledge?: KnowledgeWrite[];
  /** The step counts as skipped instead (an optional artifact without content). */
  skipped?: string;
}

/** How one nested list ended. */
export interface ListOutcome {
  /** Name of the list, and the item's index for lists of kind `items`. */
  name: string;
  index?: number;
  status: 'completed' | 'failed';
  /** Output of its last step, in file order, that completed (or the collected value); else null. */
  output: Json;
  error?: ErrorInfo;
}

/** What a container step does next. */
export interface ContainerMove {
  /** Lists to open; `input` goes to the call in a list of an agent. */
  start?: { name: string; index?: number; input?: JsonObject }[];
  /** Lists that do not run: their steps are skipped. */
  skip?: string[];
  /** Ends the step; lists still open are cancelled. */
  done?: { output: Json } | { error: ErrorInfo };
}

export interface ContainerContext {
  workflow: WorkflowDefinition;
  step: StepDefinition;
  path: string;
  /** Resolved fields. */
  fields: JsonObject;
  /** Truth of a condition field. @throws TabloomError */
  condition(field: string): boolean;
  /** Whether a list of that name was opened. For lists of kind `once`. */
  has(name: string): boolean;
  /** How many lists were opened so far. */
  opened: number;
  /** How many lists have settled, and how: by index for items, in order of settling else. */
  settled: number;
  outcomes: readonly ListOutcome[];
  /** The first list that failed. */
  failed?: ListOutcome;
  /** Lists that hold a place now: open ones, without those that only wait for people, timers or signals. */
  busy: number;
}

/** A step that holds lists of steps. Pure: what happened goes in, what to do comes out. */
export interface ContainerType {
  /**
   * Asked when the step begins, when one of its lists settles, and when a place becomes free.
   * @throws TabloomError which fails the step
   */
  next(context: ContainerContext): ContainerMove;
  /** For lists of kind `items`: the item at an index. */
  item?(fields: JsonObject, index: number): Json | undefined;
  /** Field (among `late`) that is resolved inside a completed list's scope and replaces its output. */
  collect?: string;
  /** Whether an item that only waits gives up its place (SPEC §5). */
  yields?(fields: JsonObject): boolean;
  /** Whether a list that failed is settled for good, not a failure of the step: it is then forgotten like any that completed. */
  tolerates?(step: StepDefinition): boolean;
  /** It is asked about the newest outcome alone, and there may be any number: older ones are not kept in memory. */
  newestOnly?: true;
  /** Only one of its lists is taken; the others are skipped. */
  exclusive?: true;
  /** How many lists may hold a place at once. */
  places?(fields: JsonObject): number;
}

/** Helpers preflight gives to a step type's own checks. */
export interface CheckContext {
  workflow: WorkflowDefinition;
  /** Makes an error; `pointer` is relative to the step. */
  error(code: string, pointer: string, message: string): Problem;
  recipe(id: string): RecipeDefinition | undefined;
  /** Whether this version has a step type of that name. */
  knows(type: string): boolean;
}

/**
 * A step type: its schema, its effect class, and how it runs. One file and one line in the registry for each.
 * - `compute`: pure, or only the engine's database; runs inside the transition, commits with it.
 * - `run`: outside work, with an intent before and a result after it.
 * - `container`: holds lists.
 * - `child`: calls another workflow; its logic is in the engine.
 * - `wait`: the engine's own waits (`approval`, `wait`); their logic is in the engine, since they are its heart.
 */
export interface StepType {
  type: string;
  title: string;
  /** One sentence for docs and the editor. */
  summary: string;
  /** Own keys beside the common ones. */
  keys: z.ZodRawShape;
  effect(step: StepDefinition): EffectClass;
  /** The effect as the outside says it at the moment, where that is known; asked before each attempt, and journaled with its intent. */
  effectNow?(step: StepDefinition, known: KnownTool): EffectClass | undefined;
  /** Own fields in which templates are resolved before it begins. */
  templated: readonly string[];
  /** Of those, the ones in which `secret.<name>` may be used. */
  secretFields?: readonly string[];
  /** Own fields that hold a condition. */
  conditions?: readonly string[];
  /** Own fields with templates that are resolved later, inside the step's own scope (a loop's `collect`). */
  late?: readonly string[];
  /** The field that edges and `{from: …}` sources feed, where there is one. */
  inputField?: 'input' | 'arguments';
  /**
   * The engine resolves `inputField` first and offers it as root `input` while it resolves the other templated fields (a recipe's own
   * texts, SPEC §2). Where the step has no input, the root is not there.
   */
  inputRoot?: boolean;
  lists?(step: StepDefinition): NestedList[];
  /**
   * For a container that makes up its steps as it goes: each one that it may make. One is a list of its own, opened by name with an index
   * and an input; `<path>[n]/<id>` is its path.
   */
  calls?(step: StepDefinition, workflow: WorkflowDefinition): CallDefinition[];
  /** JSON Schema of its output, where that follows from the type and the file. For warnings only. */
  output?(step: StepDefinition, workflow: WorkflowDefinition): JsonObject | undefined;
  /** JSON types that a member of `inputField` may have; `undefined` where that is open. For warnings only. */
  takes?(step: StepDefinition, workflow: WorkflowDefinition): (name: string) => ReadonlySet<JsonType> | undefined;
  /** The type as it is for one step, where some of its steps are carried out otherwise than all others. */
  variant?(step: StepDefinition): StepType | undefined;
  check?(step: StepDefinition, context: CheckContext): Problem[];
  /** Inputs that a template root `input` sees, and texts resolved by the step itself (a recipe's prompt). */
  compute?(fields: JsonObject, context: ComputeContext): ComputeResult;
  run?(context: WorkContext): Promise<WorkResult>;
  /** For a type that calls a model: its name as written, with templates; `undefined` for the default one. */
  model?(step: StepDefinition, workflow: WorkflowDefinition): string | undefined;
  /** For work that calls a model: what one attempt may cost, for the check against the run's budget before it (SPEC §6, *Budget*). */
  estimate?(work: Pick<WorkContext, 'path' | 'step' | 'workflow' | 'fields' | 'around' | 'documents'>): ModelEstimate;
  container?: ContainerType;
  wait?: 'approval' | 'wait' | 'review' | 'task';
  /** Its work is a run of another workflow (src/engine/children). */
  child?: true;
  /** The run's tabs after a *once* act of which is known that it happened, but not what came of it. */
  unseen?(fields: JsonObject, tabs: RunTabs): RunTabs;
  /** True for types that get the default timeout and retry (SPEC §4). */
  works: boolean;
}

/** Looks step types up by name. */
export type StepRegistry = ReadonlyMap<string, StepType>;

export type { ModelRequest };
