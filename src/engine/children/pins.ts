import type { StepDefinition, WorkflowDefinition } from '../../model/workflow.ts';
import type { Store } from '../../ports/store.ts';
import { type FindEntry, findEntryIn, linkEntries } from '../entries/link.ts';
import { listsOf } from '../plan.ts';
import type { StepRegistry, StepType } from '../step-type.ts';

/** A workflow as another one names it: `id`, or `id@revision` (all of the hash, or enough of its beginning to tell it apart). */
export function parseReference(reference: string): { id: string; revision?: string } {
  const at = reference.indexOf('@');
  return at < 0 ? { id: reference } : { id: reference.slice(0, at), revision: reference.slice(at + 1) };
}

/** A reference to another workflow: its step, and where that is. */
export interface FoundReference {
  reference: string;
  step: StepDefinition;
  pointer: string;
  /** The field of the step that it comes from: an agent names the workflows that it may call in its profile. */
  field: 'workflow' | 'agent' | 'recipe';
}

/** References to other workflows in a definition that preflight has looked at, at any depth, those of its agents too. */
export function referencesIn(definition: WorkflowDefinition, registry: StepRegistry): FoundReference[] {
  const found: FoundReference[] = [];
  const walk = (steps: StepDefinition[], base: string): void => {
    steps.forEach((step, index) => {
      const type = registry.get(step.type) as StepType;
      const pointer = `${base}/${index}`;
      if (type.child) found.push({ reference: String(step.workflow), step, pointer, field: 'workflow' });
      for (const { def } of type.calls?.(step, definition) ?? [])
        if (registry.get(def.type)?.child)
          found.push({ reference: String(def.workflow), step, pointer, field: 'agent' });
      for (const list of listsOf(step, type)) walk(list.steps, pointer + list.pointer);
    });
  };
  walk(definition.steps, '/steps');
  return found;
}

/** A called workflow as it is stored. */
export interface Callable {
  revision: string;
  definition: WorkflowDefinition;
  /** Switched on, and no draft. */
  enabled: boolean;
}

/** Finds what a reference names, or undefined. */
export type FindWorkflow = (reference: string) => Promise<Callable | undefined> | Callable | undefined;

/** Looks references up in the store. */
export function findIn(store: Pick<Store, 'workflow' | 'revision' | 'revisions'>): FindWorkflow {
  return async (reference) => {
    const { id, revision: wanted } = parseReference(reference);
    const row = await store.workflow(id);
    if (!row) return undefined;
    let revision = wanted === undefined ? await store.revision(row.revision) : undefined;
    if (wanted !== undefined) {
      const fitting = (await store.revisions(id)).filter((one) => one.revision.startsWith(wanted));
      revision = fitting.length === 1 ? fitting[0] : fitting.find((one) => one.revision === wanted);
    }
    if (!revision) return undefined;
    return { revision: revision.revision, definition: revision.definition, enabled: row.enabled && !row.draft };
  };
}

/** Why a workflow cannot be called. */
export interface CallRefusal {
  code: 'workflow_missing' | 'workflow_disabled' | 'workflow_cycle' | 'recipe_missing' | 'agent_missing';
  message: string;
}

/** With the reference in the outermost definition that leads to it. */
export type CallProblem = CallRefusal & FoundReference;

/**
 * Follows all references from a definition, at any depth. A run keeps the revisions that are found here for as long as it lives.
 * @param entries finds what it names in the library; without it the definitions have all that they name in themselves
 * @param visit told of each workflow that is called, once for each reference in the outermost definition
 */
export async function followReferences(
  definition: WorkflowDefinition,
  registry: StepRegistry,
  find: FindWorkflow,
  visit: (callable: Callable, at: FoundReference) => void = () => {},
  entries?: FindEntry,
): Promise<{ pins: Record<string, string>; problems: CallProblem[] }> {
  const pins: Record<string, string> = {};
  const problems: CallProblem[] = [];
  const walk = async (
    bare: WorkflowDefinition,
    above: readonly string[],
    from: FoundReference | undefined,
    seen: Set<string>,
  ): Promise<void> => {
    let inside = bare;
    if (entries) {
      const linked = await linkEntries(bare, registry, entries);
      inside = linked.definition;
      Object.assign(pins, linked.pins);
      for (const { kind, id, step, pointer } of linked.missing)
        problems.push({
          ...(from ?? { reference: id, step, pointer, field: kind }),
          code: `${kind}_missing`,
          message: `Put the ${kind} "${id}" into the library: ${bare.name} names it.`,
        });
    }
    for (const one of referencesIn(inside, registry)) {
      const { reference } = one;
      const at = from ?? one;
      const { id } = parseReference(reference);
      const problem = (code: CallProblem['code'], message: string) => void problems.push({ ...at, code, message });
      if (above.includes(id)) {
        problem('workflow_cycle', `Call another workflow: ${[...above, id].join(' calls ')}, which would never end.`);
        continue;
      }
      const known = from ? seen : new Set<string>();
      if (known.has(reference)) continue;
      known.add(reference);
      const found = await find(reference);
      if (!found) {
        problem('workflow_missing', `Import ${reference} first: there is no such workflow.`);
        continue;
      }
      if (!found.enabled) {
        problem('workflow_disabled', `Switch on ${found.definition.name} first: ${inside.name} calls it.`);
        continue;
      }
      pins[reference] = found.revision;
      visit(found, at);
      await walk(found.definition, [...above, id], at, known);
    }
  };
  await walk(definition, [definition.id], undefined, new Set());
  return { pins, problems };
}

/** The revisions that a run of a definition would keep now, from what is stored: of workflows that it calls, and of recipes and agents. */
export function pinNow(
  definition: WorkflowDefinition,
  registry: StepRegistry,
  store: Pick<Store, 'workflow' | 'revision' | 'revisions' | 'entry' | 'entryRevision'>,
): Promise<{ pins: Record<string, string>; problems: CallProblem[] }> {
  return followReferences(definition, registry, findIn(store), undefined, findEntryIn(store));
}
