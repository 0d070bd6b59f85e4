import { hasErrors } from '../../engine/preflight/index.ts';
import { hashJson } from '../../model/canonical.ts';
import type { Json } from '../../model/json.ts';
import type { TriggerDefinition, TriggerState } from '../../model/triggers.ts';
import type { WorkflowDefinition } from '../../model/workflow.ts';
import type { App } from '../app.ts';
import type { TriggerBook } from './book.ts';

/** A workflow whose triggers can be looked at: it is stored, and has no errors. */
export interface KnownWorkflow {
  workflowId: string;
  name: string;
  enabled: boolean;
  definition: WorkflowDefinition;
}

/** One trigger of a workflow, with what is kept of it. */
export interface KnownTrigger {
  workflow: KnownWorkflow;
  trigger: TriggerDefinition;
  state: TriggerState;
  /** The workflow is on, and the trigger as it is now was switched on. */
  on: boolean;
}

/** The triggers of all stored workflows. */
export class KnownTriggers {
  readonly #book: TriggerBook;
  #workflows: KnownWorkflow[] = [];
  readonly #hashes = new WeakMap<TriggerDefinition, string>();

  constructor(book: TriggerBook) {
    this.#book = book;
  }

  /** Reads the workflows anew: one was imported, switched or removed. */
  async load({ store, library }: Pick<App, 'store' | 'library'>): Promise<void> {
    const found: KnownWorkflow[] = [];
    for (const { workflowId, draft } of await store.workflows()) {
      const stored = draft ? undefined : await library.find(workflowId);
      // Rules grow: what was in order when it was saved may not be so any more.
      if (!stored?.revision.definition.triggers?.length || hasErrors(library.problems(stored.revision))) continue;
      await this.#book.load(workflowId);
      const { row, revision } = stored;
      found.push({ workflowId, name: row.name, enabled: row.enabled, definition: revision.definition });
    }
    this.#workflows = found;
  }

  /** Ids of the workflows that are on. */
  enabled(): Set<string> {
    return new Set(this.#workflows.filter(({ enabled }) => enabled).map(({ workflowId }) => workflowId));
  }

  /** All triggers, those that are off too. */
  all(): KnownTrigger[] {
    return this.#workflows.flatMap((workflow) => this.of(workflow));
  }

  /** Triggers that are on, of one type. */
  on<T extends TriggerDefinition['type']>(type: T): (KnownTrigger & { trigger: { type: T } })[] {
    return this.all().filter(({ on, trigger }) => on && trigger.type === type) as never;
  }

  workflow(workflowId: string): KnownWorkflow | undefined {
    return this.#workflows.find((each) => each.workflowId === workflowId);
  }

  of(workflow: KnownWorkflow): KnownTrigger[] {
    return (workflow.definition.triggers ?? []).map((trigger) => {
      const state = this.#book.get(workflow.workflowId, trigger.id);
      const on = workflow.enabled && (trigger.type === 'manual' || (state.on && state.def === this.hash(trigger)));
      return { workflow, trigger, state, on };
    });
  }

  find(workflowId: string, id: string): KnownTrigger | undefined {
    const workflow = this.workflow(workflowId);
    return workflow && this.of(workflow).find(({ trigger }) => trigger.id === id);
  }

  /** Hash of a trigger as it is written. */
  hash(trigger: TriggerDefinition): string {
    let hash = this.#hashes.get(trigger);
    if (hash === undefined) {
      hash = hashJson(trigger as unknown as Json);
      this.#hashes.set(trigger, hash);
    }
    return hash;
  }
}
