import type { ReadWorkflow } from '../engine/preflight/index.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import type { WorkflowDefinition } from '../model/workflow.ts';
import type { WorkflowRow } from '../ports/store.ts';

/**
 * Why a file with errors cannot be kept as a draft either, in one sentence; `undefined` when it can.
 * @param before what is stored under its id
 */
export function draftProblem(
  { definition, problems }: ReadWorkflow,
  before: WorkflowRow | undefined,
): string | undefined {
  if (problems.some(({ code }) => code === 'secret_detected'))
    return 'Take the secret out of the file first: it is kept nowhere, not even in a draft.';
  if (!hasName(definition))
    return 'Give the file an "id" and a "name", and mend what keeps it from being read; only then can it be kept as a draft.';
  if (before && !before.draft)
    return `Correct the errors first: ${before.name} is there without any, and a draft would take its place.`;
  return undefined;
}

/** Whether what was read has what every list of workflows shows. */
export function hasName(definition: WorkflowDefinition | undefined): definition is WorkflowDefinition {
  return (
    definition !== undefined &&
    /^[a-z0-9][a-z0-9-]{0,63}$/.test(String(definition.id)) &&
    typeof definition.name === 'string' &&
    definition.name.trim() !== ''
  );
}

/** What a definition asks of its surroundings, as far as it says so in the right form: a draft may not. */
export function wishesOf({ inputs, sites }: WorkflowDefinition): { inputs: JsonObject; sites: string[] } {
  return {
    inputs: isObject(inputs) ? inputs : {},
    sites: Array.isArray(sites) ? sites.filter((site): site is string => typeof site === 'string') : [],
  };
}
