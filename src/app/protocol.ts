import type { BridgeState } from '../model/bridge-settings.ts';
import type { Command, CommandResult } from '../model/commands.ts';
import type { JournalEvent } from '../model/events.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { KnowledgeDocument, KnowledgeEntry, KnowledgeSource, PassageHit } from '../model/knowledge.ts';
import type { EntryDefinition, EntryKind, EntryRow } from '../model/library.ts';
import type { McpSettings } from '../model/mcp-settings.ts';
import type { ModelConflict } from '../model/merge-models.ts';
import type { ModelSettings } from '../model/model-settings.ts';
import type { OutboxEntry } from '../model/outbox.ts';
import type { ListedRule } from '../model/rules.ts';
import type { ApprovalRow, ArtifactRow, CoveredAct, RunRow, StepRunRow } from '../model/run.ts';
import type { Concurrency, MenuPlace, TriggerType } from '../model/triggers.ts';
import type { Problem } from '../model/workflow.ts';
import type { ToolChange } from '../ports/mcp.ts';
import type { DoctorFacts } from '../view/doctor/facts.ts';
import type { ImportPreview } from '../view/import-preview.ts';
import type { OutlineStep } from '../view/outline.ts';
import type { Consent } from './consent.ts';
import type { ShownEntry } from './entries.ts';
import type { ModelTest } from './model-test.ts';
import type { Spending } from './spending.ts';
import type { StorageFault } from './store-health.ts';
import type { Written } from './writing.ts';

export type { MonthSpending, Spending, Sum } from './spending.ts';

/**
 * Messages between extension pages (popup, side panel, app) and the background. Each request has one answer. The background checks the
 * sender: only the extension's own pages may ask; a content script can only answer what it is asked.
 */
