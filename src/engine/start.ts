import { hashJson } from '../model/canonical.ts';
import { type Json, type JsonObject, wellFormed } from '../model/json.ts';
import type { PinnedDocument } from '../model/knowledge.ts';
import type { RunRow, RunTabs } from '../model/run.ts';
import type { Problem, Revision } from '../model/workflow.ts';
import type { Store } from '../ports/store.ts';
import type { Entry } from './fold.ts';
import { redactJson, secretError } from './secrets/index.ts';

export interface StartRequest {
  revision: Revision;
  input: JsonObject;
  trigger: JsonObject;
  /** Idempotency key: the same key and input return the same run. */
  key?: string;
  tabs?: RunTabs;
  /** Revisions of the workflows that it may call, by reference. */
  pins?: Record<string, string>;
  /** The run that it goes on from. */
  rerunOf?: RunRow['rerunOf'];
  /** The run and step that call it. */
  parent?: RunRow['parent'];
}

export type StartResult =
  | { ok: true; runId: string; existing: boolean }
  | { ok: false; code: string; message: string; problems?: Problem[] };

/** The input as it may be stored, and its hash; or why the start is refused. Under `secretPolicy: redact` secrets are replaced. */
export function prepareStart(
  request: StartRequest,
): { input: JsonObject; inputHash: string } | { refused: StartResult } {
  const given = wellFormed(request.input) as JsonObject;
  const secret =
    request.revision.definition.secretPolicy === 'redact'
      ? undefined
      : (secretError('The input of the run', given) ?? secretError('What started the run', request.trigger));
  if (secret) return { refused: { ok: false, code: secret.code, message: secret.message } };
  const input = redactJson(given);
  return { input, inputHash: hashJson(input) };
}

/** The run that an idempotency key stands for, or `key_conflict` where it was used with another input. */
export async function existingRun(
  store: Store,
  request: StartRequest,
  inputHash: string,
): Promise<StartResult | undefined> {
  const { key, revision } = request;
  if (key === undefined) return undefined;
  const known = await store.runByStartKey(revision.workflowId, key);
  if (!known) return undefined;
  if (known.inputHash === inputHash) return { ok: true, runId: known.runId, existing: true };
  return { ok: false, code: 'key_conflict', message: `The key ${key} was used with another input.` };
}

/** The first entry of a run's journal. */
export function createdEntry(
  request: StartRequest,
  input: JsonObject,
  inputHash: string,
  at: number,
  documents: readonly PinnedDocument[] = [],
): Entry {
  const { revision, key, trigger, tabs, pins, parent, rerunOf } = request;
  return {
    type: 'run.created',
    at,
    data: wellFormed({
      workflowId: revision.workflowId,
      workflowName: revision.definition.name,
      revision: revision.revision,
      input,
      inputHash,
      trigger: redactJson(trigger),
      startKey: key,
      parent,
      rerunOf,
      documents: documents.length > 0 ? documents : undefined,
      pins: pins && Object.keys(pins).length > 0 ? pins : undefined,
      tabs: tabs && redactJson(tabs as unknown as Json),
    }) as JsonObject,
  };
}
