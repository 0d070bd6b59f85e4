import type { Command, CommandResult } from '../model/commands.ts';
import type { JournalEvent } from '../model/events.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { ApprovalRow, ArtifactRow, RunRow, StepRunRow } from '../model/run.ts';
import type { Problem } from '../model/workflow.ts';
import type { ImportPreview } from '../view/import-preview.ts';
import type { OutlineStep } from '../view/outline.ts';
import type { Consent } from './consent.ts';

/**
 * Messages between extension pages (popup, side panel, app) and the background. Each request has one answer. The background checks the
 * sender: only the extension's own pages may ask; a content script can only answer what it is asked.
 */
export interface Requests {
  /** Everything the popup and side panel show at once. */
  'state.get': { in: { tabId?: number }; out: SurfaceState };
  'run.get': { in: { runId: string }; out: RunDetail | null };
  'run.start': {
    in: { workflowId: string; input: JsonObject; tabId?: number; key?: string };
    out: { runId: string } | { refused: Refusal };
  };
  'command.send': { in: { commandId: string; command: Command; surface: string }; out: CommandResult };
  'engine.stopAll': { in: { lift: boolean }; out: { stopped: boolean } };
  /** Without `enable` a new revision arrives switched off, also of a workflow that was on. */
  'workflow.import': {
    in: { source: string; enable?: boolean };
    out: { workflowId: string; revision: string; enabled: boolean; problems: Problem[] } | { refused: Refusal };
  };
  /** Reads a file and keeps nothing: its problems, and what it wants; `wants` is null for what is no workflow. */
  'workflow.check': { in: { source: string }; out: { wants: ImportPreview | null; problems: Problem[] } };
  'workflow.enable': { in: { workflowId: string; enabled: boolean }; out: { enabled: boolean } | { refused: Refusal } };
  'workflow.remove': { in: { workflowId: string }; out: { removed: boolean } };
  'workflow.get': {
    in: { workflowId: string };
    out: { source: string; revision: string; inputs: JsonObject; sites: string[]; problems: Problem[] } | null;
  };
  /** Origins that a workflow wants and has not; the page itself calls `permissions.request` from a click. */
  'grants.missing': { in: { sites: string[] }; out: { origins: string[] } };
  'grants.list': { in: Record<string, never>; out: { origins: string[] } };
  'models.get': { in: Record<string, never>; out: ModelSettings };
  /** `apiKey` is the key of `account`, or else of the default model's account; empty text removes it. */
  'models.set': { in: { settings: ModelSettings; apiKey?: string; account?: string }; out: { saved: boolean } };
  'models.test': { in: { name?: string }; out: { ok: boolean; message: string } };
  /** Model accounts outside this machine, and which may be sent what is read from pages; with a workflow only those that it uses. */
  'consent.get': { in: { workflowId?: string }; out: { consents: Consent[] } };
  'consent.set': { in: { account: string; given: boolean }; out: { consents: Consent[] } };
  'secrets.list': { in: Record<string, never>; out: { names: string[] } };
  'secrets.set': { in: { name: string; value: string | null }; out: { names: string[] } };
  'artifact.get': { in: { artifactId: string }; out: { row: ArtifactRow; base64: string } | null };
  /** A large value by its content hash (`inputRef`, `outputRef`), as canonical JSON text; `run.get` gives those up to 256 KB itself. */
  'blob.get': { in: { hash: string }; out: { text: string } | null };
  'run.events': { in: { runId: string }; out: { events: JournalEvent[] } };
  'draft.get': { in: { key: string }; out: { text: string } };
  /** A comment or form that is being typed survives the popup's death. */
  'draft.set': { in: { key: string; text: string }; out: { saved: boolean } };
  'health.get': {
    in: Record<string, never>;
    out: { version: string; ready: boolean; unfinished: number; life: BackgroundLife };
  };
}

export type RequestName = keyof Requests;
export type RequestMessage<K extends RequestName = RequestName> = { tabloom: 1; name: K; payload: Requests[K]['in'] };
export type ResponseMessage<K extends RequestName = RequestName> =
  | { ok: true; value: Requests[K]['out'] }
  | { ok: false; error: { code: string; message: string } };

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
  what: ('runs' | 'approvals' | 'workflows' | 'settings')[];
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
  lastRunAt?: number;
  updatedAt: number;
  problems: number;
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
  /** Run steps that wait for a person in another way: `recovery`, `permission`, `wait`. */
  waiting: { runId: string; path: string; name: string; kind: string; reason: string; subject?: string }[];
  model: { configured: boolean; label: string };
  now: number;
}

export interface RunDetail {
  run: RunRow;
  steps: StepRunRow[];
  approvals: ApprovalRow[];
  artifacts: ArtifactRow[];
  /** Structure of the run's own revision, for what has not begun and for what is inside what. */
  outline?: OutlineStep[];
}

/** Model settings without keys. Keys go into the vault under `model:<account>`. */
export interface ModelSettings {
  accounts: {
    id: string;
    provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible';
    baseUrl?: string;
    hasKey: boolean;
  }[];
  /** Names that workflows use, to `account:model`. */
  names: Record<string, string>;
  /** Used where a step names no model. */
  default?: string;
  /** USD per million tokens, by model, where the user gave one. */
  prices?: Record<string, { input: number; output: number }>;
}

export const UPDATES_PORT = 'tabloom.updates';
export type { Json };
