import { readWorkflow } from '../../../src/engine/preflight/index.ts';
import { registry } from '../../../src/steps/index.ts';

/** Types of a workflow's steps by their ids, at any depth. */
export function typesOf(source: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { id, type } = value as { id?: unknown; type?: unknown };
    if (typeof id === 'string' && typeof type === 'string') found.set(id, type);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(readWorkflow(source, 'workflow.yaml', registry).definition?.steps);
  return found;
}