export interface Requests {
  /** Everything the popup and side panel show at once. */
  'state.get': { in: { tabId?: number }; out: SurfaceState };
  'run.get': { in: { runId: string }; out: RunDetail | null };
  /** Answers that models are writing now, for a run and those that it called; paths as in `run.get`. */
  'writing.get': { in: { runId: string }; out: { texts: Written[] } };
  'run.start': {
    in: { workflowId: string; input: JsonObject; tabId?: number; key?: string };
    out: { runId: string } | { refused: Refusal };
  };
  'command.send': { in: { commandId: string; command: Command; surface: string }; out: CommandResult };
  /** One answer to several approvals, each named by its own hash; a result for each, in order. */
  'approvals.decide': {
    in: { decision: 'approved' | 'rejected'; items: BatchItem[]; comment?: string; surface: string };
    out: { results: CommandResult[] };
  };
  /** Standing rules, newest first. */
  'rules.list': { in: Record<string, never>; out: { rules: ListedRule[] } };
  'rules.withdraw': { in: { ruleId: string }; out: { rules: ListedRule[] } };
  /** What runs have told the person, newest first. */
  'outbox.list': { in: Record<string, never>; out: { entries: OutboxEntry[] } };
  'outbox.dismiss': { in: { outboxId: string }; out: { entries: OutboxEntry[] } };
  'engine.stopAll': { in: { lift: boolean }; out: { stopped: boolean } };
  /**
   * Without `enable` a new revision arrives switched off, also of a workflow that was on. With `draft` a file with errors is kept too, as far as
   * it has an id and a name, unless it would replace one without.
   */
  'workflow.import': {
    in: { source: string; enable?: boolean; draft?: boolean };
    out: { workflowId: string; revision: string; enabled: boolean; problems: Problem[] } | { refused: Refusal };
  };
  /** Reads a file and keeps nothing: its problems, and what it wants; `wants` is null for what is no workflow. */
  'workflow.check': { in: { source: string }; out: { wants: ImportPreview | null; problems: Problem[] } };
  'workflow.enable': { in: { workflowId: string; enabled: boolean }; out: { enabled: boolean } | { refused: Refusal } };
  /** Has the workflow look first for what a step of a run was found by, a later alternative of its target; a new revision. */
  'workflow.prefer': {
    in: { runId: string; path: string };
    out: { workflowId: string; revision: string } | { refused: Refusal };
  };
  'workflow.remove': { in: { workflowId: string }; out: { removed: boolean } };
  'workflow.get': {
    in: { workflowId: string };
    out: { source: string; revision: string; inputs: JsonObject; sites: string[]; problems: Problem[] } | null;
  };
  /** Recipes and agents of the library, in order of kind and id. */
  'entries.list': { in: Record<string, never>; out: { entries: EntryRow[] } };
  /** One of them as of a revision, or as it is now. */
  'entry.get': { in: { kind: EntryKind; id: string; revision?: string }; out: ShownEntry | null };
  /** Reads a file and keeps nothing; `definition` is null where it has errors. `exists`: the library has one of that kind and id. */
  'entry.check': {
    in: { source: string };
    out: { definition: EntryDefinition | null; exists: boolean; problems: Problem[] };
  };
  /** `as`: the entry that is being changed, which must not become another one. */
  'entry.save': {
    in: { source: string; as?: { kind: EntryKind; id: string } };
    out: { row: EntryRow; problems: Problem[] } | { refused: Refusal };
  };
  'entry.remove': { in: { kind: EntryKind; id: string }; out: { removed: boolean } };
  /** Runs a file once, saved or not. `goal` and `sites` are for agents. */
  'entry.try': {
    in: { source: string; input: Json; goal?: string; sites?: string[] };
    out: { runId: string } | { refused: Refusal };
  };
  /** The triggers of a workflow, as they are written in its file. */
  'triggers.list': { in: { workflowId: string }; out: { triggers: TriggerRow[] } };
  /** With `origin` (a pattern of the row's `origins`): whether it may start by itself there. */
  'trigger.switch': {
    in: { workflowId: string; triggerId: string; on: boolean; origin?: string };
    out: { triggers: TriggerRow[] } | { refused: Refusal };
  };
  /** The person has read what a trigger had to say. */
  'trigger.dismiss': { in: { workflowId: string; triggerId: string }; out: { triggers: TriggerRow[] } };
  /** What a run form begins with: what the trigger gives for the page in a tab, or gave when it opened the form; without one, the manual trigger. */
  'trigger.form': {
    in: { workflowId: string; triggerId?: string; tabId?: number; form?: string };
    out: { workflowId: string; triggerId?: string; input: JsonObject } | null;
  };
  /** Starts what a trigger offers. `queued`: an earlier run of it goes on, and this one begins after it. */
  'trigger.start': {
    in: { workflowId: string; triggerId?: string; input: JsonObject; tabId?: number; form?: string };
    out: { runId: string } | { queued: true } | { refused: Refusal };
  };
  /** Origins that a workflow wants and has not; the page itself calls `permissions.request` from a click. */
  'grants.missing': { in: { sites: string[] }; out: { origins: string[] } };
  'grants.list': { in: Record<string, never>; out: { origins: string[] } };
  'mcp.get': { in: Record<string, never>; out: McpSettings };
  'mcp.set': { in: McpSettings; out: McpSettings };
  /** Asks a server for its tools; `message` says why there are none. */
  'mcp.test': { in: { name: string }; out: { ok: boolean; tools: string[]; message: string } };
  /** Tools that are not what they were, with before and after. */
  'mcp.changes': { in: Record<string, never>; out: { changes: ToolChange[] } };
  /** Accepts one as it is now, by the hash of what was shown; refused where it has changed again. */
  'mcp.accept': { in: { server: string; tool: string; hash: string }; out: { changes: ToolChange[] } };
  'bridge.get': { in: Record<string, never>; out: BridgeState };
  /** With the code that `tabloom mcp pair` shows; refused with a sentence. */
  'bridge.pair': { in: { code: string; label: string }; out: BridgeState };
  'bridge.rename': { in: { label: string }; out: BridgeState };
  'bridge.unpair': { in: Record<string, never>; out: BridgeState };
  /** What models have cost, by month, newest first, and what they may cost in a month. */
  'spending.get': { in: Record<string, never>; out: Spending };
  /** USD of every month, or null for no limit; a higher limit of this month goes with it. */
  'spending.set': { in: { usd: number | null }; out: Spending };
  /** A higher limit for this month alone: runs that wait for it go on. Refused with `form_invalid` where it is no higher. */
  'spending.raise': { in: { usd: number }; out: CommandResult };
  'models.get': { in: Record<string, never>; out: ModelSettings };
  /**
   * `apiKey` is the key of `account`, or else of the default model's account; empty text removes it. With `base` (what the page had been
   * given) only what the page has changed is saved; what another window has changed too, and differently, is a conflict, and nothing is.
   */
  'models.set': {
    in: { settings: ModelSettings; apiKey?: string; account?: string; base?: ModelSettings };
    out: { saved: boolean; conflicts?: ModelConflict[] };
  };
  'models.test': { in: { name?: string }; out: ModelTest };
  /**
   * Model accounts outside this machine, and which may be sent what is read from pages; with a workflow, or the file of a recipe or agent, only
   * those that it uses.
   */
  'consent.get': { in: { workflowId?: string; entry?: string }; out: { consents: Consent[] } };
  'consent.set': { in: { account: string; given: boolean }; out: { consents: Consent[] } };
  'secrets.list': { in: Record<string, never>; out: { names: string[] } };
  'secrets.set': { in: { name: string; value: string | null }; out: { names: string[] } };
  'artifact.get': { in: { artifactId: string }; out: { row: ArtifactRow; base64: string } | null };
  /** A large value by its content hash (`inputRef`, `outputRef`), as canonical JSON text; `run.get` gives those up to 256 KB itself. */
  'blob.get': { in: { hash: string }; out: { text: string } | null };
  'run.events': { in: { runId: string }; out: { events: JournalEvent[] } };
  'draft.get': { in: { key: string }; out: { text: string } };
  /**
   * A comment or form that is being typed survives the popup's death. With `base` (what was stored when the page last looked) and `writer`
   * (the page) it does not overwrite what another page has written since: it is not saved then, and `theirs` is that text.
   */
  'draft.set': {
    in: { key: string; text: string; base?: string; writer?: string };
    out: { saved: boolean; theirs?: string };
  };
  /** Documents of the knowledge base, by id, without their texts. */
  'knowledge.list': { in: Record<string, never>; out: { documents: KnowledgeEntry[] } };
  /** A document as of a revision, or as it is now, with its revisions, newest first. */
  'knowledge.get': {
    in: { documentId: string; revision?: string };
    out: { document: KnowledgeDocument; revisions: DocumentRevision[] } | null;
  };
  /** Passages that hold a word of the query, best first. */
  'knowledge.search': { in: { query: string; limit: number; collection?: string }; out: { hits: PassageHit[] } };
  /** Ids of what was added, and of what was there already; with `ask`, `held` are those that hold what looks like a secret: not stored. */
  'knowledge.add': {
    in: { documents: DocumentDraft[]; secrets: 'ask' | 'mask' | 'keep' };
    out: { added: string[]; unchanged: string[]; held: { index: number; kinds: string[] }[] };
  };
  'knowledge.remove': { in: { documentId: string }; out: { removed: boolean } };
  /** Makes a revision the newest one; without one, brings back a document that was removed. */
  'knowledge.restore': { in: { documentId: string; revision?: string }; out: { restored: boolean } };
  /** Reads the main text of an open page that the person has given access to, and keeps nothing. */
  'knowledge.page': { in: { tabId: number }; out: { title: string; url: string; markdown: string } };
  /** `dynamicCode`: whether the background could turn text into code, tried there; `storage`: why nothing can be stored now. */
  'health.get': {
    in: Record<string, never>;
    out: {
      version: string;
      ready: boolean;
      unfinished: number;
      dynamicCode: 'blocked' | 'allowed';
      storage: StorageFault | null;
      life: BackgroundLife;
    };
  };
  /** What is known of the background's own health; answers in bounded time, also when it could not start. Nothing in it is secret. */
  'doctor.get': { in: Record<string, never>; out: DoctorFacts };
}

