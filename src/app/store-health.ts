import { isStoreConflict } from '../adapters/memory/conflict.ts';
import { TabloomError } from '../model/errors.ts';
import { isObject } from '../model/json.ts';
import type { Store } from '../ports/store.ts';

/** The store cannot be written to now. */
export interface StorageFault {
  /** The browser has no room left, rather than anything else being wrong. */
  full: boolean;
  /** One sentence that says what to do. */
  message: string;
}

type Write =
  | 'commit'
  | 'appendCommand'
  | 'answerCommand'
  | 'saveWorkflow'
  | 'saveRevision'
  | 'setWorkflowEnabled'
  | 'removeWorkflow'
  | 'setSetting'
  | 'markSent'
  | 'removeOutbox'
  | 'addKnowledge'
  | 'removeRun';

/** Written to find out whether the store works again. */
const PROBE = 'store-probe';

/** Knows whether the last write of the engine's store failed, so that a person can be told. */
export class StoreHealth {
  readonly #store: Store;
  readonly #changed: () => void;
  #fault: StorageFault | undefined;
  #probing = false;

  /** @param changed called whenever what {@link fault} says has changed */
  constructor(store: Store, changed: () => void) {
    this.#store = store;
    this.#changed = changed;
  }

  get fault(): StorageFault | undefined {
    return this.#fault;
  }

  /** The same store, with an eye on what becomes of its writes. */
  watched(): Store {
    const store = this.#store;
    const watch = <K extends Write>(name: K): Store[K] => {
      const write = (...args: unknown[]) => (store[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      return ((...args: unknown[]) => this.#follow(write(...args))) as Store[K];
    };
    // Delegates by prototype: what is not watched is the store's own.
    return Object.assign(Object.create(store) as Store, {
      commit: watch('commit'),
      appendCommand: watch('appendCommand'),
      answerCommand: watch('answerCommand'),
      saveWorkflow: watch('saveWorkflow'),
      saveRevision: watch('saveRevision'),
      setWorkflowEnabled: watch('setWorkflowEnabled'),
      removeWorkflow: watch('removeWorkflow'),
      setSetting: watch('setSetting'),
      markSent: watch('markSent'),
      removeOutbox: watch('removeOutbox'),
      addKnowledge: watch('addKnowledge'),
      removeRun: watch('removeRun'),
    });
  }

  /** Tries whether a store that failed works again; somebody is looking. Never rejects. */
  probe(at: number): void {
    if (!this.#fault || this.#probing) return;
    this.#probing = true;
    this.#follow(this.#store.setSetting(PROBE, { at }))
      .catch(() => undefined)
      .finally(() => {
        this.#probing = false;
      });
  }

  async #follow<T>(write: Promise<T>): Promise<T> {
    try {
      const value = await write;
      this.#set(undefined);
      return value;
    } catch (error) {
      const fault = storageFault(error);
      if (fault) this.#set(fault);
      throw error;
    }
  }

  #set(fault: StorageFault | undefined): void {
    if (fault?.message === this.#fault?.message) return;
    this.#fault = fault;
    this.#changed();
  }
}

/** What a failed write says of the store; `undefined` for a refusal of what was asked (a conflict, a run that is not there). */
export function storageFault(error: unknown): StorageFault | undefined {
  if (isStoreConflict(error)) return undefined;
  if (TabloomError.is(error) && error.code !== 'internal') return undefined;
  const details = TabloomError.is(error) ? error.info.details : undefined;
  return {
    full: isObject(details) && details.name === 'QuotaExceededError',
    message: error instanceof Error ? error.message : 'The browser’s database does not answer: restart the browser.',
  };
}
