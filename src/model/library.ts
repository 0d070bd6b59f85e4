import type { Json, JsonObject } from './json.ts';
import type { AgentDefinition, RecipeDefinition } from './workflow.ts';

/** What the library holds beside workflows (SPEC §1): what a step names by `recipe: <id>` or `agent: <id>`. */
export type EntryKind = 'recipe' | 'agent';

/** A sample of what is put in, and of what should come of it; both fit the entry's schemas. */
export interface EntryExample {
  name: string;
  input: Json;
  output?: Json;
}

/** What an entry's file says beside the recipe or the profile itself. */
export interface EntryHead {
  format: 'tabloom/v1';
  name: string;
  description?: string;
  examples?: EntryExample[];
}

/** A library file: `recipe: <id>`, or `agent: <id>`, with the keys that it would have in a workflow file. */
export type EntryDefinition =
  | (EntryHead & { recipe: string } & RecipeDefinition)
  | (EntryHead & { agent: string } & AgentDefinition);

/** A stored entry: the pointer to its newest revision. */
export interface EntryRow {
  kind: EntryKind;
  id: string;
  name: string;
  description?: string;
  revision: string;
  createdAt: number;
  updatedAt: number;
}

/** One immutable version of an entry: its definition and the SHA-256 of its canonical JSON. */
export interface EntryRevision {
  kind: EntryKind;
  id: string;
  /** 64 hex digits. */
  revision: string;
  /** The revision before this one, if any. */
  parent?: string;
  definition: EntryDefinition;
  /** The file as it was written, comments included. */
  source: string;
  createdAt: number;
}

/** Recipes and profiles by their ids, as a workflow file would have them. */
export interface Entries {
  recipes: Record<string, RecipeDefinition>;
  agents: Record<string, AgentDefinition>;
}

/** Name of an entry among the revisions that a run keeps; no workflow's id has a colon. */
export function entryKey(kind: EntryKind, id: string): string {
  return `${kind}:${id}`;
}

/** The kind and id that a definition names. */
export function nameOf(definition: EntryDefinition): { kind: EntryKind; id: string } {
  return 'recipe' in definition
    ? { kind: 'recipe', id: definition.recipe }
    : { kind: 'agent', id: (definition as { agent: string }).agent };
}

/** An entry as a workflow file would have it: without what only the library needs. */
export function bareEntry(definition: EntryDefinition): RecipeDefinition | AgentDefinition {
  const {
    format: _,
    name: __,
    description: ___,
    examples: ____,
    recipe: _____,
    agent: ______,
    ...bare
  } = definition as unknown as JsonObject;
  return bare as unknown as RecipeDefinition | AgentDefinition;
}

/** Entries by kind and id. */
export function entriesOf(definitions: readonly EntryDefinition[]): Entries {
  const entries: Entries = { recipes: {}, agents: {} };
  for (const definition of definitions) {
    const { kind, id } = nameOf(definition);
    if (kind === 'recipe') entries.recipes[id] = bareEntry(definition) as RecipeDefinition;
    else entries.agents[id] = bareEntry(definition) as AgentDefinition;
  }
  return entries;
}