export type RequestName = keyof Requests;
export type RequestMessage<K extends RequestName = RequestName> = { tabloom: 1; name: K; payload: Requests[K]['in'] };
export type ResponseMessage<K extends RequestName = RequestName> =
  | { ok: true; value: Requests[K]['out'] }
  | { ok: false; error: { code: string; message: string } };

/** A document that is to be added. */
export interface DocumentDraft {
  /** Absent: that of an earlier reading of the same source, or a new one made of its name or title. */
  documentId?: string;
  title: string;
  content: string;
  collections: string[];
  source?: KnowledgeSource;
}

/** One revision of a document: what was written, and what it then held. */
export interface DocumentRevision {
  revision: string;
  mode: 'replace' | 'append';
  /** Epoch milliseconds. */
  at: number;
  title: string;
  /** Characters. */
  size: number;
  /** The step that wrote; absent for a person. */
  by?: { runId: string; path: string };
}

/** One approval of a batch, and the id under which its decision is sent. */
export interface BatchItem {
  commandId: string;
  runId: string;
  path: string;
  hash: string;
}

/** One life of the background, which the browser ends and starts again as it likes. Epoch milliseconds. */
export interface BackgroundLife {
  /** When it began; no two lives have begun at the same moment. */
  began: number;
  /** When everything that the life before had left was recovered; absent until then. */
  ready?: number;
}

