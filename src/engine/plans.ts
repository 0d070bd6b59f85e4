import type { Revision } from '../model/workflow.ts';
import type { Store } from '../ports/store.ts';
import { compilePlan, type Plan } from './plan.ts';
import type { StepRegistry } from './step-type.ts';

/** Plans by revision, compiled once; a revision whose plan is known need not be read again. */
export class Plans {
  readonly #registry: StepRegistry;
  readonly #plans = new Map<string, Plan>();

  constructor(registry: StepRegistry) {
    this.#registry = registry;
  }

  of({ revision, definition }: Revision): Plan {
    let plan = this.#plans.get(revision);
    if (!plan) {
      plan = compilePlan(definition, revision, this.#registry);
      this.#plans.set(revision, plan);
    }
    return plan;
  }

  /** @throws Error when the store has no such revision */
  async named(name: string, store: Pick<Store, 'revision'>): Promise<Plan> {
    const known = this.#plans.get(name);
    if (known) return known;
    const revision = await store.revision(name);
    if (!revision) throw new Error(`revision ${name.slice(0, 12)} is missing`);
    return this.of(revision);
  }
}
