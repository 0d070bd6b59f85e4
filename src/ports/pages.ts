import type { Json, JsonObject } from '../model/json.ts';
import type { RunTabs } from '../model/run.ts';

/** One browser action of a run, to be carried out in one of its tabs. */
export interface PageCall {
  runId: string;
  /** The workflow's name, for people: the run's tabs are grouped under it. */
  workflow?: string;
  path: string;
  attempt: number;
  /** Action name of SPEC §8, for example `click`. */
  action: string;
  arguments: JsonObject;
  /** Values to put over `arguments` at the last moment; they must not be stored, logged or returned. */
  secrets: SecretUse[];
  /** Names of all secrets that the workflow uses anywhere: their values are masked in whatever comes back. */
  secretNames?: readonly string[];
  /** The run's own tab id (`t1`) or undefined for the current one. */
  tab?: string;
  tabs: RunTabs;
  /** Match patterns of the workflow. */
  sites: string[];
  /**
   * For a *once* action: an attempt of the same step has met `tab_lost` before, so that the page is opened again, and filled in again as the
   * run had, before it acts.
   */
  restore?: boolean;
  /** What an approval bound this act to; refused with `approval_mismatch` when the tab's origin is another at the act. */
  approvedOrigin?: string;
  /** An attempt of this step has met `tab_closed` before, and it was asked to try again: the tab is opened again at its last address. */
  reopen?: boolean;
  /** A file that the run keeps, by its id; `undefined` for whatever is no file of this very run. */
  artifact?(artifactId: string): Promise<PageFile | undefined>;
  /** Called while the action only looks and waits, and right before it acts: see `WorkContext`. */
  looking?(): void;
  acting?(): void;
  /** Milliseconds the attempt may take in all. */
  timeoutMs: number;
  signal: AbortSignal;
  /** The attempt before this one was cut off: whatever it has given back has reached nobody. */
  interrupted?: boolean;
  /** Same over all attempts of the step (SPEC §6). */
  idempotencyKey: string;
}

/** A file with its bytes. */
export interface PageFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** A place in the arguments that holds secrets: text parts and names, put together at the act. */
export interface SecretUse {
  /** JSON pointer into the arguments. */
  pointer: string;
  parts: (string | { secret: string })[];
}

export interface PageResult {
  output: Json;
  /** The run's tabs after the action. */
  tabs: RunTabs;
  /** What the step panel shows (which alternative matched, dialogs). */
  meta?: Json;
  /** Bytes that the action produced (a screenshot, a download), to be kept as an artifact: that is the step's output then, with `output` added. */
  artifact?: PageFile;
}

/**
 * The browser's tabs, as far as a run may touch them. Checks `sites`, the user's grant, the scheme and the tab lease at the moment of
 * each act. Throws `TabloomError` with codes of SPEC §12; for a *once* action `acted` says whether it had begun to act. A missing grant
 * is `permission_denied` with `details: {origin}`.
 */
export interface PagePort {
  perform(call: PageCall): Promise<PageResult>;
  /**
   * The run has ended or starts: tabs it may drive. Closes nothing.
   * @param from the run that has called it: a tab that it has passed on is this one's until `release`
   */
  lease(runId: string, tabs: RunTabs, from?: string): void;
  release(runId: string): void;
}