/** Why a start or an import was turned down: one sentence, and the problems found. */
export interface Refusal {
  code: string;
  message: string;
  problems: Problem[];
}

/** Pushed over the port named `tabloom.updates` after each commit; pages then ask for what they show. */
export type UpdateMessage = {
  type: 'changed';
  runId?: string;
  /** `writing`: a model has written more of an answer that is still on its way; nothing was committed. */
  what: ('runs' | 'approvals' | 'workflows' | 'settings' | 'writing' | 'knowledge')[];
};

export interface WorkflowSummary {
  workflowId: string;
  name: string;
  description?: string;
  enabled: boolean;
  revision: string;
  sites: string[];
  /** JSON Schema of its input, for the run form. */
  inputs: JsonObject;
  /** Its manual trigger gives a part of the input. */
  prefilled?: true;
  lastRunAt?: number;
  updatedAt: number;
  problems: number;
  /** Of a workflow that was kept with errors: the first of them, in words. It cannot be switched on or run. */
  draft?: string;
}

/** A trigger of a workflow, for the list in which it is switched. */
export interface TriggerRow {
  id: string;
  type: TriggerType;
  /** `manual` always is. */
  on: boolean;
  /** What its type has to say of it: cron line and zone, patterns, slot and shortcut, keyword. */
  about?: Record<string, string>;
  places?: MenuPlace[];
  concurrency?: Concurrency;
  /** Of a schedule: its next time, epoch milliseconds. */
  next?: number;
  /** Of a page trigger that may start by itself: where, and whether the person has allowed it there. */
  origins?: { origin: string; on: boolean }[];
  /** Firings that wait. */
  waiting: number;
  off?: { at: number; failures: number };
  note?: { at: number; code: string; message: string };
}

/** What a trigger has to say: it was switched off after failures, or a firing of it led to no run. */
export interface TriggerNoteRow {
  workflowId: string;
  workflowName: string;
  triggerId: string;
  kind: 'off' | 'refused';
  at: number;
  failures?: number;
  code?: string;
  message?: string;
}

export interface SurfaceState {
  stopped: boolean;
  /** Pending, newest first. */
  approvals: ApprovalRow[];
  /** Not finished, newest first, each with what it does now. */
  live: RunRow[];
  /** Finished, newest first, at most 50. */
  history: RunRow[];
  workflows: WorkflowSummary[];
  /** Workflows whose sites match the tab asked for. */
  forTab: string[];
  /** Page triggers that fit the tab asked for; absent for none. */
  offers?: { workflowId: string; triggerId: string }[];
  /** What triggers have to say, newest first; absent for nothing. */
  triggerNotes?: TriggerNoteRow[];
  /** Run steps that wait for a person in another way: `recovery`, `permission`, `wait`. */
  waiting: {
    runId: string;
    path: string;
    name: string;
    kind: string;
    reason: string;
    subject?: string;
    /** Of a review, a task or a budget: what is asked. */
    data?: Json;
    /** Of a `recovery`: what cut the step off (a code), the act that is asked about, and the page that it was to happen on. */
    cause?: string;
    act?: CoveredAct;
    page?: { url: string; title: string };
  }[];
  model: { configured: boolean; label: string };
  now: number;
  /** Why nothing can be stored now; absent while the store works. */
  storage?: StorageFault;
}

export interface RunDetail {
  run: RunRow;
  steps: StepRunRow[];
  approvals: ApprovalRow[];
  artifacts: ArtifactRow[];
  /** Structure of the run's own revision, for what has not begun and for what is inside what. */
  outline?: OutlineStep[];
  /**
   * The newest revision of its workflow, where the run has ended and could go on with it, and has not run under it. It is the run's own
   * where only what it calls is newer.
   */
  newer?: string;
  /** Why the run cannot go on now: nothing can be stored. */
  storage?: StorageFault;
}

export const UPDATES_PORT = 'tabloom.updates';
export type { Json, ModelSettings };
