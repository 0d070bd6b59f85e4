import { redactText } from '../engine/secrets/scan.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelPort } from '../ports/model.ts';
import type { Updates } from './updates.ts';

/** What a model has written so far of an answer that is still on its way. */
export interface Written {
  /** The step's path in its own run. */
  path: string;
  attempt: number;
  text: string;
}

/** Longest text that is kept while it is written, in characters: the end of it, since that is what grows. */
const KEEP = 16 * 1024;
/** Surfaces hear of more text at most so often, milliseconds. */
const PACE = 200;

interface Row extends Written {
  runId: string;
}

/**
 * Answers as they are written, for the surfaces that look on. In memory only: the journal gets the whole answer, and a text that a worker
 * takes with it is asked for again anyway.
 */
export class Writing {
  readonly #rows = new Set<Row>();
  readonly #updates: Pick<Updates, 'push' | 'listeners'>;
  readonly #clock: Clock;
  #told = Number.NEGATIVE_INFINITY;
  #later = false;
  readonly #grown = new Set<string>();

  constructor(updates: Pick<Updates, 'push' | 'listeners'>, clock: Clock) {
    this.#updates = updates;
    this.#clock = clock;
  }

  /** A port that does the same, and lets the surfaces look on. */
  watched(port: ModelPort): ModelPort {
    return {
      ...port,
      generate: async (request) => {
        const { runId, path, own, attempt } = request.call;
        const row: Row = { runId, path: own ?? path, attempt, text: '' };
        this.#rows.add(row);
        try {
          return await port.generate({
            ...request,
            onText: (delta) => {
              row.text = (row.text + delta).slice(-KEEP);
              this.#grew(runId);
              request.onText?.(delta);
            },
          });
        } finally {
          // What follows is a commit, which tells the surfaces.
          this.#rows.delete(row);
        }
      },
    };
  }

  /** What is being written for a run now, without what looks like a secret. */
  of(runId: string): Written[] {
    return [...this.#rows]
      .filter((row) => row.runId === runId && row.text !== '')
      .map(({ path, attempt, text }) => ({ path, attempt, text: redactText(text) }));
  }

  #grew(runId: string): void {
    if (this.#updates.listeners === 0) return;
    this.#grown.add(runId);
    if (this.#later) return;
    const wait = this.#told + PACE - this.#clock.now();
    if (wait <= 0) {
      this.#tell();
      return;
    }
    this.#later = true;
    this.#clock.setTimer(wait, () => {
      this.#later = false;
      this.#tell();
    });
  }

  #tell(): void {
    this.#told = this.#clock.now();
    for (const runId of this.#grown) this.#updates.push(['writing'], runId);
    this.#grown.clear();
  }
}
