import { isObject, type JsonObject } from '../../model/json.ts';
import { type TriggerState, type TriggerStates, triggerStateSchema } from '../../model/triggers.ts';
import type { Store } from '../../ports/store.ts';

const OFF: TriggerState = { on: false };

/**
 * What is kept of triggers, one setting for each workflow. Only the one background that holds the engine's lock writes it, so it is read once;
 * every change is stored before anybody acts on it.
 */
export class TriggerBook {
  readonly #store: Pick<Store, 'setting' | 'setSetting'>;
  readonly #known = new Map<string, TriggerStates>();

  constructor(store: Pick<Store, 'setting' | 'setSetting'>) {
    this.#store = store;
  }

  /** Reads a workflow's states, if that has not been done. What cannot be understood is off. */
  async load(workflowId: string): Promise<void> {
    if (this.#known.has(workflowId)) return;
    const states: TriggerStates = {};
    for (const [id, row] of Object.entries((await this.#store.setting(keyOf(workflowId))) ?? {})) {
      const read = triggerStateSchema.safeParse(row);
      if (read.success && isObject(row)) states[id] = read.data as TriggerState;
    }
    if (!this.#known.has(workflowId)) this.#known.set(workflowId, states);
  }

  /** Workflows must have been loaded. */
  get(workflowId: string, id: string): TriggerState {
    const states = this.#known.get(workflowId);
    return states && Object.hasOwn(states, id) ? (states[id] as TriggerState) : OFF;
  }

  /**
   * Stores another state of a trigger. What failed to be stored has not changed.
   * @param change gets the present state
   */
  async change(workflowId: string, id: string, change: (state: TriggerState) => TriggerState): Promise<void> {
    const before = this.#known.get(workflowId) ?? {};
    const next = { ...before, [id]: change(this.get(workflowId, id)) };
    this.#known.set(workflowId, next);
    try {
      await this.#store.setSetting(keyOf(workflowId), next as unknown as JsonObject);
    } catch (error) {
      if (this.#known.get(workflowId) === next) this.#known.set(workflowId, before);
      throw error;
    }
  }

  /** What comes later under this id is another workflow. */
  async forget(workflowId: string): Promise<void> {
    this.#known.set(workflowId, {});
    await this.#store.setSetting(keyOf(workflowId), {});
  }
}

function keyOf(workflowId: string): string {
  return `triggers/${workflowId}`;
}
