import type { Revision } from '../model/workflow.ts';
import type { Store } from '../ports/store.ts';
import { linkPinned, planKey } from './entries/link.ts';
import { compilePlan, type Plan } from './plan.ts';
import type { StepRegistry } from './step-type.ts';

type Pins = Readonly<Record<string, string>>;

/** Plans by revision, and by the revisions of what they have from the library; compiled once, and not read again once known. */
export class Plans {
  readonly #registry: StepRegistry;
  readonly #plans = new Map<string, Plan>();

  constructor(registry: StepRegistry) {
    this.#registry = registry;
  }

  /**
   * @param pins revisions that the run keeps
   * @throws Error when the store has lost one of the library's entries
   */
  async of({ revision, definition }: Revision, pins: Pins, store: Pick<Store, 'entryRevision'>): Promise<Plan> {
    const key = planKey(revision, pins);
    const known = this.#plans.get(key);
    if (known) return known;
    const linked = key === revision ? definition : await linkPinned(definition, pins, store);
    // Another call may have made it meanwhile: there is one for each key.
    const plan = this.#plans.get(key) ?? { ...compilePlan(linked, revision, this.#registry), key };
    this.#plans.set(key, plan);
    return plan;
  }

  /** @throws Error when the store has no such revision, or as {@link of} */
  async named(name: string, pins: Pins, store: Pick<Store, 'revision' | 'entryRevision'>): Promise<Plan> {
    const known = this.#plans.get(planKey(name, pins));
    if (known) return known;
    const revision = await store.revision(name);
    if (!revision) throw new Error(`revision ${name.slice(0, 12)} is missing`);
    return this.of(revision, pins, store);
  }
}
