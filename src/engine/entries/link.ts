import { type Entries, type EntryKind, type EntryRevision, entriesOf, entryKey } from '../../model/library.ts';
import type { StepDefinition, WorkflowDefinition } from '../../model/workflow.ts';
import type { Store } from '../../ports/store.ts';
import { listsOf } from '../plan.ts';
import type { StepRegistry, StepType } from '../step-type.ts';

/** An entry of the library that a step names, and where. */
export interface NamedEntry {
  kind: EntryKind;
  id: string;
  step: StepDefinition;
  pointer: string;
}

/** Finds an entry as it is now, or as a run has pinned it. */
export type FindEntry = (kind: EntryKind, id: string) => Promise<EntryRevision | undefined>;

/** Looks entries up in the store, at their newest revisions. */
export function findEntryIn(store: Pick<Store, 'entry' | 'entryRevision'>): FindEntry {
  return async (kind, id) => {
    const row = await store.entry(kind, id);
    return row && store.entryRevision(row.revision);
  };
}

/** Recipes and agents that steps name, at any depth, and that the file does not have itself. Each step of each is told. */
export function entriesNamed(definition: WorkflowDefinition, registry: StepRegistry): NamedEntry[] {
  const found: NamedEntry[] = [];
  const walk = (steps: StepDefinition[], base: string): void => {
    steps.forEach((step, index) => {
      const type = registry.get(step.type) as StepType;
      const pointer = `${base}/${index}`;
      const entry = type.entry?.(step);
      const own = entry?.kind === 'recipe' ? definition.recipes : definition.agents;
      if (entry && !Object.hasOwn(own ?? {}, entry.id)) found.push({ ...entry, step, pointer });
      for (const list of listsOf(step, type)) walk(list.steps, pointer + list.pointer);
    });
  };
  walk(definition.steps, '/steps');
  return found;
}

/** A definition with entries under its own, which win. */
export function withEntries(definition: WorkflowDefinition, { recipes, agents }: Entries): WorkflowDefinition {
  const whole = { ...definition };
  if (Object.keys(recipes).length > 0) whole.recipes = { ...recipes, ...definition.recipes };
  if (Object.keys(agents).length > 0) whole.agents = { ...agents, ...definition.agents };
  return whole;
}

/**
 * A definition with the entries in place that it names.
 * @returns `pins`: their revisions, by {@link entryKey}; `missing`: those that are nowhere
 */
export async function linkEntries(
  definition: WorkflowDefinition,
  registry: StepRegistry,
  find: FindEntry,
): Promise<{ definition: WorkflowDefinition; pins: Record<string, string>; missing: NamedEntry[] }> {
  const pins: Record<string, string> = {};
  const missing: NamedEntry[] = [];
  const found = new Map<string, EntryRevision | undefined>();
  for (const one of entriesNamed(definition, registry)) {
    const key = entryKey(one.kind, one.id);
    if (!found.has(key)) found.set(key, await find(one.kind, one.id));
    const entry = found.get(key);
    if (entry) pins[key] = entry.revision;
    else missing.push(one);
  }
  const there = [...found.values()].flatMap((entry) => (entry ? [entry.definition] : []));
  return { definition: withEntries(definition, entriesOf(there)), pins, missing };
}

/** Of the revisions that a run keeps, those of library entries, in order of their names. */
export function entryPins(pins: Readonly<Record<string, string>>): [key: string, revision: string][] {
  return Object.entries(pins)
    .filter(([key]) => key.includes(':'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What a plan is known by: the revision of the workflow, and of what it has from the library. */
export function planKey(revision: string, pins: Readonly<Record<string, string>> = {}): string {
  const entries = entryPins(pins);
  return entries.length === 0 ? revision : `${revision} ${JSON.stringify(entries)}`;
}

/**
 * A definition with the entries in place that a run has pinned.
 * @throws Error when the store has lost one
 */
export async function linkPinned(
  definition: WorkflowDefinition,
  pins: Readonly<Record<string, string>>,
  store: Pick<Store, 'entryRevision'>,
): Promise<WorkflowDefinition> {
  const found = entryPins(pins).map(async ([key, revision]) => {
    const entry = await store.entryRevision(revision);
    if (!entry) throw new Error(`revision ${revision.slice(0, 12)} of ${key} is missing`);
    return entry.definition;
  });
  return withEntries(definition, entriesOf(await Promise.all(found)));
}
