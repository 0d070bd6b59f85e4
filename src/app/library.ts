import { findIn } from '../engine/children/pins.ts';
import { withEntries } from '../engine/entries/link.ts';
import { missingDocuments } from '../engine/knowledge/base.ts';
import { checkDefinition, checkEnvironment, hasErrors, readWorkflow } from '../engine/preflight/index.ts';
import type { StepRegistry } from '../engine/step-type.ts';
import { isObject } from '../model/json.ts';
import type { Entries } from '../model/library.ts';
import type { Problem, Revision, WorkflowDefinition } from '../model/workflow.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelPort } from '../ports/model.ts';
import type { SecretVault, Store, WorkflowRow } from '../ports/store.ts';
import { type ImportPreview, importPreview } from '../view/import-preview.ts';
import { draftProblem, hasName, wishesOf } from './drafted.ts';
import type { EntryShelf } from './entries.ts';
import type { Grants } from './grants.ts';
import type { McpServers } from './mcp.ts';
import type { Refusal, WorkflowSummary } from './protocol.ts';

export interface LibraryParts {
  store: Store;
  vault: SecretVault;
  registry: StepRegistry;
  clock: Pick<Clock, 'now'>;
  grants: Grants;
  model: ModelPort;
  mcp: Pick<McpServers, 'tools'>;
  entries: Pick<EntryShelf, 'now'>;
}

/** A stored workflow with its newest revision. */
export interface Stored {
  row: WorkflowRow;
  revision: Revision;
}

/** The stored workflows. Revisions never change, so each is read once, and checked once for each state of the library that it may name. */
export class Library {
  readonly #parts: LibraryParts;
  readonly #known = new Map<string, { revision: Revision; problems: Problem[]; entries: Entries }>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  async find(workflowId: string): Promise<Stored | undefined> {
    const row = await this.#parts.store.workflow(workflowId);
    const known = row && (await this.#revision(row.revision));
    return row && known && { row, revision: known.revision };
  }

  /**
   * Reads a file and keeps it as the workflow's newest revision. A file with errors is turned down, with all of them.
   * @param enable what a person said. Without a word only the very revision that was on stays on: another one may want more than the
   *   person has agreed to, so it arrives off like a new workflow.
   * @param draft keep a file with errors too; it is off, and stays so
   */
  async save(
    source: string,
    enable: boolean | undefined,
    draft = false,
  ): Promise<{ row: WorkflowRow; problems: Problem[] } | { refused: Refusal }> {
    const { store, registry, clock, entries } = this.#parts;
    const read = readWorkflow(source, 'workflow.yaml', registry, entries.now);
    const { definition, revision, problems } = read;
    const before = hasName(definition) ? await store.workflow(definition.id) : undefined;
    const wrong = !revision || hasErrors(problems);
    const kept = draft && wrong ? draftProblem(read, before) : undefined;
    if (!definition || !revision || (wrong && (!draft || kept !== undefined))) {
      const message = kept ?? 'The file has errors; correct them and import it again.';
      return { refused: { code: 'preflight_failed', message, problems } };
    }
    const now = clock.now();
    const row: WorkflowRow = {
      workflowId: definition.id,
      name: definition.name,
      revision,
      enabled: !wrong && (enable ?? (before?.revision === revision && before.enabled)),
      ...(wrong && { draft: true }),
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    const parent = before && before.revision !== revision ? { parent: before.revision } : {};
    await store.saveWorkflow(row, {
      workflowId: definition.id,
      revision,
      definition,
      source,
      createdAt: now,
      ...parent,
    });
    return { row, problems };
  }

  /** Reads a file as `save` does, and keeps nothing. */
  check(source: string): { wants: ImportPreview | null; problems: Problem[] } {
    const { registry, entries } = this.#parts;
    const { definition, problems } = readWorkflow(source, 'workflow.yaml', registry, entries.now);
    return { wants: importPreview(definition && this.linked(definition), registry) ?? null, problems };
  }

  async summaries(): Promise<WorkflowSummary[]> {
    const { store } = this.#parts;
    const found = (await store.workflows()).map(async (row): Promise<WorkflowSummary[]> => {
      const known = await this.#revision(row.revision);
      if (!known) return [];
      const { definition } = known.revision;
      const [last] = await store.runs({ workflowId: row.workflowId, limit: 1 });
      return [
        {
          workflowId: row.workflowId,
          name: row.name,
          ...(typeof definition.description === 'string' && { description: definition.description }),
          enabled: row.enabled,
          revision: row.revision,
          ...wishesOf(definition),
          ...(prefilled(definition) && { prefilled: true as const }),
          ...(last ? { lastRunAt: last.createdAt } : {}),
          updatedAt: row.updatedAt,
          problems: known.problems.length,
          ...(row.draft && { draft: firstError(known.problems) }),
        },
      ];
    });
    return (await Promise.all(found))
      .flat()
      .sort((a, b) => (b.lastRunAt ?? 0) - (a.lastRunAt ?? 0) || a.name.localeCompare(b.name));
  }

  /** Problems of a revision itself, with line and column where its file was kept. */
  problems(revision: Revision): Problem[] {
    const { registry, entries } = this.#parts;
    if (revision.source === undefined) return checkDefinition(revision.definition, registry, entries.now);
    return readWorkflow(revision.source, 'workflow.yaml', registry, entries.now).problems;
  }

  /** A definition with the recipes and agents in place that it may have from the library, as they are now. */
  linked(definition: WorkflowDefinition): WorkflowDefinition {
    return withEntries(definition, this.#parts.entries.now);
  }

  /**
   * Problems that lie outside the file: models, grants, secrets, the workflows it calls, and the tools of MCP servers.
   * @param servers whether servers are asked, which may take seconds
   */
  environment(definition: WorkflowDefinition, servers = true): Promise<Problem[]> {
    const { registry, model, mcp, grants, vault, store } = this.#parts;
    const find = findIn(store);
    return checkEnvironment(this.linked(definition), registry, {
      modelConfigured: (name) => model.configured(name),
      missingOrigins: (sites) => grants.missing(sites),
      secretNames: () => vault.names(),
      workflow: async (reference) => {
        const found = await find(reference);
        return found && { ...found, definition: this.linked(found.definition) };
      },
      ...(servers ? { mcpTools: (server: string) => mcp.tools(server) } : {}),
      missingDocuments: (names) => missingDocuments(store, names),
    });
  }

  async #revision(hash: string): Promise<{ revision: Revision; problems: Problem[] } | undefined> {
    const { entries, store } = this.#parts;
    const known = this.#known.get(hash);
    if (known?.entries === entries.now) return known;
    const revision = known?.revision ?? (await store.revision(hash));
    if (!revision) return undefined;
    const read = { revision, problems: this.problems(revision), entries: entries.now };
    this.#known.set(hash, read);
    return read;
  }
}

/** Whether the trigger by hand gives a part of the input. A draft may hold anything. */
function prefilled({ triggers }: WorkflowDefinition): boolean {
  return (
    Array.isArray(triggers) &&
    triggers.some((trigger) => isObject(trigger) && trigger.type === 'manual' && trigger.input !== undefined)
  );
}

/** The first error of a draft, after its place: the message may be long, and is cut where it is shown. */
function firstError(problems: readonly Problem[]): string {
  const first = problems.find(({ severity }) => severity === 'error');
  // A rule may have gone since the draft was kept; it still has to be saved once more.
  if (!first) return 'Save it once more: nothing is wrong with it now.';
  const { line, column = 1, message } = first;
  return line === undefined ? message : `Line ${line}, column ${column}: ${message}`;
}
