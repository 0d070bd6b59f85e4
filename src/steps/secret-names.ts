import { readTemplate } from '../engine/values/template-text.ts';
import type { WorkflowDefinition } from '../model/workflow.ts';

const found = new WeakMap<WorkflowDefinition, readonly string[]>();

/** Names of all secrets that a workflow uses anywhere, sorted. */
export function secretNames(workflow: WorkflowDefinition): readonly string[] {
  const known = found.get(workflow);
  if (known) return known;
  const names = new Set<string>();
  collect(workflow.steps, names);
  const sorted = [...names].sort();
  found.set(workflow, sorted);
  return sorted;
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') {
    if (value.includes('{{') && value.includes('secret')) for (const name of namesIn(value)) names.add(name);
  } else if (value !== null && typeof value === 'object') {
    for (const inner of Object.values(value)) collect(inner, names);
  }
}

function namesIn(text: string): string[] {
  try {
    return readTemplate(text).flatMap((part) => {
      if (typeof part === 'string' || part.kind !== 'path' || part.path.root !== 'secret') return [];
      const [name] = part.path.segments;
      return typeof name === 'string' ? [name] : [];
    });
  } catch {
    // No template, so nothing can be filled in there.
    return [];
  }
}
