import type { Json, JsonObject } from './json.ts';

/**
 * What a person, a surface, a client or a test asks of the engine. Appended to the inbox with an id, consumed by the engine in its own
 * transaction (DESIGN, *Commands, not calls*). `by` names who acts; `roles` are that person's at the time.
 */
export type Command =
  | {
      type: 'decide';
      runId: string;
      path: string;
      hash: string;
      decision: 'approved' | 'rejected';
      comment?: string;
      edits?: JsonObject;
      /** With a yes to a gate that allows it: decide so from now on, by a standing rule. */
      always?: boolean;
    }
  | { type: 'edit'; runId: string; path: string; hash: string; edits: JsonObject }
  | { type: 'pause'; runId: string }
  | { type: 'resume'; runId: string }
  | { type: 'cancel'; runId: string; reason?: string }
  | { type: 'wake'; runId: string; path: string }
  | { type: 'signal'; runId: string; name: string; payload?: Json }
  /**
   * The background alone says this: a page that a step waits for is open. `since` is that of the wait, so that no later one is meant; with
   * `problem` the page can never be told, or may not be kept, and the step fails.
   */
  | {
      type: 'pageSeen';
      runId: string;
      path: string;
      since: number;
      url: string;
      title: string;
      problem?: { code: 'input_invalid' | 'secret_detected'; message: string };
    }
  /** `newest`: what is not done yet follows the workflow as it is now. */
  | { type: 'retry'; runId: string; revision?: 'same' | 'newest' }
  /** A new run that uses the outputs again of all that does not depend on the step `from`. Answers with its id: `data: {runId}`. */
  | { type: 'rerun'; runId: string; from: string; revision?: 'same' | 'newest' }
  | { type: 'recover'; runId: string; path: string; decision: 'retry' | 'done' | 'fail'; output?: Json }
  | {
      type: 'review';
      runId: string;
      path: string;
      /** What was read (the wait's `subject`). */
      hash: string;
      decision: 'accept' | 'edit' | 'request_changes' | 'reject';
      comment?: string;
      content?: Json;
    }
  | { type: 'completeTask'; runId: string; path: string; data: JsonObject }
  | { type: 'raiseBudget'; runId: string; tokens?: number; usd?: number };

export interface InboxCommand {
  commandId: string;
  at: number;
  /** Who acts: `person`, `rule:<id>`, `client:<name>`, `cli`. */
  by: string;
  roles: string[];
  /** popup, sidepanel, app, cli, mcp … */
  surface?: string;
  command: Command;
  /** Set once consumed. */
  result?: CommandResult;
}

/** `details` of a refusal: what else is known, such as who decided before and when. */
export type CommandResult = { ok: true; data?: Json } | { ok: false; code: string; message: string; details?: Json };
