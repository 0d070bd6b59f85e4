import { secretsNamed } from '../engine/values/secret-names.ts';
import type { WorkflowDefinition } from '../model/workflow.ts';

const found = new WeakMap<WorkflowDefinition, readonly string[]>();

/** Names of all secrets that a workflow uses anywhere, sorted. */
export function secretNames(workflow: WorkflowDefinition): readonly string[] {
  const known = found.get(workflow);
  if (known) return known;
  const names = secretsNamed(workflow.steps);
  found.set(workflow, names);
  return names;
}
