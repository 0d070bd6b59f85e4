import type { ModelSettings } from '../../src/model/model-settings.ts';
import type { RunRow, StepRunRow } from '../../src/model/run.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { START, World, type WorldOptions } from './engine.ts';
import { portFor } from './providers.ts';

export interface Asked {
  run: RunRow;
  steps: StepRunRow[];
  /** Virtual milliseconds from the start at which the model was asked. */
  at: number[];
}

/** The real engine under a virtual clock, with the real model port and a real server: time stands still while a call is under way. */
export class ModelWorld extends World {
  readonly at: number[] = [];
  #busy = 0;

  constructor(settings: ModelSettings, more: WorldOptions = {}) {
    const port = portFor(settings, { clock: { now: () => this.clock.now() } });
    super({
      ...more,
      modelPort: {
        ...port,
        generate: async (request) => {
          this.at.push(this.clock.now() - START);
          this.#busy += 1;
          try {
            return await port.generate(request);
          } finally {
            this.#busy -= 1;
          }
        },
      },
    });
  }

  /** Also waits for the calls that are under way. */
  async answered(): Promise<void> {
    do await this.settle();
    while (this.#busy > 0);
    await this.settle();
  }

  /** Runs it to its end, or until it waits for a person. */
  async ask(definition: WorkflowDefinition): Promise<Asked> {
    const started = await this.start(definition);
    if (!started.ok) throw new Error(started.message);
    for (;;) {
      await this.answered();
      const next = this.clock.next();
      if (next === undefined || (await this.run()).endedAt !== undefined) break;
      this.clock.advanceTo(next);
    }
    return { run: await this.run(), steps: await this.steps(), at: this.at };
  }
}
