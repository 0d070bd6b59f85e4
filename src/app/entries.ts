import { type ReadEntry, readEntry, type TrialOptions, trial } from '../engine/entries/file.ts';
import { entriesNamed } from '../engine/entries/link.ts';
import type { StepRegistry } from '../engine/step-type.ts';
import { hashJson } from '../model/canonical.ts';
import type { Json } from '../model/json.ts';
import {
  type Entries,
  type EntryDefinition,
  type EntryKind,
  type EntryRevision,
  type EntryRow,
  entriesOf,
  nameOf,
} from '../model/library.ts';
import type { Problem, Revision } from '../model/workflow.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Refusal } from './protocol.ts';

/** Begins the id under which the runs of try-outs are kept; no workflow's id has a colon. */
const TRY = 'try:';

/** A stored entry as it is shown. */
export interface ShownEntry {
  row: EntryRow;
  definition: EntryDefinition;
  source: string;
  /** Newest first. */
  revisions: { revision: string; createdAt: number }[];
  /** Workflows whose newest revision names it. */
  usedBy: { workflowId: string; name: string }[];
}

/** Recipes and agents of the library. */
export class EntryShelf {
  readonly #store: Store;
  readonly #registry: StepRegistry;
  readonly #clock: Pick<Clock, 'now'>;
  #now: Entries = { recipes: {}, agents: {} };

  constructor(store: Store, registry: StepRegistry, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#registry = registry;
    this.#clock = clock;
  }

  /** All entries at their newest revisions; another object after each change. */
  get now(): Entries {
    return this.#now;
  }

  /** Reads what is stored. Before that there is nothing in {@link now}. */
  async load(): Promise<void> {
    const rows = await this.#store.entries();
    const found = await Promise.all(rows.map(({ revision }) => this.#store.entryRevision(revision)));
    this.#now = entriesOf(found.flatMap((one) => (one ? [one.definition] : [])));
  }

  list(): Promise<EntryRow[]> {
    return this.#store.entries();
  }

  /** Reads a file and keeps nothing. */
  check(source: string): ReadEntry {
    return readEntry(source, 'entry.yaml', this.#registry);
  }

  /**
   * Keeps a file as its entry's newest revision. One with errors is turned down, with all of them.
   * @param as the entry that is being changed, which must not become another one
   */
  async save(
    source: string,
    as?: { kind: EntryKind; id: string },
  ): Promise<{ row: EntryRow; problems: Problem[] } | { refused: Refusal }> {
    const { definition, revision, problems } = this.check(source);
    if (!definition || !revision) {
      const message = 'The file has errors; correct them and save it again.';
      return { refused: { code: 'preflight_failed', message, problems } };
    }
    const { kind, id } = nameOf(definition);
    if (as && (as.kind !== kind || as.id !== id)) {
      const message = `Keep "${as.kind}: ${as.id}" in the file, or add it as a new one: workflows name it so.`;
      return { refused: { code: 'preflight_failed', message, problems } };
    }
    const before = await this.#store.entry(kind, id);
    const now = this.#clock.now();
    const { name, description } = definition;
    const row: EntryRow = {
      kind,
      id,
      name,
      ...(description !== undefined && { description }),
      revision,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    const parent = before && before.revision !== revision ? { parent: before.revision } : {};
    await this.#store.saveEntry(row, { kind, id, revision, definition, source, createdAt: now, ...parent });
    await this.load();
    return { row, problems };
  }

  async remove(kind: EntryKind, id: string): Promise<boolean> {
    const there = (await this.#store.entry(kind, id)) !== undefined;
    await this.#store.removeEntry(kind, id);
    await this.load();
    return there;
  }

  /** @param revision an earlier one, instead of the newest */
  async find(kind: EntryKind, id: string, revision?: string): Promise<ShownEntry | undefined> {
    const row = await this.#store.entry(kind, id);
    if (!row) return undefined;
    const revisions = await this.#store.entryRevisions(kind, id);
    const shown = revisions.find((one) => one.revision === (revision ?? row.revision)) as EntryRevision | undefined;
    if (!shown) return undefined;
    return {
      row,
      definition: shown.definition,
      source: shown.source,
      revisions: revisions.map(({ revision: hash, createdAt }) => ({ revision: hash, createdAt })),
      usedBy: await this.#usedBy(kind, id),
    };
  }

  async #usedBy(kind: EntryKind, id: string): Promise<ShownEntry['usedBy']> {
    const found: ShownEntry['usedBy'] = [];
    for (const { workflowId, name, revision, draft } of await this.#store.workflows()) {
      const kept = draft ? undefined : await this.#store.revision(revision);
      const named = kept ? entriesNamed(kept.definition, this.#registry) : [];
      if (named.some((one) => one.kind === kind && one.id === id)) found.push({ workflowId, name });
    }
    return found;
  }

  /** What a try-out of a file runs: kept as a revision, and in no list of workflows. The file need not be saved. */
  async trial(definition: EntryDefinition, options: TrialOptions): Promise<Revision> {
    const { kind, id } = nameOf(definition);
    const workflow = trial(definition, options);
    const revision: Revision = {
      workflowId: `${TRY}${kind}:${id}`,
      revision: hashJson(workflow as unknown as Json),
      definition: workflow,
      createdAt: this.#clock.now(),
    };
    await this.#store.saveRevision(revision);
    return revision;
  }
}
